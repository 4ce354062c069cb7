"""Functions on paths and URLs."""

from __future__ import annotations

import posixpath
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.urls import Url, unescape
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info


def _text(args: list[Any], name: str) -> str:
    if len(args) != 1:
        raise Failure(f"{name} takes exactly one argument")
    if type(args[0]) is not str:
        raise Failure(f"string argument expected for function {name}")
    return args[0]


def _local(text: str) -> str:
    """The path of a URL, or the text."""
    return _url(text).path or "/" if "://" in text else text


def _url(text: str, name: str = "") -> Url:
    try:
        return Url.parse(text)
    except GoInputError as error:
        raise Failure((f"invalid argument for {name}: " if name else "invalid url: ") + str(error)) from None


def basename(args: list[Any], env: Env, info: Info) -> Any:
    path = _local(_text(args, "basename"))
    return posixpath.basename(path.rstrip("/")) or "/"


def dirname(args: list[Any], env: Env, info: Info) -> Any:
    path = _local(_text(args, "dirname"))
    if not path:
        return "."
    folder = posixpath.normpath(posixpath.dirname(path))
    return "/" if folder == "//" else folder  # POSIX keeps two slashes, Go does not


def parseurl(args: list[Any], env: Env, info: Info) -> Any:
    url = _url(_text(args, "parseurl"), "parseurl")
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
    """The parameters of a query; what cannot be read is left out."""
    values: dict[str, list[str]] = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        try:
            if name:
                values.setdefault(unescape(name, "query"), []).append(unescape(value, "query"))
        except GoInputError:
            continue
    return values


FUNCTIONS = {"basename": basename, "dirname": dirname, "parseurl": parseurl}
