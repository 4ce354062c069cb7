"""Ctrl-C ends `krmkit preview`, whatever its clients do."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import MOST

pytest.importorskip(
    "hypercorn", reason="hypercorn is not installed; the extra `preview` and requirements/dev.txt have it"
)

REQUEST = (
    "POST /state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    "Authorization: Bearer {token}\r\nContent-Length: 100\r\n{expect}\r\n"
)


def test_a_request_that_never_ends(project: Path, tmp_path: Path) -> None:
    """A client that sends half of its request and stays is cut off after the grace, also where asyncio would wait for it."""
    shutil.copytree(project / "examples/edge-cluster-profile", tmp_path / "profile")
    command = [sys.executable, "-m", "krmkit.cli", "preview", str(tmp_path / "profile")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stdout.readline())
            assert found is not None
            port, token = found.groups()
            with socket.create_connection(("127.0.0.1", int(port)), timeout=MOST) as client:
                # The server asks for the body as soon as it reads it, so the request has begun.
                head = REQUEST.format(port=port, token=token, expect="Expect: 100-continue\r\n")
                client.sendall(head.encode())
                assert client.recv(100).startswith(b"HTTP/1.1 100")
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=MOST)
        finally:
            process.kill()

    assert (process.returncode, said) == (0, "")
