"""`.krmkit.yaml`, and the flags that every command that reads packages has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.cli.test_flags import LEAVES, flags

PACKAGE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: p}
pipeline:
  mutators:
  - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.0
    configMap: {app: shop}
  validators:
  - image: registry.invalid/foreign:v1
"""
ITEM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  n: '1'\n"
HEAD = "apiVersion: krmkit.dev/v1alpha1\nkind: Settings\nspec:\n"
# Commands that run pipelines, and those that read many packages.
RUNNING = [("render",), ("check",), ("report",), ("why",), ("preview",), ("list",), ("variants", "render"), ("variants", "sync"), ("variants", "status")]  # fmt: skip
MANY = [("render",), ("check",), ("report",), ("topology", "plan"), ("landscaper", "graph"), ("landscaper", "explain"), ("landscaper", "reconcile")]  # fmt: skip
COMPARING = [("check",), ("report",), ("topology", "plan")]
SHOWING = {"format", "color"}


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (RUNNING, {"functions", "skip", "only", "limit", "crds", "containers", "in_process", "strict", "allow_exec", "allow_network", "timeout"}),
        (MANY, {"exclude", "since", "jobs", *SHOWING}),
        (COMPARING, {"against"}),
        ([one for one in (*RUNNING, *MANY) if one != ("preview",)], SHOWING),
    ],
)  # fmt: skip
def test_the_same_flags(commands: list[tuple[str, ...]], names: set[str]) -> None:
    """Commands of one kind have the same flags."""
    assert {
        words: sorted(names - flags(LEAVES[words])) for words in commands if names - flags(LEAVES[words])
    } == {}


def test_every_command_with_formats_offers_the_same(project: Path) -> None:
    """A format of results is one of a short list, wherever --format is."""
    known = {
        "table",
        "text",
        "json",
        "sarif",
        "junit",
        "github",
        "gitlab",
        "markdown",
        "html",
        "yaml",
        "diff",
        "dot",
        "mermaid",
    }
    for words, parser in LEAVES.items():
        for action in parser._actions:
            if "--format" in action.option_strings and action.choices is not None:
                assert set(action.choices) <= known, words
                assert "json" in action.choices or words[0] in ("spiff", "schema"), words


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one package, whose pipeline has a function that cannot run here."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "sites/p").mkdir(parents=True)
    (tmp_path / "sites/p/Kptfile").write_text(PACKAGE)
    (tmp_path / "sites/p/a.yaml").write_text(ITEM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # no container runtime
    return tmp_path


READING = [
    "render sites/p --dry-run",
    "render -r sites --check",
    "report sites/p -f json",
    "why sites/p ConfigMap/a",
]


@pytest.mark.parametrize("words", READING)
def test_skip_everywhere(tree: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    """Without --skip the error names it; with the flag, or with the repository's settings, the rest runs."""
    assert main(words.split()) == 1
    said = capsys.readouterr()
    assert "--skip foreign" in said.out + said.err

    code = 2 if "--check" in words else 0
    assert main([*words.split(), "--skip", "foreign"]) == code
    capsys.readouterr()

    (tree / ".krmkit.yaml").write_text(HEAD + "  skip: [foreign, not-in-this-package]\n")
    assert main(words.split()) == code
    capsys.readouterr()
    assert main([*words.split(), "--skip", "set-labels"]) == 1  # the flag overrides


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "  skp: [a]\n", 'spec.skp: unknown field "skp"; did you mean "skip"?'),
        (HEAD + "  skip: a\n", "spec.skip"),
        (HEAD + "  containers: [foreign]\n", "a repository cannot grant itself programs; give --containers"),
        (HEAD + "  allowedPrograms: [x]\n", "a repository cannot grant itself programs; give --allow-exec"),
        (
            "apiVersion: v1\nkind: Settings\n",
            "must be of the kind Settings of krmkit.dev/v1alpha1, got Settings of v1",
        ),
        ("spec: [\n", "line"),
    ],
)
def test_settings_that_are_wrong(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    """One line names the file, the field and the remedy."""
    (tree / ".krmkit.yaml").write_text(text)

    assert main(["render", "sites/p", "--dry-run"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("krmkit render: .krmkit.yaml: ") and said in error and error.count("\n") == 1


def test_settings_end_at_the_repository(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a folder around the repository do not hold."""
    (tree / "sites/.git").mkdir()
    (tree / ".krmkit.yaml").write_text(HEAD + "  skip: [foreign]\n")

    assert main(["render", "sites/p", "--dry-run"]) == 1


def test_what_settings_set(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Limits, severity and excluded folders are those of the flags."""
    (tree / ".krmkit.yaml").write_text(
        HEAD + "  skip: [foreign]\n  severity: error\n  exclude: [q]\n  limits: {items: '1'}\n"
    )
    (tree / "sites/q").mkdir()
    (tree / "sites/q/Kptfile").write_text(PACKAGE)

    assert main(["report", "sites", "-f", "json"]) == 1
    [package] = json.loads(capsys.readouterr().out)["packages"]
    assert "the number of resources in the package" in str(package)
    assert main(["render", "sites/p", "--dry-run", "--limit", "items=9"]) == 0
    assert "info" not in capsys.readouterr().out


def test_settings_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """Their schema is there for editors and for people."""
    assert main(["explain", "Settings.spec.skip"]) == 0
    assert "as --skip" in capsys.readouterr().out
    assert main(["schema", "Settings"]) == 0
    assert "inProcess" in json.loads(capsys.readouterr().out)["properties"]["spec"]["properties"]
