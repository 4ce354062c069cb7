"""Starts the evaluator and stops it: port, workers, signals."""

from __future__ import annotations

import asyncio
import signal
import sys

import grpc

from krmkit.cli.evaluator.pool import DiedError, Pool
from krmkit.cli.evaluator.service import Evaluator, Health

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Settings:
    """How to serve: where (`host`, `port`; 0: any that is free), with how many processes, how many callers in line, the limit for
    messages in bytes, and how many seconds running calls have to end when the server stops."""

    __slots__ = ("grace", "host", "message_limit", "port", "queue", "workers")

    def __init__(
        self, host: str, port: int, workers: int, queue: int, message_limit: int, grace: float
    ) -> None:
        self.host = host
        self.port = port
        self.workers = workers
        self.queue = queue
        self.message_limit = message_limit
        self.grace = grace


class ServeError(Exception):
    """The server cannot start; the message says why."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT. Raises ServeError."""
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stopping.set)
    pool = Pool(settings.workers, settings.queue)
    health = Health()
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", settings.message_limit),
            ("grpc.max_send_message_length", settings.message_limit),
            ("grpc.so_reuseport", 0),  # a second server on this port is a mistake
        ]
    )
    server.add_generic_rpc_handlers((Evaluator(pool, settings.message_limit).handler(), health.handler()))
    address = f"{settings.host}:{settings.port}"
    try:
        port = server.add_insecure_port(address)
    except RuntimeError:
        raise ServeError(
            f"cannot listen on {address}: is the address this machine's, and is the port free?"
        ) from None
    try:
        await pool.start()
    except (OSError, DiedError) as error:
        raise ServeError(f"cannot start a worker: {error}") from None
    await server.start()
    print(f"krmkit evaluator: {settings.workers} workers, listening on {settings.host}:{port}", flush=True)
    await stopping.wait()
    health.leave()
    # Who is in a hurry signals twice.
    stopping.clear()
    stopped = asyncio.create_task(server.stop(settings.grace))
    hurry = asyncio.create_task(stopping.wait())
    await asyncio.wait({stopped, hurry}, return_when=asyncio.FIRST_COMPLETED)
    if not stopped.done():
        print("krmkit evaluator: calls are cut off", file=sys.stderr)
        await server.stop(None)
    hurry.cancel()
    await stopped
    await pool.stop()
