"""docs/fleet.md does what it says: its boxes are run one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_tutorial import follow


def test_fleet_page(tmp_path: Path, project: Path) -> None:
    """Every box of the page prints what the page shows."""
    assert follow(tmp_path, kpt=False, page=project / "docs/fleet.md") == 8
