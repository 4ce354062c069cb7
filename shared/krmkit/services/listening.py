"""Common parts of krmkit's servers: the listening socket, the stop signals, and hypercorn's settings."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypercorn.config import Config


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0: any free one. Raises OSError. Example: `listen("127.0.0.1", 0)`."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def stop_event() -> asyncio.Event:
    """Return an event of the running loop that SIGTERM and SIGINT set."""
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


def set_up(config: Config) -> None:
    """Configure hypercorn for the running loop, without logs and its name."""
    asyncio.get_running_loop().set_exception_handler(_tell)
    config.accesslog = config.errorlog = None
    config.include_server_header = False


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an uncaught error as asyncio does, except for connections that were cut after the grace."""
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)
