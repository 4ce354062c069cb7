"""`krmkit init` over several systems: the functions come in the order that works, and a render has nothing to say against it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from krmkit.cli import main

ORDER = [
    "apply-replacements",
    "apply-presets",
    "resolve-macros",
    "default-cluster-topology",
    "render-cluster-topology",
    "render-installation",
    "validate-pack-constraints",
    "validate-cluster-topology",
    "validate-installation",
    "validate-platform",
]


def test_the_order_over_all_systems(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pipeline of the example platform, made anew; a render finds no order that cannot work."""
    package = tmp_path / "plant"
    shutil.copytree(project / "examples/platform/blueprints/plant", package)
    (package / "Kptfile").unlink()

    assert main(["init", "--render", str(package)]) == 0

    pipeline = yaml.safe_load((package / "Kptfile").read_text("utf-8"))["pipeline"]
    functions = [*pipeline["mutators"], *pipeline["validators"]]
    assert [one["image"].rsplit("/", 1)[-1].partition(":")[0] for one in functions] == ORDER
    assert functions[0]["configPath"] == "bindings.yaml"
    capsys.readouterr()
    assert main(["render", str(package), "-f", "text"]) == 0
    assert "[order]" not in capsys.readouterr().out


def test_the_table_of_the_page(project: Path) -> None:
    """docs/platform.md has the same order."""
    page = (project / "docs/platform.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()]

    named = [name for row in rows for name in row.split("|")[2].replace(" ", "").split(",") if name in ORDER]
    assert named == ORDER


def test_one_system_needs_no_comparison(project: Path, tmp_path: Path) -> None:
    """validate-platform compares what two systems say."""
    package = tmp_path / "topology"
    shutil.copytree(
        project / "examples/edge-topology", package, ignore=shutil.ignore_patterns("Kptfile", "packs*")
    )
    for place in package.glob("*.yaml"):
        if "pack.json" in place.read_text("utf-8"):
            place.unlink()

    assert main(["init", "--render", str(package)]) == 0

    assert "validate-platform" not in (package / "Kptfile").read_text("utf-8")
