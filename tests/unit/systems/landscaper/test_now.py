"""The present time in templates: `now` and `ago` take it from the config, and fail without one."""

from __future__ import annotations

import pytest

from tests.unit.systems.landscaper.rendered.test_render import items, render
from tests.unit.systems.landscaper.worlds import installation

BODY = (
    "deployExecutions:\n- name: d\n  type: GoTemplate\n"
    "  template: 'deployItems: [{name: a, type: t, config: {apiVersion: x/v1, kind: C, at: %s}}]'\n"
)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('{{ now | date "2006-01-02 15:04 MST" | quote }}', "2026-05-01 06:00 UTC"),
        ("{{ now | unixEpoch | quote }}", "1777615200"),
        ("{{ now.Year }}", 2026),
        ('{{ toDate "2006-01-02" "2026-04-30" | ago }}', "30h0m0s"),
    ],
)
def test_the_time_of_the_config(template: str, expected: object) -> None:
    """Templates get spec.now in UTC."""
    found = items(render(installation("shop", BODY % template), now="2026-05-01T08:00:00+02:00"))

    assert found["DeployItem", "shop-a"]["spec"]["config"]["at"] == expected


def test_exports_are_told_with_the_time() -> None:
    """Templates of exports get the same time."""
    body = BODY % "1" + (
        "exports: [{name: o, type: data, schema: {}}]\n"
        "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {o: {{ .values.deployitems.a.at }}}'}\n"
    )
    told = [{"name": "x", "selector": ".*", "template": "exports: {at: {{ now.Year }}}"}]
    shop = installation("shop", body, exports={"data": [{"name": "o", "dataRef": "o"}]})

    assert (
        items(render(shop, now="2026-05-01T08:00:00Z", exportTemplates=told))["DataObject", "o"]["data"]
        == 2026
    )


def test_no_time_is_given() -> None:
    """The error says what to set."""
    (found,) = [
        one for one in render(installation("shop", BODY % "{{ now.Year }}")).results if one.rule == "template"
    ]

    assert found.message.endswith("it is the current time, and there is no clock: set spec.now of the config")


@pytest.mark.parametrize("function", ["render", "validate"])
def test_a_wrong_time(function: str) -> None:
    """What is no time is refused."""
    (found,) = render(installation("shop", BODY % "1"), function=function, now="yesterday").results

    assert (found.rule, found.field) == ("bad-time", "spec.now")


def test_validation_has_a_time() -> None:
    """Validation renders, so it takes the time, too."""
    shop = installation("shop", BODY % "{{ now.Year }}")

    assert render(shop, function="validate", now="2026-05-01T08:00:00Z").exit_code == 0
    assert render(shop, function="validate").exit_code == 1
