"""Standard streams that write all they are given."""

from __future__ import annotations

import io
import sys


def buffer_streams() -> None:
    """Give stdout and stderr the buffers that PYTHONUNBUFFERED and `python -u` take away.

    A stream without one stops in the midst of a long text when a signal comes, and says nothing of the rest: a ResourceList
    would arrive cut, with exit code 0. Lines still go out one by one.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            encoding, errors = stream.encoding, stream.errors
            whole = io.BufferedWriter(stream.detach())
            setattr(sys, name, io.TextIOWrapper(whole, encoding, errors, line_buffering=True))
