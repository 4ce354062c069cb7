"""Connections of the server of extensions: how long one rests whose frames are much work."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from krmkit.services.extension.connections import Connection


class _Reader:
    """A client that has sent a few reads of bytes."""

    def __init__(self, reads: int) -> None:
        self.left = reads

    def at_eof(self) -> bool:
        return self.left == 0

    async def read(self, most: int) -> bytes:
        self.left -= 1
        return b"x" * most


class _Protocol:
    """A protocol that works for so many seconds of CPU time on all that comes."""

    def __init__(self, work: float) -> None:
        self.work = work
        self.handled: list[Any] = []

    async def handle(self, event: Any) -> None:
        self.handled.append(event)
        end = time.process_time() + self.work
        while time.process_time() < end:
            pass


def rests(monkeypatch: pytest.MonkeyPatch, work: float, reads: int = 4) -> list[float]:
    """The seconds that a connection rests after each read."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    made = Connection.__new__(Connection)
    protocol = _Protocol(work)
    given: dict[str, Any] = {
        "reader": _Reader(reads),
        "protocol": protocol,
        "config": SimpleNamespace(read_timeout=60),
    }
    vars(made).update(given)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(made._read_in_turns())

    assert len(protocol.handled) == reads + 1
    return found


def test_much_work_is_followed_by_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as long as the work took, so that a flood has a fifth of the server at most."""
    found = rests(monkeypatch, 0.005)

    assert len(found) == 4
    assert all(seconds >= 0.02 for seconds in found)


def test_a_rest_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a second, whatever came in one read."""
    assert rests(monkeypatch, 0.05) == [0.1] * 4


def test_calls_do_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What little work there is on the frames of a call delays nobody."""
    monkeypatch.setattr(time, "process_time", lambda: 1.0)

    assert rests(monkeypatch, 0.0) == []
