"""The ASGI application by itself: what it holds of requests, and what it lets go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from krmkit.cli.evaluator.frames import Reply
from krmkit.cli.extension import app as module
from krmkit.cli.extension.app import App
from krmkit.cli.extension.metrics import Metrics

SCOPE: dict[str, Any] = {"type": "http", "method": "POST", "path": "/hook", "http_version": "2"}


class Pool:
    """Answers every call once it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.workers = {1}
        self.calls = 0

    async def asked(self, count: int) -> None:
        """Wait until so many calls have come."""
        while self.calls < count:
            await asyncio.sleep(0)

    async def run(self, path: str, body: bytes) -> Reply:
        self.calls += 1
        await self.may.wait()
        return Reply(0, b"{}", b"hook")


async def call(app: App, *parts: bytes | None) -> int:
    """The status of a call whose body comes in parts; None is a client that goes away."""
    left = list(parts)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        part = left.pop(0)
        if part is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(SCOPE, receive, send)
    return int(sent[0]["status"]) if sent else 0


def test_requests_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is over it is told to come again; whoever is in is answered, and everything is let go."""
    monkeypatch.setattr(module, "HELD", 100)

    async def story() -> None:
        pool: Any = Pool()
        app = App(pool, Metrics(), log=False)
        first = asyncio.create_task(call(app, b"x" * 40, b"x" * 40))
        await pool.asked(1)

        assert await call(app, b"x" * 15, b"x" * 15, b"x") == 503
        second = asyncio.create_task(call(app, b"x" * 20))
        await pool.asked(2)
        assert await call(app, b"x") == 503
        pool.may.set()
        assert (await first, await second) == (200, 200)
        assert await call(app, b"x" * 60, None) == 0
        assert await call(app, b"x" * 100) == 200
        assert await call(app, b"x" * 101) == 503
        assert await call(app, b"x" * 100) == 200

    asyncio.run(story())


def test_a_request_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a failure in the body, as the reference's server says it, and holds nothing."""
    monkeypatch.setattr(module, "LARGEST", 50)
    monkeypatch.setattr(module, "HELD", 100)

    async def story() -> None:
        pool: Any = Pool()
        pool.may.set()
        app = App(pool, Metrics(), log=False)

        for _ in range(3):
            assert await call(app, b"x" * 40, b"x" * 40) == 200
        assert await call(app, b"x" * 50) == 200

    asyncio.run(story())
