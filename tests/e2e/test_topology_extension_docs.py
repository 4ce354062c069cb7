"""The page about extensions does what it says."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.e2e.test_tutorial import ROOT, boxes, follow

PAGE = ROOT / "docs/topology-extensions.md"


def test_the_page_has_boxes() -> None:
    """Every box is found; only the one that installs, from the network, is left out."""
    found = boxes(PAGE)

    assert len(found) == PAGE.read_text("utf-8").count("```sh\n")
    assert sum(box.skipped for box in found) == 1
    assert sum(box.lasting for box in found) == 1


def test_the_page(tmp_path: Path) -> None:
    """From an inline patch to an extension that is rendered, tested and served, on ports that are free."""
    ports = {}
    for default in ("9443", "8080"):
        with socket.create_server(("127.0.0.1", 0)) as free:
            ports[default] = str(free.getsockname()[1])

    assert follow(tmp_path, kpt=False, page=PAGE, instead=ports) == 5
