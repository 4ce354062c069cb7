"""docs/profiles.md does what it says."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_tutorial import ROOT, follow


def test_the_page(tmp_path: Path) -> None:
    """A profile goes in, is edited, upgraded by one pack and rendered, and comes out with the changes that were asked."""
    assert follow(tmp_path, kpt=False, page=ROOT / "docs/profiles.md") >= 4
