"""The formats that a pull request shows: markdown for comments and job summaries, GitLab's Code Quality."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.render.findings.model import CHANGED, FileChange, PackageReport, Report, Result
from krmkit.views.formats import shown
from krmkit.views.markdown import MOST
from krmkit.views.terminal import Terminal


def text(report: Report, form: str) -> str:
    return shown(report, form, Terminal(io.StringIO(), "never"))


def a_report(*results: Result, **fields: object) -> Report:
    package = PackageReport("p", results=list(results))
    for name, value in fields.items():
        setattr(package, name, value)
    return Report("render", [package], written=False)


def test_markdown() -> None:
    """Totals, a row for each finding with errors first, the files, and the diff folded."""
    report = a_report(
        Result("info", "note", "fine", "p/a.yaml", 1),
        Result(
            "error", "bad", "must be above 0", "p/a.yaml", 7, 3, {"kind": "ConfigMap", "name": "a"}, "data.n"
        ),
        changes=[FileChange("p/a.yaml", CHANGED)],
        diff="-a\n+b\n",
    )

    out = text(report, "markdown")

    assert out.startswith("### krmkit render\n\n1 package: ")
    assert out.index("must be above 0") < out.index("| fine |")
    assert "| :x: | `p/a.yaml:7:3` ConfigMap a data.n | bad | must be above 0 |\n" in out
    assert "<details><summary>p: 1 file would change</summary>\n\n- `p/a.yaml` changed\n" in out
    assert "```diff\n-a\n+b\n```\n" in out


def test_hostile_names() -> None:
    """No name or value breaks out of its cell, its fence or its fold, nor calls a person."""
    message = "<img src=x> | [x](http://x) @somebody `a` \n# head"
    out = text(a_report(Result("error", "r", message, "a`|b.yaml", 1), diff="+```\n+<b>\n"), "markdown")

    row = next(line for line in out.splitlines() if ":x:" in line)
    assert "<img" not in row
    assert "@" not in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "````diff\n+```\n+<b>\n````" in out


def test_at_most() -> None:
    """What is too long for a comment is cut between rows, and the last line says how much."""
    found = [
        Result("warning", "r", f"number {number} " + "x" * 100, "p/a.yaml", number)
        for number in range(1, 2000)
    ]
    out = text(a_report(*found), "markdown")

    assert len(out) <= MOST
    assert re.search(
        r"_1,?[0-9]+ parts of 2,?[0-9]+ left out: the whole is longer than 65,000 characters\._\n$", out
    )
    assert out.rstrip().splitlines()[-3].endswith("|")


def test_machines_that_roll() -> None:
    """Each group, with its reasons."""
    cluster = {"name": "north", "rolls": [{"group": "MachineDeployment line", "reasons": ["version"]}]}
    assert "- Cluster `north`, MachineDeployment line: version\n" in text(
        a_report(topology={"clusters": [cluster]}), "markdown"
    )


def test_gitlab() -> None:
    """The fields that GitLab asks for; a fingerprint is of the finding and not of its line."""
    one = Result("error", "bad", "must be above 0", "p/a.yaml", 7)
    moved = Result("error", "bad", "must be above 0", "p/a.yaml", 9)

    (issue,) = json.loads(text(a_report(one), "gitlab"))
    assert issue["severity"] == "major"
    assert issue["location"] == {"path": "p/a.yaml", "lines": {"begin": 7}}
    assert (issue["check_name"], issue["description"]) == ("bad", "must be above 0")
    assert json.loads(text(a_report(moved), "gitlab"))[0]["fingerprint"] == issue["fingerprint"]
    both = json.loads(text(a_report(one, moved), "gitlab"))
    assert both[0]["fingerprint"] != both[1]["fingerprint"]


def test_gitlab_without_a_place() -> None:
    """GitLab refuses an issue without a path: the package's Kptfile has it."""
    (issue,) = json.loads(text(a_report(failure="cannot be read"), "gitlab"))
    assert issue["location"] == {"path": "p/Kptfile", "lines": {"begin": 1}}


@pytest.mark.parametrize("words", [["p"], ["-r", "."]], ids=["one", "many"])
def test_the_diff_is_on_the_page(
    tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--diff -f markdown` shows it there, without colours, and not on stderr."""
    monkeypatch.chdir(tmp_path)
    Path("p").mkdir()
    Path("p/Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/set-namespace\n    configMap: {namespace: shop}\n"
    )
    Path("p/a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")

    assert main(["render", *words, "--diff", "-f", "markdown", "--color", "always"]) == 0
    said = capsys.readouterr()
    assert "+  namespace: shop\n" in said.out
    assert "\x1b" not in said.out
    assert said.err == ""
