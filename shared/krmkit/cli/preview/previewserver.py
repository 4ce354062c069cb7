"""The server of `krmkit preview`: loads hypercorn and starlette, which only the extra `preview` has."""

from __future__ import annotations

import os
import secrets
import socket
from typing import TYPE_CHECKING, Any

from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.config import Config

from krmkit.cli.listening import set_up, stop_event
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
    set_up(config, listener, _GRACE)
    stopping = stop_event()
    print(f"krmkit preview of {package}: http://{address}:{port}/?token={token}", flush=True)
    await hypercorn_serve(application, config, shutdown_trigger=stopping.wait)
