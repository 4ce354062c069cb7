"""A finding about many subjects is shown once to people, and in full to programs."""

from __future__ import annotations

import io
import json

import pytest

from krmkit.render.findings.model import PackageReport, Report, Result
from krmkit.views.formats import shown
from krmkit.views.terminal import Terminal

MESSAGE = "the class has no variable region"


def report(count: int) -> Report:
    results = [
        Result(
            "error",
            "unknown-variable",
            MESSAGE,
            "sites/clusters.yaml",
            10 * number + 1,
            3,
            {"kind": "Cluster", "name": f"c{number:02d}"},
            f"spec.topology.variables[{number}]",
        )
        for number in range(count)
    ]
    results.insert(1, Result("warning", "other", "is something else", "sites/x.yaml", 1, 1))
    return Report("render", [PackageReport("sites", results=results)], written=False)


def text(form: str, count: int) -> str:
    return shown(report(count), form, Terminal(io.StringIO(), "never"))


@pytest.mark.parametrize("form", ["table", "github", "markdown"])
def test_equal_findings_are_one_row(form: str) -> None:
    """The first place, the number, and the first three names; what differs keeps a row of its own."""
    said = text(form, 20)
    assert said.count(MESSAGE) == 1
    [row] = [line for line in said.splitlines() if MESSAGE in line]
    assert "clusters.yaml" in row and "20 times: Cluster c00" in row.replace("\\", "")
    assert "and 17 more" in row and "c03" not in row
    assert said.count("is something else") == 1


@pytest.mark.parametrize("form", ["table", "github", "markdown"])
def test_few_equal_findings_keep_their_places(form: str) -> None:
    """Three are no crowd: each has its place."""
    assert text(form, 3).count(MESSAGE) == 3


def test_programs_get_every_finding() -> None:
    """Lines for editors, data and results of code scanning are complete."""
    assert text("text", 20).count(MESSAGE) == 20
    assert len(json.loads(text("json", 20))["packages"][0]["results"]) == 21
    assert len(json.loads(text("sarif", 20))["runs"][0]["results"]) == 21
    assert len(json.loads(text("gitlab", 20))) == 21
