"""docs/clusterapi.md does what it says: its boxes are run as those of the tutorial are."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_tutorial import ROOT, boxes, follow

PAGE = ROOT / "docs/clusterapi.md"


def test_the_page_has_boxes() -> None:
    """What is found is what a reader sees: plans with changes, one that is refused, one installation."""
    found = boxes(PAGE)

    assert len(found) == PAGE.read_text("utf-8").count("```sh\n")
    assert [box.exit_code for box in found].count(2) >= 2
    assert [box.exit_code for box in found].count(1) == 1
    assert sum(box.skipped for box in found) == 5


def test_the_page(tmp_path: Path) -> None:
    """Every box does what the page shows, without a cluster."""
    assert follow(tmp_path, kpt=False, page=PAGE) >= 6
