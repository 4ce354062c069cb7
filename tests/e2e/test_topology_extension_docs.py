"""The page about extensions does what it says."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_tutorial import ROOT, boxes, follow

PAGE = ROOT / "docs/topology-extensions.md"


def test_the_page_has_boxes() -> None:
    """Every box is found; only those that install or serve are left out."""
    found = boxes(PAGE)

    assert len(found) == PAGE.read_text("utf-8").count("```sh\n")
    assert sum(box.skipped for box in found) == 3


def test_the_page(tmp_path: Path) -> None:
    """From an inline patch to an extension that is rendered and tested."""
    assert follow(tmp_path, kpt=False, page=PAGE) == 4
