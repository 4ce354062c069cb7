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
    messages in bytes, how many seconds a run may take and how many running calls have to end when the server stops, and the address
    of the function runner that is asked about images of other functions ("": none)."""

    __slots__ = ("forward", "grace", "host", "message_limit", "port", "queue", "timeout", "workers")

    def __init__(
        self,
        host: str,
        port: int,
        workers: int,
        queue: int,
        message_limit: int,
        timeout: float,
        grace: float,
        forward: str = "",
    ) -> None:
        self.host = host
        self.port = port
        self.workers = workers
        self.queue = queue
        self.message_limit = message_limit
        self.timeout = timeout
        self.grace = grace
        self.forward = forward


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
    pool = Pool(settings.workers, settings.queue, settings.timeout)
    health = Health()
    sizes = [
        ("grpc.max_receive_message_length", settings.message_limit),
        ("grpc.max_send_message_length", settings.message_limit),
    ]
    # A second server on one port is a mistake.
    server = grpc.aio.server(options=[*sizes, ("grpc.so_reuseport", 0)])
    forward = grpc.aio.insecure_channel(settings.forward, options=sizes) if settings.forward else None
    evaluator = Evaluator(pool, settings.message_limit, forward)
    server.add_generic_rpc_handlers((evaluator.handler(), health.handler()))
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
    if forward is not None:
        await forward.close()
