"""Functions on paths and URLs."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.net.url import Url, unescape
from krmkit.libraries.spiff.functions.registry import Function, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure
from krmkit.libraries.spiff.tree.nodes import Node


def _local(text: str) -> str:
    return _url(text).path or "/" if "://" in text else text


def _url(text: str, name: str = "") -> Url:
    try:
        return Url.parse(text)
    except GoInputError as error:
        raise Failure((f"invalid argument for {name}: " if name else "invalid url: ") + str(error)) from None


def _on_text(name: str) -> Callable[[Callable[..., Any]], Function]:
    return function(
        name, f"{name} takes exactly one argument", text=f"string argument expected for function {name}"
    )


@_on_text("basename")
def basename(env: Env, text: str) -> str:
    return posixpath.basename(_local(text).rstrip("/")) or "/"


@_on_text("dirname")
def dirname(env: Env, text: str) -> str:
    path = _local(text)
    if not path:
        return "."
    folder = posixpath.normpath(posixpath.dirname(path))
    return "/" if folder == "//" else folder  # POSIX keeps two slashes, Go does not


@_on_text("parseurl")
def parseurl(env: Env, text: str) -> dict[str, Node]:
    url = _url(text, "parseurl")
    host = url.hostname()
    made: dict[str, Any] = {
        "scheme": url.scheme,
        "host": host,
        "path": url.path,
        "fragment": url.fragment,
        "query": url.query,
        "values": {
            key: env.node([env.node(one) for one in found]) for key, found in _values(url.query).items()
        },
    }
    port = url.host[len(host) + 1 :] if url.host.startswith(host) else ""
    if port.isascii() and port.isdigit() and len(port) < 19:
        made["port"] = int(port)
    if url.user is not None:
        name, password = url.user
        made["userinfo"] = {"username": env.node(name)}
        if password is not None:
            made["userinfo"]["password"] = env.node(password)
    return {key: env.node(value) for key, value in made.items()}


def _values(query: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        try:
            if name:
                values.setdefault(unescape(name, "query"), []).append(unescape(value, "query"))
        except GoInputError:
            continue
    return values
