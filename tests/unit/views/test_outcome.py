"""Commands that render nothing speak in the same formats as those that do."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.render.findings.model import API_VERSION, PackageReport, Report, Result
from krmkit.views.formats import FORMATS
from krmkit.views.outcome import Told
from krmkit.views.terminal import Terminal
from tests.unit.views.sarifschema import problems

# Commands whose output is a text in itself: a script, a page of help, a document, a server's log.
TEXTS = {
    *(
        "doc",
        "version",
        "completion",
        "schema",
        "explain",
        "init",
        "new function",
        "spiff merge",
        "spiff",
        "clusterctl generate",
        "clusterctl migrate",
    ),
    *("link", "serve", "serve topology-extension", "topology check-extension", "topology explain", "preview"),
}


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser, commands of commands too."""
    for name, (module, _) in COMMANDS.items():
        make = import_module(module).parser
        yield from below(name, make(name) if signature(make).parameters else make())


def below(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for action in inner:
        for word, one in action.choices.items():
            yield from below(f"{name} {word}", one)
    if not inner:
        yield name, parser


def test_every_command_has_formats() -> None:
    """--format, short -f, and --color; -o is a place everywhere."""
    missing = {
        name
        for name, parser in parsers()
        if not {"-f", "--format", "--color"} <= set(parser._option_string_actions)
    }

    assert missing <= TEXTS, missing - TEXTS
    for name, parser in parsers():
        if "-o" in parser._option_string_actions:
            assert parser._option_string_actions["-o"].dest in {"output", "out"}, name


@pytest.fixture
def told() -> Told:
    package = PackageReport("p", results=[Result("warning", "odd", "is odd", "p/a.yaml", 3)])
    return Told(Report("try", [package]), "Things", {"things": [1]}, "THE TABLE\n", "1 thing")


def shown(told: Told, form: str) -> str:
    return told.shown(form, Terminal(io.StringIO(), "never"))


def test_forms(told: Told) -> None:
    """People get the command's own table or lines, programs the same data as of any report."""
    assert shown(told, "table") == "THE TABLE\n\n1 thing\n"
    assert shown(told, "text") == "p/a.yaml:3:1: warning: is odd [odd]\n1 thing\n"
    data = json.loads(shown(told, "json"))
    assert (data["apiVersion"], data["kind"], data["things"]) == (API_VERSION, "Things", [1])
    assert [result["rule"] for result in data["results"]] == ["odd"]
    assert problems(json.loads(shown(told, "sarif"))) == []
    assert ET.fromstring(shown(told, "junit"))[0].get("failures") == "0"
    assert shown(told, "github").startswith("::warning file=p/a.yaml,line=3")


QUICK = "functions/render-cluster-topology/examples/quick-start"
SHOP = "functions/render-installation/examples"
CALLS = [
    pytest.param(["pack", "import", "docs/tutorial/packs/edge-kube", "--out", "OUT"], "WrittenPacks", id="import"),
    pytest.param(["topology", "plan", QUICK, "--against", QUICK], "TopologyPlan", id="plan"),
    pytest.param(["landscaper", "graph", SHOP], "InstallationGraph", id="graph"),
    pytest.param(["landscaper", "reconcile", SHOP], "ReconcilePlan", id="reconcile"),
    pytest.param(["list"], "Functions", id="list"),
    pytest.param(["pack", "show", "docs/tutorial/packs/edge-kube"], "Packs", id="show"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "kind"), CALLS)
def test_json_of_commands(
    words: list[str],
    kind: str,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An object of the report's version, with a kind of its own."""
    monkeypatch.chdir(project)
    words = [str(tmp_path / "p") if word == "OUT" else word for word in words]
    if words[2:3] == [SHOP]:
        words[2] = str(next((project / SHOP).iterdir()))

    assert main([*words, "-f", "json"]) in (0, 1, 2)

    data = json.loads(capsys.readouterr().out)
    assert (data["apiVersion"], data["kind"]) == (API_VERSION, kind)


@pytest.mark.parametrize("form", FORMATS)
def test_all_forms_of_a_plan(
    form: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each form of a command with several says something, or nothing where there is no result."""
    monkeypatch.chdir(project)

    main(["topology", "plan", QUICK, "--against", QUICK, "-f", form])

    out = capsys.readouterr().out
    if form == "sarif":
        assert problems(json.loads(out)) == []
    elif form == "junit":
        assert ET.fromstring(out).tag == "testsuites"
    else:
        assert bool(out) == (form != "github")
