"""Every flag of every command has an effect: its command reads it."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.cli.completion import whole
from krmkit.views.terminal import Terminal
from tests.unit.cli import fleets
from tests.unit.cli.test_pkg import KPTFILE as SHOP
from tests.unit.cli.test_pkg import Upstream

# Names of what argparse returns.
OPTIONS = ("arguments", "options", "given", "args", "flags")
ASKING = ("get", "getattr", "pop")
# Modules beside the commands' own that get what argparse returns.
READERS = (
    "krmkit.cli",
    "krmkit.fleet.build",
    "krmkit.render.resolve",
    "krmkit.services",
    "krmkit.views.terminal",
)


def leaves(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every command with its parser."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    for action in below:
        for name, one in action.choices.items():
            yield from leaves(one, (*words, name))
    if not below:
        yield words, parser


LEAVES = dict(leaves(whole(COMMANDS)))


def flags(parser: argparse.ArgumentParser) -> set[str]:
    return {action.dest for action in parser._actions if action.option_strings and action.dest != "help"}


def tree(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    return ast.parse(Path(spec.origin).read_text("utf-8"))


def trees(module: str) -> list[ast.Module]:
    """A command's module, and those it imports that read what argparse returns."""
    found: dict[str, ast.Module] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = tree(name)
            imports = [one for one in ast.walk(found[name]) if isinstance(one, ast.ImportFrom)]
            waiting += [one.module for one in imports if one.module and one.module.startswith(READERS)]
    return [*found.values()]


def names(nodes: list[ast.expr]) -> Iterator[str]:
    """The texts among some nodes."""
    yield from (one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str))


def read(node: ast.AST) -> Iterator[str]:
    """The options that a piece of code reads: attributes, and names in quotes that it asks for or goes through."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("add_"):
        return
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        holder = getattr(node.value, "id", getattr(node.value, "attr", ""))
        if holder in OPTIONS:
            yield node.attr
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in ASKING:
        yield from names(node.args)
    if isinstance(node, ast.Subscript):
        yield from names([node.slice])
    if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Tuple):
        yield from names(node.iter.elts)
    if isinstance(node, ast.ClassDef) and "fields(cls)" in ast.unparse(node):
        # A dataclass whose fields are flags, which it takes by their names.
        yield from (
            one.target.id
            for one in node.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        )
    for child in ast.iter_child_nodes(node):
        yield from read(child)


@pytest.mark.parametrize("words", [words for words, parser in LEAVES.items() if flags(parser)], ids=" ".join)
def test_a_flag_is_read(words: tuple[str, ...]) -> None:
    """The command's module, or one that it hands its arguments to, reads each flag."""
    asked = {name for one in trees(COMMANDS[words[0]][0]) for name in read(one)}

    assert sorted(flags(LEAVES[words]) - asked) == []


def test_a_flag_that_nobody_reads_is_seen() -> None:
    """Neither its definition, nor a text of the same word, reads it."""
    code = "parser.add_argument('--lost')\nprint('lost', other.lost)\noptions.lost = 1\n"
    assert "lost" not in {*read(ast.parse(code))}
    for reading in (
        "options.lost",
        "getattr(options, 'lost')",
        "given['lost']",
        "[given(one) for one in ('lost',)]",
    ):
        assert "lost" in {*read(ast.parse(reading))}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the commands work on: a package, a fleet, a pack, a component, and a package with an upstream."""
    fleets.folders(tmp_path)
    monkeypatch.chdir(tmp_path)
    upstream = Upstream(tmp_path / "upstream")
    upstream.release("v1", {"Kptfile": SHOP, "a.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: a}\n"})
    upstream.release("v2", {"b.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: b}\n"})
    assert main(["pkg", "get", f"{upstream.folder}/shop@v1", "shop"]) == 0
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/pack.json").write_text('{"name": "p", "version": "1.0.0", "layer": "addon"}', "utf-8")
    assert main(["pack", "import", "pack", "-o", "shop"]) == 0
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites/all.yaml").write_text(
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c}\n---\n"
        "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Installation\nmetadata: {name: i, namespace: n}\n",
        "utf-8",
    )
    (tmp_path / "list.yaml").write_text(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
        "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {namespace: x}}\n",
        "utf-8",
    )
    (tmp_path / "constructor.yaml").write_text(
        "components:\n- name: example.dev/c\n  version: 1.0.0\n  provider: {name: example.dev}\n", "utf-8"
    )
    return tmp_path


TREE = "--packages packages --objects objects"
CALLS = {
    ("render",): "render shop --dry-run",
    ("check",): "check shop",
    ("run",): "run set-namespace list.yaml --format text",
    ("pack", "import"): "pack import pack -o packs",
    ("pack", "export"): "pack export shop -o packs",
    ("pack", "check"): "pack check pack",
    ("pkg", "get"): "pkg get upstream/shop@v1 another",
    ("pkg", "diff"): "pkg diff shop@v2",
    ("pkg", "update"): "pkg update shop@v2 --dry-run",
    ("topology", "plan"): "topology plan sites --against sites",
    ("variants", "render"): f"variants render set.yaml {TREE} -o out",
    ("variants", "sync"): "variants sync set.yaml --objects objects --dry-run",
    ("variants", "status"): "variants status set.yaml --objects objects",
    ("landscaper", "import"): "landscaper import constructor.yaml -o component",
    ("landscaper", "reconcile"): "landscaper reconcile sites",
}


@pytest.mark.parametrize("flag", ["severity", "quiet"])
def test_what_is_shown_depends_on_the_flag(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    """A command with --severity or --quiet asks the terminal for it when it shows what it did; others refuse the flag."""
    asked: set[str] = set()

    def spy(terminal: Terminal, name: str) -> object:
        asked.add(name)
        return object.__getattribute__(terminal, name)

    monkeypatch.setattr(Terminal, "__getattribute__", spy)
    having = {words for words, parser in LEAVES.items() if flag in flags(parser)}
    unread = []
    for words in sorted(having):
        asked.clear()
        code = main(CALLS[words].split())
        said = capsys.readouterr()
        if {"severity": "least", "quiet": "quiet"}[flag] not in asked:
            unread.append(f"{' '.join(words)}: {code} {said.err}")
    assert unread == []
    assert set(CALLS) >= having


@pytest.mark.parametrize(
    "call",
    [
        "why shop -q",
        "list --severity error",
        "pack show pack -q",
        "pack import pack -o x --severity error",
        "landscaper explain shop x -q",
        "landscaper graph shop --quiet",
    ],
)
def test_a_flag_without_effect_is_refused(place: Path, capsys: pytest.CaptureFixture[str], call: str) -> None:
    """Where there is nothing that it could leave out."""
    with pytest.raises(SystemExit):
        main(call.split())

    assert "unknown flag" in capsys.readouterr().err


def test_variants_in_a_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was done is left out with --quiet, and not what failed."""
    capsys.readouterr()
    assert fleets.render(place, "--dry-run", "-q") == 0
    assert capsys.readouterr().out == ""
    (place / "packages/bp/shop/Kptfile").write_text(f"{fleets.KPTFILE}pipeline: 5\n", "utf-8")
    assert fleets.render(place, "--dry-run", "-q") == 1
    assert capsys.readouterr().out.startswith("VARIANT")
