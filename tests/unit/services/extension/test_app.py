"""The ASGI application by itself: what it holds of requests, and what it lets go."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from krmkit.services.evaluator.frames import Reply
from krmkit.services.extension import app as module
from krmkit.services.extension.app import App
from krmkit.services.extension.metrics import Metrics

SCOPE: dict[str, Any] = {"type": "http", "method": "POST", "path": "/hook", "http_version": "2"}


class Pool:
    """Answers every call once it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.workers = {1}
        self.longest = 30.0
        self.calls = 0
        self.ended = 0

    async def asked(self, count: int) -> None:
        """Wait until so many calls have come."""
        while self.calls < count:
            await asyncio.sleep(0)

    async def run(self, path: str, body: bytes) -> Reply:
        self.calls += 1
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.ended += 1
            raise
        return Reply(0, b"{}", b"hook")


async def call(app: App, *parts: bytes | None) -> int:
    """The status of a call whose body comes in parts; None is a client that goes away."""
    left = list(parts)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        if not left:
            await asyncio.Event().wait()  # the client stays
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


async def sent_by(app: App, query: str, leaves: asyncio.Event | None = None) -> tuple[int, bytes]:
    """The answer to a call with this query, (0, b"") if there is none; the client leaves when `leaves` is set."""
    sent: list[dict[str, Any]] = []
    came = [{"type": "http.request", "body": b"{}"}]

    async def receive() -> dict[str, Any]:
        if came:
            return came.pop()
        await (leaves or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(SCOPE | {"query_string": query.encode()}, receive, send)
    return (int(sent[0]["status"]), sent[1]["body"]) if sent else (0, b"")


class LoggedCalls(Metrics):
    """Metrics that remember what they count."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, str]] = []

    def call(self, hook: str, status: str, seconds: float, request: int, response: int) -> None:
        self.calls.append((hook, status))


@pytest.mark.parametrize("query", ["timeout=50ms", "timeout=0.05s", "a=b&timeout=50ms"])
def test_a_call_ends_at_the_timeout_of_its_caller(query: str) -> None:
    """It is counted as timed out, for its handler, and the run behind it ends."""

    async def story() -> None:
        pool: Any = Pool()
        metrics = LoggedCalls()
        app = App(pool, metrics, log=False)
        pool.may.set()
        assert (await sent_by(app, ""))[0] == 200
        pool.may.clear()

        status, text = await sent_by(app, query)

        assert (status, text) == (504, b"the call took longer than its timeout of 0.05 s and was ended\n")
        assert metrics.calls == [("hook", "Success"), ("hook", "TimedOut")]
        assert pool.ended == 1
        assert not app.running

    asyncio.run(story())


@pytest.mark.parametrize("query", ["", "timeout=x", "timeout=-1s", "timeout=1h"])
def test_a_timeout_that_is_none(query: str) -> None:
    """The longest time that the server allows counts."""

    async def story() -> None:
        pool: Any = Pool()
        pool.longest = 0.05

        assert (await sent_by(App(pool, Metrics(), log=False), query))[0] == 504

    asyncio.run(story())


def test_a_client_that_leaves_ends_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is answered, and a call whose client leaves at the end of its time has timed out."""

    async def story() -> None:
        pool: Any = Pool()
        metrics = LoggedCalls()
        app = App(pool, metrics, log=False)
        leaves = asyncio.Event()
        early = asyncio.create_task(sent_by(app, "timeout=10s", leaves))
        await pool.asked(1)
        leaves.set()
        assert await early == (0, b"")

        monkeypatch.setattr(module, "_NEARLY", 0.0)
        leaves = asyncio.Event()
        late = asyncio.create_task(sent_by(app, "timeout=10s", leaves))
        await pool.asked(2)
        leaves.set()
        assert await late == (0, b"")

        assert metrics.calls == [("unknown", "Canceled"), ("unknown", "TimedOut")]
        assert pool.ended == 2

    asyncio.run(story())


@pytest.mark.parametrize(("path", "status"), [("/healthz", 200), ("/%68ealthz", 404), ("/%2568ealthz", 404)])
def test_a_path_is_decoded_once(path: str, status: int) -> None:
    """The server gives the path decoded; what is left of percent signs belongs to it."""
    app = App(cast(Any, Pool()), Metrics(), log=False)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app({**SCOPE, "method": "GET", "path": path}, receive, send))

    assert sent[0]["status"] == status


def test_a_websocket_is_refused() -> None:
    """An upgrade ends with a refusal, and not with an error of the server."""
    app = App(cast(Any, Pool()), Metrics(), log=False)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app({"type": "websocket", "path": "/"}, receive, send))

    assert sent == [{"type": "websocket.close"}]
