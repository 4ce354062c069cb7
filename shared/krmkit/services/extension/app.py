"""The ASGI application: hooks, /healthz and /readyz; limits, metrics and the access log."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter, time
from typing import Any
from urllib.parse import parse_qs

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.durations import parse_duration
from krmkit.services.evaluator.pool import WorkerPool
from krmkit.services.extension.metrics import Metrics
from krmkit.systems.clusterapi.hooks.messages import failure
from krmkit.systems.clusterapi.hooks.serving import LARGEST

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HELD = 16 * LARGEST  # bytes of all requests at a time, so that clients cannot exhaust the server's memory
_JSON = b"application/json"
_NEARLY = 0.9  # part of the timeout: a caller that leaves later has waited for it
_OUTCOMES = {499: "Canceled", 504: "TimedOut"}
_FULL = b"too many calls wait\n"
_TEXT = b"text/plain; charset=utf-8"


class App:
    """Answer calls by the workers of `pool`, which a reload replaces. `body_seconds`: for a request's body.

    A call ends when its caller gives up: at the `?timeout=` that controllers send along, or when they close
    the connection. Otherwise it would hold a worker for an unread answer.
    """

    def __init__(
        self, pool: WorkerPool, metrics: Metrics, body_seconds: float = 30.0, log: bool = True
    ) -> None:
        self.pool = pool
        self.ready = True
        self.running: dict[WorkerPool, int] = {}
        self.body_seconds = body_seconds
        self._held = 0
        self._hooks: dict[str, str] = {}
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})  # the server answers with 403
            return
        if scope["type"] != "http":
            return
        started, path = perf_counter(), scope["path"]  # decoded once, by the server
        size, hook, status, text, kind, gone = 0, "", 0, b"", _TEXT, False
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
                        limit = _limit(scope, self.pool.longest)
                        status, text, hook, gone = await self._answered(path, body, receive, started, limit)
                    finally:
                        self._held -= size
                    kind = _JSON if status == 200 else _TEXT
        except TimeoutError:
            status, text = 408, b"the request did not arrive in time\n"
        except asyncio.QueueFull:
            status, text = 503, _FULL
        except ConnectionAbortedError:
            status, gone, hook = 499, True, self._hooks.get(path, "")
        seconds = perf_counter() - started
        if hook or status != 200 or kind == _JSON:
            self._tell(scope, path, hook, status, size, text, seconds)
        if not gone:
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
        """Return the request's body; None if it is too large, after reading and discarding it.

        Raises ConnectionAbortedError, and QueueFull if all requests together would be too large.
        """
        parts: list[bytes] = []
        size = kept = 0
        full = False
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionAbortedError
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
            raise asyncio.QueueFull
        return b"".join(parts) if size <= LARGEST else None

    async def _answered(
        self, path: str, body: bytes, receive: Receive, started: float, limit: float
    ) -> tuple[int, bytes, str, bool]:
        """Return the result of `_call`, or 504 for a call that exceeds its `?timeout=` or the call limit.

        The last value is True if the caller has disconnected. Raises ConnectionAbortedError if it did so
        before.
        """
        call = asyncio.create_task(self._call(path, body))
        gone = asyncio.create_task(_disconnected(receive))
        left = started + limit - perf_counter()
        try:
            await asyncio.wait({call, gone}, timeout=max(left, 0.0), return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                answer = call.result()
                if answer[2]:
                    self._hooks[path] = answer[2]  # only served paths, so there are few
                return *answer, False
        finally:
            for task in (call, gone):
                task.cancel()
            await asyncio.gather(call, gone, return_exceptions=True)
        # A caller closes the connection at its timeout, perhaps just before the one here, which began later.
        if not gone.cancelled() and perf_counter() - started < _NEARLY * limit:
            raise ConnectionAbortedError
        text = f"the call took longer than its timeout of {limit:g} s and was ended\n".encode()
        return 504, text, self._hooks.get(path, ""), not gone.cancelled()

    async def _call(self, path: str, body: bytes) -> tuple[int, bytes, str]:
        """Return status, answer and hook. If a worker dies, another one answers its call."""
        for _ in range(2):
            pool = self.pool
            self.running[pool] = self.running.get(pool, 0) + 1
            try:
                answer = await pool.run(path, body)
                return 404 if answer.exit_code else 200, answer.output, answer.log.decode()
            except ChildProcessError:
                continue
            except asyncio.QueueFull:
                return 503, _FULL, ""
            except TimeoutError:
                return 200, _failed("the handler took too long and was ended"), self._hooks.get(path, "")
            finally:
                self.running[pool] -= 1
                if not self.running[pool]:
                    del self.running[pool]
        return 200, _failed("the worker that ran the handler ended twice; it may need too much memory"), ""

    def _tell(
        self, scope: Message, path: str, hook: str, status: int, size: int, text: bytes, seconds: float
    ) -> None:
        # The status is at the start of an answer; the rest is not parsed.
        failed = b'"status":"Failure"' in text[:300]
        outcome = "Failure" if failed else "Success" if status == 200 else _OUTCOMES.get(status, str(status))
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


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _limit(scope: Message, longest: float) -> float:
    """Return the seconds that a call may take: its `?timeout=`, a Go duration, or the shorter `longest`."""
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("timeout", [""])[0]
    try:
        nanoseconds = parse_duration(asked)
    except GoInputError:
        return longest
    return min(nanoseconds / 1e9, longest) if nanoseconds > 0 else longest


def _failed(message: str) -> bytes:
    return json.dumps(failure("", message) | {"kind": "Failure"}, separators=(",", ":")).encode()
