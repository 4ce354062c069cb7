"""docs/packs.md does what it says."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_tutorial import ROOT, follow


def test_the_page(tmp_path: Path) -> None:
    """Imports merge, a conflict is named, and another version takes the place of the old one."""
    assert follow(tmp_path, kpt=False, page=ROOT / "docs/packs.md") >= 3
