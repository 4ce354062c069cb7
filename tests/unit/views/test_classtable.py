"""krmkit.cli.explainclass: the variables of a ClusterClass for people and for programs."""

from __future__ import annotations

import io
import json

import pytest

from krmkit.analysis.plans.classtable import ClassTable, ClassVariable
from krmkit.cli.explainclass import shown
from krmkit.views.terminal import Terminal

TABLE = ClassTable(
    [
        ClassVariable(
            "size",
            {"type": "string", "default": "a|b", "description": "The size\nof  machines."},
            False,
            acts=[("MachineTemplate", "workers", "spec.size", "p1"), ("Other", "workers", "spec.x", "p2")],
        ),
        ClassVariable("zone", {"type": "integer"}, True),
        ClassVariable("any", {}, False, needed=True, acts=[("Other", "control plane", "spec.y", "p3")]),
    ],
    {"kind": "Cluster"},
    "no template",
)
COLUMNS = ["VARIABLE", "TYPE", "DEFAULT", "NEEDED", "GROUPS", "ACTS ON", "DESCRIPTION"]
ROWS = [
    ["size", "string", '"a|b"', "no", "workers", "MachineTemplate spec.size (p1); Other spec.x (p2)", "The size of machines."],
    ["zone", "integer", "-", "required", "-", "-", "-"],
    ["any", "any", "-", "yes, though optional", "control plane", "Other spec.y (p3)", "-"],
]  # fmt: skip


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_for_people(form: str) -> None:
    """A line for each variable below the names of the columns; a bar of Markdown's own is written as one."""
    lines = shown(TABLE, "ns/c", form, Terminal(io.StringIO(), "never")).splitlines()

    rows = [COLUMNS, *ROWS]
    if form == "markdown":
        rows.insert(1, ["---"] * len(COLUMNS))
        assert lines == [f"| {' | '.join(row)} |".replace("a|b", "a&#124;b") for row in rows]
    else:
        assert [" ".join(line.split()) for line in lines] == [" ".join(row) for row in rows]
        assert len({line.index(row[1], 4) for line, row in zip(lines, rows, strict=True)}) == 1


def test_for_programs() -> None:
    """The whole schema of each variable, and why the class cannot be rendered."""
    data = json.loads(shown(TABLE, "ns/c", "json", Terminal(io.StringIO(), "never")))

    assert (data["class"], data["problem"]) == ("ns/c", "no template")
    assert [(one["name"], one["required"], one["needed"]) for one in data["variables"]] == [
        ("size", False, False),
        ("zone", True, True),
        ("any", False, True),
    ]
    assert data["variables"][0]["schema"]["default"] == "a|b"
    assert data["variables"][2]["acts"] == [
        {"kind": "Other", "group": "control plane", "field": "spec.y", "patch": "p3"}
    ]
