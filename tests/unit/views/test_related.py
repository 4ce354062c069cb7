"""Places that belong to a finding are shown in every format that has a place for them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.views.sarifschema import problems

CASES = [
    ("validate-cluster-topology/violations", "invalid-variable", "the definition of the variable", "- name: region"),
    ("validate-pack-constraints/violations", "readonly", "the constraint", "mtu:"),
    ("apply-presets/unknown-preset", "unknown-preset", "the presets of the pack", "presets:"),
    ("apply-presets/unknown-preset", "group-conflict", 'the preset "one"', "- name: one"),
    ("validate-platform/apart", "pack-variable", "the pack", "apiVersion: v1"),
]  # fmt: skip


def said(capsys: pytest.CaptureFixture[str], package: str, form: str) -> str:
    capsys.readouterr()
    main(["check", package, "-f", form])
    return capsys.readouterr().out


@pytest.mark.parametrize(("example", "rule", "message", "line"), CASES)
def test_formats(
    example: str, rule: str, message: str, line: str, project: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The line of a related place is the one that its message is about, and each format names it."""
    shutil.copytree(project / "functions" / example.replace("/", "/examples/"), tmp_path / "p")
    monkeypatch.chdir(tmp_path)
    report = json.loads(said(capsys, "p", "json"))
    [one, *_] = [one for each in report["packages"] for one in each["results"] if one["rule"] == rule]
    [place] = [place for place in one["related"] if place["message"] == message]
    assert (tmp_path / place["path"]).read_text().split("\n")[place["line"] - 1].strip() == line

    shown = f"{place['path']}:{place['line']}:{place['column']}"
    assert f"{shown}: note: {message}\n" in said(capsys, "p", "text")
    assert f"{message}: {shown}" in said(capsys, "p", "table")
    assert f"{message}: {shown}" in said(capsys, "p", "github")
    log = json.loads(said(capsys, "p", "sarif"))
    assert problems(log) == []
    [result, *_] = [each for each in log["runs"][0]["results"] if each["ruleId"] == rule]
    regions = [each["physicalLocation"]["region"]["startLine"] for each in result["relatedLocations"]]
    assert place["line"] in regions


TWICE = """apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: one
spec:
  topology: {classRef: {name: a}, version: v1.33.1}
"""


def test_duplicates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second object names the file and the line of the first."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  validators:\n"
        "  - image: ghcr.io/krmkit/validate-cluster-topology:v0.1.0\n"
    )
    (tmp_path / "a.yaml").write_text(f"# first\n{TWICE}")
    (tmp_path / "b.yaml").write_text(TWICE)
    monkeypatch.chdir(tmp_path)

    text = said(capsys, ".", "text")
    assert "b.yaml:1:1: error: Cluster default/one is among the items twice" in text
    assert "\na.yaml:5:3: note: the first one\n" in text


@pytest.mark.parametrize("tag", ["no json", "[1]", '{"a": 1}', '[{"path": "absent.yaml", "message": "x"}]'])
def test_tags_of_others(tag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A tag that another program writes in its own form is passed over."""
    result = {"message": "m", "severity": "error", "tags": {"rule": "r", "related": tag}}
    program = tmp_path / "own.py"
    program.write_text(
        f"import sys\nprint(sys.stdin.read().rstrip() + {json.dumps(chr(10) + 'results: [' + json.dumps(result) + ']')})\n"
        "sys.exit(1)\n"
    )
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  validators:\n"
        f"  - exec: python3 {program}\n"
    )

    assert main(["render", str(tmp_path), "--allow-exec", "-f", "json"]) == 1
    out = capsys.readouterr().out
    [found, *_] = [one for one in json.loads(out)["packages"][0]["results"] if one["rule"] == "r"]
    assert "related" not in found
