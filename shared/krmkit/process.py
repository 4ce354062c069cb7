"""Streams that write all they are given, and Ctrl-C without a traceback, for the process of a command."""

from __future__ import annotations

import io
import sys


def buffer_streams() -> None:
    """Give stdout and stderr the buffers that PYTHONUNBUFFERED and `python -u` take away.

    A stream without one can stop in a long text at a signal without an error: a ResourceList would be
    truncated, with exit code 0. Lines still go out one by one.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            encoding, errors = stream.encoding, stream.errors
            whole = io.BufferedWriter(stream.detach())
            setattr(sys, name, io.TextIOWrapper(whole, encoding, errors, line_buffering=True))


def quiet_interrupts(quiet: bool = True) -> None:
    """Let Ctrl-C end the process without a traceback while modules load; `False` makes it an exception again.

    Call it first: until then, Python shows one.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` makes enums of it, which takes a millisecond

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL if quiet else _signal.default_int_handler)


def end_in_order() -> None:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: its preparations go, and its programs end.

    One that is ignored, as under nohup, stays so.
    """
    import _signal

    for number in (_signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) == _signal.SIG_DFL:
            _signal.signal(number, _signal.default_int_handler)
