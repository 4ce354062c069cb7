"""One report in every format."""

from __future__ import annotations

import io
import json
import re
from argparse import Namespace
from xml.etree import ElementTree as ET

import pytest

from krmkit.libraries.process.stderr import say
from krmkit.render.diff import diff
from krmkit.render.findings.model import (
    API_VERSION,
    CHANGED,
    FileChange,
    PackageReport,
    PipelineStep,
    Report,
    Result,
)
from krmkit.storage.disk.write import FileEdit
from krmkit.views.formats import FORMATS, shown
from krmkit.views.terminal import Terminal

RESOURCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "app"}


def a_report(severity: str = "error", message: str = "must be above 0, got -1") -> Report:
    package = PackageReport(
        "p", steps=[PipelineStep("example.dev/check:v1", "image", exit_code=1, seconds=0.25)]
    )
    package.results.append(
        Result(
            severity, "bad-number", message, "p/a b.yaml", 7, 3, RESOURCE, "spec.n", "example.dev/check:v1"
        )
    )
    package.changes.append(FileChange("p/a b.yaml", CHANGED))
    return Report("render", [package], written=False)


def text(report: Report, form: str) -> str:
    return shown(report, form, Terminal(io.StringIO()))


def test_text() -> None:
    """One line that editors understand."""
    assert text(a_report(), "text").startswith(
        "p/a b.yaml:7:3: error: must be above 0, got -1 (ConfigMap app spec.n) [bad-number]\n"
    )


def test_table() -> None:
    """Columns, and what happened."""
    assert text(a_report(), "table") == (
        "SEVERITY  RULE        WHERE                                MESSAGE\n"
        "error     bad-number  p/a b.yaml:7:3 ConfigMap app spec.n  must be above 0, got -1\n\n"
        "1 function ran in 1 package: 1 file changed (nothing was written)\n"
    )


@pytest.mark.parametrize("form", ["text", "table"])
def test_control_characters_are_shown(form: str) -> None:
    """No name or value of a package reaches the terminal as a command, nor begins a line of a CI log."""
    report = a_report(message="got \x1b[2J")
    report.packages[0].results[0].field = "spec.x\n::add-mask::y\x9b"

    first = next(each for each in text(report, form).splitlines() if "spec.x" in each)

    assert "spec.x ::add-mask::y\\x9b" in first
    assert "got \\x1b[2J" in first


def test_text_keeps_a_path() -> None:
    """A path with two spaces stays what it is; one with a line end is still one line."""
    report = a_report()
    report.packages[0].results[0].path = "a  b\n.yaml"

    assert text(report, "text").startswith("a  b\\x0a.yaml:7:3: error: ")


def test_json() -> None:
    """The documented report; what is not known is absent."""
    data = json.loads(text(a_report(), "json"))

    assert (data["apiVersion"], data["kind"], data["written"]) == (API_VERSION, "Report", False)
    (package,) = data["packages"]
    assert package["results"] == [
        {
            "severity": "error",
            "rule": "bad-number",
            "message": "must be above 0, got -1",
            "path": "p/a b.yaml",
            "line": 7,
            "column": 3,
            "resource": RESOURCE,
            "field": "spec.n",
            "function": "example.dev/check:v1",
        }
    ]
    assert package["changes"] == [{"path": "p/a b.yaml", "action": "changed"}]


def test_sarif() -> None:
    """A rule, a level, a location whose address is encoded."""
    run = json.loads(text(a_report("info"), "sarif"))["runs"][0]
    (result,) = run["results"]

    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "bad-number"
    assert result["level"] == "note"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "p/a%20b.yaml"},
        "region": {"startLine": 7, "startColumn": 3},
    }


def test_junit() -> None:
    """A failure is one of its function's case, whatever signs the message has."""
    root = ET.fromstring(text(a_report(message='<a> & "b"\x00\nc'), "junit"))
    suite = root[0]

    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.get("message") == '<a> & "b"\ufffd\nc'


@pytest.mark.parametrize(
    ("severity", "level"), [("error", "error"), ("warning", "warning"), ("info", "notice")]
)
def test_github(severity: str, level: str) -> None:
    """A workflow command; what would end it is escaped."""
    assert text(a_report(severity, "50%\nof it"), "github") == (
        f"::{level} file=p/a b.yaml,line=7,col=3,title=bad-number::ConfigMap app spec.n: 50%25%0Aof it\n"
    )


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found(form: str) -> None:
    """No format fails on an empty report."""
    assert "Traceback" not in text(Report("render", [PackageReport("p")]), form)
    assert "Traceback" not in text(Report("render"), form)


def test_several_packages() -> None:
    """What changed or failed is listed, the rest is a number."""
    bad = PackageReport("b", failure="example.dev/check:v1 failed")
    report = Report("render", [*a_report("info").packages, bad, PackageReport("c")])

    found = text(report, "text").splitlines()

    assert found[0] == "p: 1 file changed"
    assert found[2] == "b: failed: example.dev/check:v1 failed"
    assert found[3] == "3 packages: 1 file changed in 1, 1 unchanged, 1 failed"


@pytest.mark.parametrize(
    ("report", "check", "code"),
    [
        pytest.param(Report("render", [PackageReport("p")]), True, 0, id="nothing changes"),
        pytest.param(a_report("info"), True, 2, id="something would change"),
        pytest.param(a_report("info"), False, 0, id="something changed"),
        pytest.param(a_report(), True, 1, id="an error counts more"),
        pytest.param(Report("render", [PackageReport("p", failure="x")]), False, 1, id="a failure"),
    ],
)
def test_exit_codes(report: Report, check: bool, code: int) -> None:
    """0, 1 for errors, 2 for changes that --check found."""
    report.check = check

    assert report.exit_code() == code


@pytest.mark.parametrize("form", ["sarif", "junit", "github"])
def test_what_check_finds(form: str) -> None:
    """A file that would change is a finding there, and no error of the run elsewhere."""
    report = a_report("info")
    report.check = True

    assert "krmkit render would leave this file changed" in text(report, form)
    assert report.exit_code() == 2


ODD = "a\x1b[2J\x9b1m\x07\tb"


def test_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    """No text of a package reaches a terminal or a log as a control character: annotations, errors, heads of diffs."""
    say("render", f"{ODD}\n  {ODD}")
    said = [capsys.readouterr().err, text(a_report(message=ODD), "github")]
    edits = [FileEdit(f"{ODD}.yaml", "a: 1\n", f"a: {ODD}\n")]
    said.append(diff(edits, colour=True).replace("\x1b[31m", "").replace("\x1b[32m", ""))
    said[-1] = said[-1].replace("\x1b[36m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
    said.append("".join(diff(edits).splitlines(keepends=True)[:2]))

    assert not [one for one in said if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", one)]
    assert f"+a: {ODD}\n" in diff(edits)  # for `patch`, where nobody asks for colours


def test_lines_that_are_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub reads a line of a log that begins with `::` as a command, also behind the space of a diff."""
    edits = [FileEdit("a.yaml", "a: 1\n::stop-commands::x\n", "a: 2\n::stop-commands::x\n")]
    for actions, form, free in ((True, "table", True), (True, "json", False), (False, "table", False)):
        monkeypatch.setenv("GITHUB_ACTIONS", "true" if actions else "")
        stream = io.StringIO()
        Terminal.of(Namespace(color="never", severity="info", quiet=False, format=form), stream).stream.write(
            diff(edits)
        )
        assert ("\n ::stop" not in stream.getvalue()) == free
