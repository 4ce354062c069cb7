"""SARIF and JUnit of real runs are what their readers demand."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from krmkit.cli import main
from tests.unit.views.sarifschema import problems

# (words of the command, whether any result is expected)
RUNS = [
    pytest.param(["render", "-r", "functions", "--check", "--explain"], True, id="all examples"),
    pytest.param(["render", "examples/edge-cluster-profile", "--check"], True, id="one package"),
    pytest.param(["render", "nowhere"], False, id="no package"),
    pytest.param(["render", "functions/apply-presets/examples/basic", "--dry-run"], False, id="no change"),
]


@pytest.mark.parametrize(("words", "results"), RUNS)
def test_sarif(
    project: Path,
    words: list[str],
    results: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No property that the standard does not know, none of a wrong type, every index right."""
    monkeypatch.chdir(project)

    main([*words, "--jobs", "1", "-f", "sarif"] if "-r" in words else [*words, "-f", "sarif"])

    log = json.loads(capsys.readouterr().out)
    assert problems(log) == []
    assert bool(log["runs"][0]["results"]) >= results
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        said = rule["shortDescription"]["text"], rule["fullDescription"]["text"], rule["help"]["text"]
        assert all(len(text) > 10 and text[0] != " " for text in said), rule
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")


def _no_text(run: Any) -> None:
    run["results"][0]["message"] = {}


def _no_such_level(run: Any) -> None:
    run["results"][0]["level"] = "info"


def _no_such_property(run: Any) -> None:
    run["results"][0]["severity"] = "error"


def _line_zero(run: Any) -> None:
    run["results"][0]["locations"][0]["physicalLocation"]["region"] = {"startLine": 0}


def _blank_in_a_uri(run: Any) -> None:
    run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b"


def _rule_out_of_range(run: Any) -> None:
    run["results"][0]["ruleIndex"] = 99


BREAKS = [_no_text, _no_such_level, _no_such_property, _line_zero, _blank_in_a_uri, _rule_out_of_range]


@pytest.mark.parametrize("damage", BREAKS)
def test_the_schema_refuses(
    project: Path,
    damage: Callable[[Any], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A log with one mistake is found out."""
    monkeypatch.chdir(project)
    main(["render", "examples/edge-cluster-profile", "--check", "-f", "sarif"])
    log = json.loads(capsys.readouterr().out)
    broken = copy.deepcopy(log)
    damage(broken["runs"][0])

    assert problems(log) == []
    assert problems(broken)


def test_junit(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As the schema of Jenkins' JUnit plugin has it: these elements in this order, these attributes, and right counts."""
    monkeypatch.chdir(project)
    main(["render", "-r", "functions", "--jobs", "1", "--check", "-f", "junit"])
    root = ET.fromstring(capsys.readouterr().out)

    assert root.tag == "testsuites"
    assert len(root) > 20
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == {"name", "tests", "failures", "errors", "time"}
        assert int(suite.attrib["tests"]) == len(suite)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert float(suite.attrib["time"]) >= 0
        for case in suite:
            assert (case.tag, set(case.attrib)) == ("testcase", {"classname", "name", "time"})
            tags = [element.tag for element in case]
            assert tags == [tag for tag in ("failure", "system-out") if tag in tags]
            for failure in case.findall("failure"):
                assert {"message"} <= set(failure.attrib) <= {"message", "type"}
