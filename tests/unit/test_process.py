"""krmkit.process: what is written arrives whole, or the process says that it does not."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from krmkit.process import buffer_streams


class Short(io.RawIOBase):
    """Takes ten bytes at a time, as a pipe does whose writer gets a signal."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        assert isinstance(content, bytes | memoryview)
        self.taken += bytes(content[:10])
        return min(len(content), 10)


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_stream_without_a_buffer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets one that writes the rest, too, and each line at its end."""
    raw: Any = Short()  # a text layer over it is what PYTHONUNBUFFERED makes, and what types do not allow
    for other in ("stdout", "stderr"):  # pytest's own have no buffers, either
        monkeypatch.setattr(sys, other, io.StringIO())
    monkeypatch.setattr(sys, name, io.TextIOWrapper(raw, "utf-8", write_through=True))

    buffer_streams()
    stream = getattr(sys, name)
    stream.write("é" * 30 + "\n")

    assert raw.taken.decode() == "é" * 30 + "\n"
    stream.buffer.write(b"x" * 100)
    stream.buffer.flush()
    assert raw.taken.endswith(b"\n" + b"x" * 100)


def test_other_streams_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has its buffer, is closed, or is not a file at all."""
    monkeypatch.setattr(sys, "stderr", None)
    for stream in (io.TextIOWrapper(io.BytesIO()), None, io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stream)
        buffer_streams()
        assert sys.stdout is stream


@pytest.mark.parametrize(
    "program",
    [
        ["functions/resolve-macros/main.py"],
        ["-m", "krmkit", "run", "resolve-macros"],
        ["-m", "krmkit.cli", "run", "resolve-macros"],
    ],
    ids=["main.py", "krmkit", "krmkit.cli"],
)
def test_an_output_that_is_cut_is_a_failure(project: Path, program: list[str]) -> None:
    """A pipe that is full and does not wait takes a part of the list: the exit code says so, unbuffered as ever."""
    given = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "%s"}}\n'
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        env = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(project / "shared")}
        command = [sys.executable, *program]
        text = (given % ("x" * 2_000_000)).encode()
        done = subprocess.run(command, cwd=project, input=text, stdout=writer, stderr=subprocess.PIPE, env=env, check=False)  # fmt: skip
    finally:
        os.close(reader)
        os.close(writer)

    assert done.returncode == 1
    assert b"cannot write the output" in done.stderr
