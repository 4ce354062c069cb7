"""A report on a thousand packages, made of one on a single package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from krmkit.cli import main

ROOT = Path(__file__).resolve().parents[2]


def sample(folder: Path) -> str:
    """The report of the example of an edge cluster, with diffs as a report on many packages has them."""
    import shutil

    tree = folder / "tree"
    for name in ("a", "b"):
        shutil.copytree(ROOT / "examples/edge-cluster-profile", tree / name)
    place = folder / "sample.json"
    assert main(["report", str(tree), "-o", str(place)]) == 0
    return place.read_text("utf-8")


def thousand(report: dict[str, Any], count: int = 1000) -> dict[str, Any]:
    """The report with its first package under `count` names."""
    one = report["packages"][0]
    return {**report, "packages": [{**one, "path": f"fleet/package-{number:04}"} for number in range(count)]}
