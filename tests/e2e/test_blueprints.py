"""The packages in examples/everyday: pipelines as Nephio's and Google's blueprints have them, with every everyday function."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from krmkit.cli import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted((ROOT / "examples/everyday").iterdir())


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_blueprint_renders_as_expected(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The diff is the one beside it (`krmkit render PKG --diff -q`), and a second run changes nothing."""
    pytest.importorskip("starlark")
    copy = tmp_path / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns(".expected"))

    assert main(["render", str(copy), "--diff", "--write", "-q"]) == 0
    first = capsys.readouterr().out
    assert main(["render", str(copy), "--diff", "-q"]) == 0

    assert first == (package / ".expected/diff.patch").read_text("utf-8")
    assert capsys.readouterr().out == ""


def test_every_everyday_function_is_in_a_blueprint() -> None:
    """kpt's own functions and the two validators."""
    steps = [
        step["image"]
        for package in PACKAGES
        for part in yaml.safe_load((package / "Kptfile").read_text("utf-8"))["pipeline"].values()
        for step in part
    ]
    named = {image.rpartition("/")[2].partition(":")[0] for image in steps}
    known = {
        path.parent.name
        for path in ROOT.glob("functions/*/function.yaml")
        if "fn.kpt.dev" in path.read_text("utf-8")
    }

    assert named == known
    assert len(PACKAGES) == 5
