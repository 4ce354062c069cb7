"""The server of `krmkit preview`: loads hypercorn and starlette, which only the extra `preview` installs."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from threading import Thread

from hypercorn.config import Config

from krmkit.render.resolve import ProgramResolver
from krmkit.services.gracefulserver import serve_until
from krmkit.services.listening import set_up, stop_event
from krmkit.services.preview.app import Preview
from krmkit.services.preview.package import PreviewPackage

_GRACE = 2.0  # seconds that a request may take after Ctrl-C
_CANCEL_AFTER = 1.0  # seconds after the grace until the remaining requests are cancelled


async def serve(
    package: str,
    resolver: ProgramResolver,
    listener: socket.socket,
    opened: Callable[[str], None] | None = None,
) -> None:
    """Answer until SIGINT or SIGTERM. `opened` gets the page's address, in a thread of its own."""
    token = secrets.token_urlsafe(32)
    address, port = listener.getsockname()[:2]
    preview = Preview(PreviewPackage(os.path.realpath(package), resolver), token)
    application = preview.app([f"{address}:{port}", f"localhost:{port}"])
    config = Config()
    set_up(config)
    config.bind = [f"fd://{listener.detach()}"]
    stopping = stop_event()
    page = f"http://{address}:{port}/?token={token}"
    print(f"krmkit preview of {package}: {page}", flush=True)
    if opened is not None:
        Thread(target=opened, args=(page,), daemon=True).start()
    await serve_until(application, config, stopping, _GRACE, _CANCEL_AFTER)
