"""The ASGI application: hooks, /healthz and /readyz; limits, metrics and the access log."""

from __future__ import annotations

import asyncio
import json
import sys
from time import perf_counter, time
from urllib.parse import unquote

from krmkit.cli.evaluator.pool import DiedError, FullError
from krmkit.clusterapi.hooks.messages import failure
from krmkit.clusterapi.hooks.serving import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from krmkit.cli.evaluator.pool import WorkerPool
    from krmkit.cli.extension.metrics import Metrics

    Message = dict[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]

HELD = 16 * LARGEST  # bytes of all requests at a time, so that what clients send does not end the server
_JSON = b"application/json"
_FULL = b"too many calls wait\n"
_TEXT = b"text/plain; charset=utf-8"


class GoneError(Exception):
    """The caller went away before its request was whole."""


class App:
    """Answers calls by the workers of `pool`, which a reload replaces. `body_seconds`: how long a request may take to arrive."""

    __slots__ = ("_held", "_log", "_metrics", "body_seconds", "pool", "ready", "running")

    def __init__(
        self, pool: WorkerPool, metrics: Metrics, body_seconds: float = 30.0, log: bool = True
    ) -> None:
        self.pool = pool
        self.ready = True
        self.running: dict[WorkerPool, int] = {}
        self.body_seconds = body_seconds
        self._held = 0
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started, path = perf_counter(), unquote(scope["path"])
        size, hook, status, text, kind = 0, "", 0, b"", _TEXT
        try:
            if scope["method"] in ("GET", "HEAD"):
                status, text = self._health(path)
            elif scope["method"] != "POST":
                status, text = 405, b"only POST is answered here\n"
            else:
                async with asyncio.timeout(self.body_seconds):
                    body = await self._body(receive)
                if body is None:
                    status, kind = 200, _JSON
                    text = _failed(
                        f"error reading request: request body too large, at most {LARGEST} bytes may be sent"
                    )
                else:
                    size = len(body)
                    try:
                        status, text, hook = await self._call(path, body)
                    finally:
                        self._held -= size
                    kind = _JSON if status == 200 else _TEXT
        except TimeoutError:
            status, text = 408, b"the request did not arrive in time\n"
        except FullError:
            status, text = 503, _FULL
        except GoneError:
            status = 499
        seconds = perf_counter() - started
        if hook or status != 200 or kind == _JSON:
            self._tell(scope, path, hook, status, size, text, seconds)
        if status != 499:
            headers = [(b"content-type", kind), (b"content-length", str(len(text)).encode())]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else text})

    def _health(self, path: str) -> tuple[int, bytes]:
        if path == "/healthz":
            return 200, b"ok\n"
        if path == "/readyz":
            return (200, b"ok\n") if self.ready and self.pool.workers else (503, b"not ready\n")
        return 404, b"404 page not found\n"

    async def _body(self, receive: Receive) -> bytes | None:
        """The request's body, None for one that is too large. What is not kept is read away.

        Raises GoneError, and FullError where all requests together would be too large.
        """
        parts: list[bytes] = []
        size = kept = 0
        full = False
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise GoneError
                part: bytes = message.get("body") or b""
                size += len(part)
                full = full or self._held + len(part) > HELD
                if size <= LARGEST and not full:
                    parts.append(part)
                    kept += len(part)
                    self._held += len(part)
                else:
                    parts.clear()
                    self._held -= kept
                    kept = 0
                if not message.get("more_body"):
                    break
        except BaseException:
            self._held -= kept
            raise
        if full:
            raise FullError
        return b"".join(parts) if size <= LARGEST else None

    async def _call(self, path: str, body: bytes) -> tuple[int, bytes, str]:
        """Status, answer, and what was called. A worker that dies takes no call along: another one answers."""
        for _ in range(2):
            pool = self.pool
            self.running[pool] = self.running.get(pool, 0) + 1
            try:
                answer = await pool.run(path, body)
                return 404 if answer.exit_code else 200, answer.output, answer.log.decode()
            except DiedError:
                continue
            except FullError:
                return 503, _FULL, ""
            except TimeoutError:
                return 200, _failed("the handler took too long and was ended"), ""
            finally:
                self.running[pool] -= 1
                if not self.running[pool]:
                    del self.running[pool]
        return 200, _failed("the worker that ran the handler ended twice; it may need too much memory"), ""

    def _tell(
        self, scope: Message, path: str, hook: str, status: int, size: int, text: bytes, seconds: float
    ) -> None:
        # The status stands at the beginning of an answer; nothing else of it is looked at.
        failed = b'"status":"Failure"' in text[:300]
        outcome = "Failure" if failed else "Success" if status == 200 else str(status)
        self._metrics.call(hook or "unknown", outcome, seconds, size, len(text))
        if self._log:
            line = {
                "time": round(time(), 3),
                "client": (scope.get("client") or ["?"])[0],
                "protocol": scope.get("http_version"),
                "path": path[:500],
                "code": status,
                "status": outcome,
                "requestBytes": size,
                "responseBytes": len(text),
                "seconds": round(seconds, 4),
            }
            print(json.dumps(line), file=sys.stderr, flush=True)


def _failed(message: str) -> bytes:
    return json.dumps(failure("", message) | {"kind": "Failure"}, separators=(",", ":")).encode()
