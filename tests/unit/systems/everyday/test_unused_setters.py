"""apply-setters: a setter of the config that no comment names is told, with the nearest one."""

from __future__ import annotations

import pytest

from krmkit.fn import loader
from krmkit.fn.run import run

LIST = """apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {{name: a}}
  data:
    host: a{comment}
functionConfig: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {data}}}
"""


@pytest.mark.parametrize(
    ("comment", "data", "expected"),
    [
        (" # kpt-set: ${host}", "{host: b}", []),
        (
            " # kpt-set: ${host}",
            "{host: b, hots: c}",
            ['data.hots no comment names the setter; did you mean "host"?'],
        ),
        (
            " # kpt-set: ${host}-${zone}",
            "{host: b, zone: c, replicas: '3'}",
            ["data.replicas no comment names the setter"],
        ),
        ("", "{host: b}", []),
    ],
    ids=["named", "a slip", "another", "no comments at all"],
)
def test_unused_setters(comment: str, data: str, expected: list[str]) -> None:
    """Only where comments name others: a config without comments may be for other packages."""
    function = loader.load("apply-setters")

    outcome = run(function.definition, function.process, LIST.format(comment=comment, data=data))

    assert outcome.exit_code == 0
    found = [one for one in outcome.results if one.rule == "unused-setter"]
    assert [f"{one.field} {one.message}" for one in found] == expected
    assert {one.severity for one in found} <= {"warning"}
