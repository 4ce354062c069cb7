"""The server of `krmkit preview`: loads hypercorn and starlette, which only the extra `preview` has."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
from typing import TYPE_CHECKING, Any

from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.config import Config

from krmkit.cli.preview.previewapp import Preview
from krmkit.cli.preview.previewpackage import PreviewPackage

if TYPE_CHECKING:
    from krmkit.render.resolve import ProgramResolver

_GRACE = 2.0  # seconds that a request may take after Ctrl-C


async def serve(package: str, resolver: ProgramResolver, listener: socket.socket) -> None:
    """Answer until SIGINT or SIGTERM."""
    token = secrets.token_urlsafe(32)
    address, port = listener.getsockname()[:2]
    preview = Preview(PreviewPackage(os.path.realpath(package), resolver), token)
    application: Any = preview.app([f"{address}:{port}", f"localhost:{port}"])
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.graceful_timeout = _GRACE
    config.accesslog = config.errorlog = None
    config.include_server_header = False
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    print(f"krmkit preview of {package}: http://{address}:{port}/?token={token}", flush=True)
    await hypercorn_serve(application, config, shutdown_trigger=stopping.wait)
