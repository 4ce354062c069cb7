"""The page about extensions does what it says."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.e2e.test_tutorial import ROOT, boxes, follow

PAGE = ROOT / "docs/topology-extensions.md"


def test_the_page_has_boxes() -> None:
    """Every box is found; only the one that installs, from the network, is left out."""
    found = boxes(PAGE)

    assert len(found) == PAGE.read_text("utf-8").count("```sh\n")
    assert sum(box.skipped for box in found) == 1
    assert sum(box.lasting for box in found) == 1


@contextmanager
def free_ports(*defaults: str) -> Iterator[dict[str, str]]:
    """For each port that a page shows one that is free, and that nobody else gets."""
    ports = {}
    with ExitStack() as held:
        for default in defaults:
            port = held.enter_context(socket.socket())
            # Bound and not listening: the server may listen there, as it sets this option too, and nobody else gets the port until then.
            port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port.bind(("127.0.0.1", 0))
            ports[default] = str(port.getsockname()[1])
            if sys.platform != "linux":  # other systems let nobody else bind it, the server neither
                port.close()
        yield ports


def test_the_page(tmp_path: Path) -> None:
    """From an inline patch to an extension that is rendered, tested and served, on ports that are free."""
    with free_ports("9443", "8080") as ports:
        assert follow(tmp_path, kpt=False, page=PAGE, instead=ports) == 5
