"""krmkit.render.pipeline: all configs are checked before the first function runs."""

from __future__ import annotations

from pathlib import Path

from krmkit.fn.config import Config
from krmkit.fn.results import Results
from krmkit.krm.resourcelist import ResourceList
from tests.unit.render.rendering import kptfile, rendered


def bad(name: str, more: str = "") -> str:
    return f"apiVersion: krmkit.dev/v1alpha1\nkind: Tset\nmetadata: {{name: {name}{more}}}\n"


def test_all_configs_are_checked_first(tmp_path: Path) -> None:
    """Every config that is not right is reported, of subpackages too, and no function has run."""
    files = {
        "Kptfile": kptfile("fn", "fn\nconfigPath: a.yaml", validators=("fn\nconfigPath: b.yaml",)),
        "a.yaml": bad("a"),
        "b.yaml": bad("b"),
        "sub/Kptfile": kptfile("fn\nconfigPath: c.yaml", "fn"),
        "sub/c.yaml": bad("c"),
    }
    seen: list[str] = []

    def watching(resources: ResourceList, config: Config, results: Results) -> None:
        seen.append(config.name)

    rendering = rendered(tmp_path, files, fn=watching)

    assert not seen
    assert [(run.package, run.results[0]["file"]) for run in rendering.runs] == [
        ("sub", {"path": "c.yaml", "index": 0}),
        ("", {"path": "a.yaml", "index": 0}),
        ("", {"path": "b.yaml", "index": 0}),
    ]
    assert [run.exit_code for run in rendering.runs] == [1, 1, 1]
    assert rendering.failure.startswith("no function ran, because the config of ")
    assert not rendering.changes


def test_config_that_may_still_change(tmp_path: Path) -> None:
    """What holds macros is checked when its function runs."""
    files = {
        "Kptfile": kptfile("fn", "fn\nconfigPath: a.yaml"),
        "a.yaml": bad("a", ", annotations: {x: '{{ .spectro.var.x }}'}"),
    }
    seen: list[str] = []

    def watching(resources: ResourceList, config: Config, results: Results) -> None:
        seen.append(config.name)

    rendering = rendered(tmp_path, files, fn=watching)

    assert seen == [""]
    assert [run.exit_code for run in rendering.runs] == [0, 1]


def test_config_that_another_program_may_change(tmp_path: Path) -> None:
    """A config that a program in front of its function may rewrite is checked when that function runs."""
    files = {
        "Kptfile": kptfile("fn\nconfigPath: a.yaml").replace("  - image", "  - exec: cat\n  - image"),
        "a.yaml": bad("a"),
    }

    rendering = rendered(tmp_path, files, allow_exec=True, fn=lambda *_: None)

    assert [run.exit_code for run in rendering.runs] == [0, 1]
    assert "no function ran" not in rendering.failure
