"""Packages of managed topologies, rendered in place: twice equals once, and machine pools are read from what was rendered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from krmkit.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "functions/render-cluster-topology/examples"
PACKAGES = {
    path.name: path
    for path in sorted(EXAMPLES.iterdir())
    if path.is_dir() and path.name != "missing-template"
} | {"edge-topology": ROOT / "examples/edge-topology"}


def copied(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / name
    shutil.copytree(PACKAGES[name], folder, ignore=shutil.ignore_patterns(".expected"))
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_a_second_render_changes_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sources stay byte for byte, generated files are there, and the second run says that all is unchanged."""
    folder = copied(name, tmp_path)
    before = texts(folder)

    assert main(["render", str(folder)]) == 0
    first = texts(folder)
    capsys.readouterr()
    assert main(["render", str(folder)]) == 0
    said = capsys.readouterr()

    assert {path: first[path] for path in before} == before
    assert [path for path in first if path.startswith("topology/")]
    assert texts(folder) == first
    assert " 0 new, 0 changed, " in said.out + said.err
    assert ", 0 removed" in said.out + said.err


def test_pools_come_from_rendered_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The class makes large machines, and the pack fits; of small ones it asks too much, and nothing is written."""
    folder = copied("edge-topology", tmp_path)
    cluster = folder / "cluster.yaml"

    assert main(["render", str(folder)]) == 0
    fits = capsys.readouterr()
    before = texts(folder)
    cluster.write_text(before["cluster.yaml"].replace("value: large", "value: small"), "utf-8")
    assert main(["render", str(folder)]) == 1
    refused = capsys.readouterr()

    assert "the pool line: cpu 6000m required, 16000m available" in fits.out + fits.err
    assert "the pool line has 4000m of cpu, and the packs need 6000m" in refused.out + refused.err
    assert {**texts(folder), "cluster.yaml": ""} == {**before, "cluster.yaml": ""}
