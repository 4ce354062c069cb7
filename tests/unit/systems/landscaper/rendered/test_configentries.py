"""Entries of a RenderInstallation that fit no deploy item, no nested Installation or nothing at all."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from tests.unit.systems.landscaper.rendered.test_render import EXPORTS, GIVER, ITEM, render
from tests.unit.systems.landscaper.worlds import installation


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        (
            {"deployItemExports": {"giver/itme": {"a": "x"}}},
            "spec.deployItemExports.giver/itme",
            'did you mean "giver/item"?',
        ),
        (
            {"names": {"giver/a": "x"}},
            "spec.names.giver/a",
            "giver/a is the path of no nested Installation, so the name is not used",
        ),
        (
            {"exportTemplates": [{"name": "x", "selector": "^givr/", "template": ""}]},
            "spec.exportTemplates[0].selector",
            "the selector fits no deploy item, so the template is not used; there are: giver/item",
        ),
        (
            {
                "exportTemplates": [
                    {"name": "x", "for": "installations", "selector": "^givr$", "template": ""}
                ]
            },
            "spec.exportTemplates[0].selector",
            "the selector fits no Installation, so the template is not used; there are: giver",
        ),
    ],
    ids=["exports", "names", "a selector", "a selector for installations"],
)
def test_entries_that_fit_nothing(spec: Object, field: str, message: str) -> None:
    """A slip in a path would leave its installation waiting: it is named in the config."""
    outcome = render(installation("giver", GIVER, exports=EXPORTS), **spec)

    [found] = [one for one in outcome.results if one.rule == "unused-entry"]
    assert (outcome.exit_code, found.severity, found.field) == (0, "warning", field)
    assert (found.resource_ref or {})["kind"] == "RenderInstallation"
    assert message in found.message


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"deployItemExports": {"giver/item": {"a": "x"}}}, []),
        ({"deployItemExports": {"item": {"a": "x"}}}, []),
        ({"deployItemExports": {"taker/item": {"a": "x"}}}, []),
        ({"deployItemExports": {"other/item": {"a": "x"}}}, ["giver"]),
    ],
    ids=["a path", "a name", "one that waits", "others are not rendered"],
)
def test_entries_that_fit(spec: Object, wanted: list[str]) -> None:
    """Or that may fit: what is inside of one that waits is not known."""
    taker = installation("taker", ITEM, imports={"data": [{"name": "a", "dataRef": "a"}]})
    outcome = render(installation("giver", GIVER, exports=EXPORTS), taker, installations=wanted, **spec)

    assert [str(one) for one in outcome.results if one.rule == "unused-entry"] == []
