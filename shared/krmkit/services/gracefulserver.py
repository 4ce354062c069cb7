"""Serve HTTP with hypercorn until a stop signal, and then at most for the grace period."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from hypercorn.asyncio import run as hypercorn_run
from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.config import Config


class OpenConnection(TCPServer):
    """A connection that is registered while it is open, so that it can be cut."""

    open: ClassVar[set[OpenConnection]] = set()

    async def run(self) -> None:
        self.open.add(self)
        try:
            await super().run()
        finally:
            self.open.discard(self)

    def cut(self) -> None:
        """End the connection at once; its calls end as disconnected."""
        self.writer.transport.abort()


async def serve_until(
    application: Any,  # an ASGI application; hypercorn's type has only its own messages
    config: Config,
    stopping: asyncio.Event,
    grace: float,
    cancel_after: float,
    trigger: Callable[[], Awaitable[None]] | None = None,
    connection: type[OpenConnection] = OpenConnection,
) -> None:
    """Serve until `stopping` is set; connections are cut `grace` seconds later.

    - `cancel_after`: seconds after the cut until running calls are cancelled.
    - `trigger`: waits for `stopping` and prepares the end.
    - `connection`: the class of the connections.
    """
    config.graceful_timeout = grace + cancel_after
    vars(hypercorn_run)["TCPServer"] = connection  # hypercorn has no setting for it
    end = asyncio.create_task(_cut_after_grace(config, stopping, grace, cancel_after))
    try:
        await hypercorn_serve(application, config, shutdown_trigger=trigger or stopping.wait)
    finally:
        end.cancel()


async def _cut_after_grace(
    config: Config, stopping: asyncio.Event, grace: float, cancel_after: float
) -> None:
    """End the connections that are still open after the grace.

    From Python 3.12 on, asyncio waits for open connections without limit, before hypercorn's own timeout
    begins. In 3.11 the timeout begins at once, but the tasks that hypercorn then cancels still wait for their
    clients.
    """
    await stopping.wait()
    await asyncio.sleep(grace)
    config.graceful_timeout = cancel_after  # where it has not begun yet
    for connection in list(OpenConnection.open):
        connection.cut()
