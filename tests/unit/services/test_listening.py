"""What the servers share: an end that says nothing but what is wrong."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip(
    "hypercorn", reason="hypercorn is not installed; the extra `preview` and requirements/dev.txt have it"
)

from hypercorn.config import Config

from krmkit.services.gracefulserver import serve_until
from krmkit.services.listening import listen, set_up


def test_a_call_that_outlives_the_grace(caplog: pytest.LogCaptureFixture) -> None:
    """It is cut off without a traceback; what else nobody caught is told."""

    async def story() -> None:
        asked, stopping = asyncio.Event(), asyncio.Event()

        async def application(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                asked.set()
                await asyncio.Event().wait()

        listener = listen("127.0.0.1", 0)
        port = listener.getsockname()[1]
        config = Config()
        set_up(config)
        config.bind = [f"fd://{listener.detach()}"]
        server = asyncio.create_task(serve_until(application, config, stopping, grace=0.1, cancel_after=0.1))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asked.wait()
        stopping.set()
        await server

        await reader.read()
        writer.close()
        await writer.wait_closed()
        assert caplog.text == ""
        asyncio.get_running_loop().call_exception_handler({"message": "something else"})
        assert "something else" in caplog.text

    asyncio.run(story())
