"""The ASGI application of `krmkit preview`, for one user on this machine.

Every request must carry the token, name this server as its host, and come from no other origin. So other
users of the machine need the token, and other pages in the same browser get nothing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from krmkit.fleet.engine.jobs import unexpected
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.services.preview.package import CHANGED, PreviewPackage
from krmkit.views.page import page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LARGEST = 1 << 20  # bytes of a request
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "frame-ancestors 'none'",  # the rest of the policy is in the page
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Refuse requests without the token, of other origins and to other hosts; add headers to answers."""

    def __init__(self, app: ASGIApp, token: str, hosts: list[str]) -> None:
        self._app = app
        self._token = token
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.encode(), value.encode()) for name, value in _HEADERS.items()),
                ]
            await send(message)

        request = Request(scope)
        problem = self._problem(request)
        if problem:
            await PlainTextResponse(f"{problem}\n", 403)(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _problem(self, request: Request) -> str:
        host = request.headers.get("host", "")
        if host not in self._hosts:
            return f"the host must be {self._hosts[0]}"
        origin = request.headers.get("origin")
        if origin is not None and origin not in {f"http://{name}" for name in self._hosts}:
            return "requests of other origins are refused"
        if request.method == "POST" and origin is None:
            return "a request that may write must have an Origin header"
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "requests of other sites are refused"
        said = request.headers.get("authorization", "").removeprefix("Bearer ")
        if request.url.path == "/" and not said:
            said = request.query_params.get("token", "")
        if not secrets.compare_digest(said.encode(), self._token.encode()):
            return "the token is wrong; open the address that krmkit preview has printed"
        return ""


class Preview:
    """Answers for one package, one request at a time."""

    def __init__(self, package: PreviewPackage, token: str) -> None:
        self._package = package
        self._token = token
        self._lock = asyncio.Lock()

    def app(self, hosts: list[str]) -> Starlette:
        """Return the application. `hosts`: the permitted Host headers, such as `127.0.0.1:8080`."""
        routes = [
            Route("/", self.page),
            Route("/state", self.state, methods=["POST"]),
            Route("/save", self.save, methods=["POST"]),
            Route("/mark", self.mark),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Guard, token=self._token, hosts=hosts)],
            exception_handlers={ClientDisconnect: _left, Refused: _refused, Exception: _failed},
        )

    async def page(self, request: Request) -> Response:
        """Return the page with the state on disk."""
        async with self._lock:
            state = await run_in_threadpool(self._package.state, {})
            html = await run_in_threadpool(page, state.pop("report"), {**state, "token": self._token})
        return HTMLResponse(html)

    async def state(self, request: Request) -> Response:
        """Return the state with other choices; nothing is written."""
        body = await _body(request)
        async with self._lock:
            return JSONResponse(await run_in_threadpool(self._package.state, _map(body, "choices")))

    async def save(self, request: Request) -> Response:
        """Write the choices into the package's config files."""
        body = await _body(request)
        async with self._lock:
            wanted, files = _map(body, "choices"), _map(body, "files")
            written = await run_in_threadpool(self._package.save, wanted, files)
            return JSONResponse({"written": written})

    async def mark(self, request: Request) -> Response:
        """Return a text that changes with the package's files."""
        return JSONResponse({"mark": await run_in_threadpool(self._package.mark)})


async def _body(request: Request) -> dict[str, Any]:
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _LARGEST:
            raise Refused(f"a request must have at most {_LARGEST:,} bytes")
    try:
        data = json.loads(content)
        json.dumps(data, ensure_ascii=False).encode()  # an error for half a character, which no file can hold
    except RecursionError:
        raise Refused("a request must be JSON that is not nested so deeply") from None
    except ValueError as error:
        raise Refused(f"a request must be JSON: {error}") from None
    if not isinstance(data, dict):
        raise Refused("a request must be a JSON object")
    return data


def _map(body: dict[str, Any], name: str) -> dict[str, Any]:
    value = body.get(name, {})
    if not isinstance(value, dict):
        raise Refused(f"{name} must be an object, got {type(value).__name__}")
    return value


def _problem(message: str, status: int) -> Response:
    return JSONResponse({"problem": message}, status)


async def _refused(request: Request, error: Exception) -> Response:
    changed = isinstance(error, Refused) and error.finding.rule == CHANGED
    return _problem(str(error), 409 if changed else 400)


async def _left(request: Request, error: Exception) -> Response:
    """Answer a request whose client disconnected; nobody receives the answer."""
    return Response(status_code=400)


async def _failed(request: Request, error: Exception) -> Response:
    say("preview", unexpected(error))
    return _problem(unexpected(error), 500)
