"""A finding about many subjects is shown once to people, and in full to programs."""

from __future__ import annotations

import io
import json

import pytest

from krmkit.render.findings.model import FileChange, PackageReport, Report, Result
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


def test_files_keep_a_row_each() -> None:
    """A reviewer sees at each file that it is not rendered."""
    changes = [FileChange(f"p/{number}.yaml", "changed") for number in range(6)]
    whole = Report("render", [PackageReport("p", changes=changes)], written=False, check=True)
    said = shown(whole, "github", Terminal(io.StringIO(), "never"))
    assert [f"::error file=p/{number}.yaml,title=not-rendered::" in said for number in range(6)] == [True] * 6


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


def test_github_shows_ten_annotations_of_a_level() -> None:
    """The rest is in the log, and no line of it is a command."""
    results = [
        Result("error", "wrong", f"value {number}", "::error::p.yaml", 1 + number) for number in range(14)
    ]
    results.append(Result("warning", "odd", "is odd", "p.yaml", 1))
    packages = [PackageReport("p", results=results), PackageReport("q", failure="it failed")]
    whole = Report("render", packages, written=False)
    lines = shown(whole, "github", Terminal(io.StringIO(), "never")).splitlines()

    assert [line.partition(" ")[0] for line in lines[:11]] == ["::error"] * 10 + ["::warning"]
    assert lines[11] == "GitHub shows 10 annotations of each level; 5 more:"
    assert [f"value {number}" in line for number, line in enumerate(lines[12:16], 10)] == [True] * 4
    assert "q: it failed" in lines[16]
    assert not any(line.startswith("::") for line in lines[11:])


def test_fingerprints_stay_when_lines_move() -> None:
    """Code scanning knows a finding again after lines above it came; equal ones differ."""

    def marks(line: int) -> list[str]:
        results = [Result("error", "wrong", "value", "p.yaml", line + number) for number in range(2)]
        text = shown(
            Report("render", [PackageReport("p", results=results)]), "sarif", Terminal(io.StringIO(), "never")
        )
        return [one["partialFingerprints"]["finding/v1"] for one in json.loads(text)["runs"][0]["results"]]

    assert marks(1) == marks(40)
    assert len(set(marks(1))) == 2


@pytest.mark.parametrize("width", [20, 60, 80, 119])
def test_a_narrow_terminal_gets_two_or_three_lines(width: int) -> None:
    """Severity, rule and place are the first line, whole; the subject and the message follow."""
    terminal = Terminal(io.StringIO(), "never")
    terminal.width = width
    path = "examples/everyday/a-folder-with-a-long-name/deployments-of-the-shop.yaml"
    result = Result(
        "error", "unknown-variable", MESSAGE, path, 12, 3, {"kind": "Cluster", "name": "c"}, "spec.topology"
    )
    lines = shown(
        Report("check", [PackageReport("p", results=[result])], written=False), "table", terminal
    ).split("\n")

    assert lines[0] == f"error unknown-variable {path}:12:3"
    told = lines[1 : lines.index("")]
    assert " ".join(line.strip() for line in told) == f"Cluster c spec.topology: {MESSAGE}"
    assert len(told) <= 2
    assert all(len(line) <= max(width, 40) for line in told)
