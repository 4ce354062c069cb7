"""krmkit.services.extension.server: changed extensions are taken in, whatever calls the old ones still have."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import pytest

from krmkit.services.extension import server
from krmkit.services.extension.server import ServerSettings
from krmkit.services.settings import ServiceSettings
from tests.waiting import MOST


class Pool:
    """Workers that are there, and are told to stop."""

    stopped = False

    async def stop(self) -> None:
        self.stopped = True


class App:
    """One call runs in the first pool, and does not end."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.running = {self.pool: 1}


async def until_three_pools(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Pool], list[bool]]:
    """Let each look at the files find a change; return the pools, and which were stopped before the server ended."""
    changes = count()
    monkeypatch.setattr(server, "fingerprint", lambda paths: next(changes))
    service = ServiceSettings("127.0.0.1", 0, 1, 0.0, 1, "", "", "")
    settings = ServerSettings([], [], service, 0, False, poll=0.001)
    served = server._Server(settings)
    app: Any = App()
    pools = [app.pool]

    async def started() -> Any:
        pools.append(Pool())
        return pools[-1]

    monkeypatch.setattr(served, "_pool", started)
    watch = asyncio.create_task(served._watch(app, None, next(changes)))

    async def three() -> None:
        while len(pools) < 3 or not pools[1].stopped:
            await asyncio.sleep(0.001)

    try:
        await asyncio.wait_for(three(), MOST)
    finally:
        before = [pool.stopped for pool in pools]
        for task in (watch, *served._retiring):
            task.cancel()
        await asyncio.gather(watch, *served._retiring, return_exceptions=True)
    return pools, before


def test_a_long_call_holds_up_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool with the running call stays until the server ends; a pool without calls goes at once."""
    pools, before = asyncio.run(until_three_pools(monkeypatch))

    assert before[:2] == [False, True]
    assert pools[0].stopped
