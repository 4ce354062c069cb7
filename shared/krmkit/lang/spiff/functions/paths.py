"""Functions on paths and URLs."""

from __future__ import annotations

import posixpath
from typing import Any
from urllib.parse import parse_qs, urlsplit

from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info


def _text(args: list[Any], name: str) -> str:
    if len(args) != 1:
        raise Failure(f"{name} takes exactly one argument")
    if type(args[0]) is not str:
        raise Failure(f"string argument expected for {name}")
    return args[0]


def _local(text: str) -> str:
    """The path of a URL, or the text."""
    if "://" in text:
        return urlsplit(text).path or "/"
    return text


def basename(args: list[Any], env: Env, info: Info) -> Any:
    path = _local(_text(args, "basename"))
    if not path:
        return "."
    return posixpath.basename(path.rstrip("/")) or "/"


def dirname(args: list[Any], env: Env, info: Info) -> Any:
    path = _local(_text(args, "dirname"))
    if not path:
        return "."
    return posixpath.normpath(posixpath.dirname(path) or ".") if path != "/" else "/"


def parseurl(args: list[Any], env: Env, info: Info) -> Any:
    text = _text(args, "parseurl")
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError as error:
        raise Failure(f"invalid url: {error}") from None
    values = parse_qs(url.query, keep_blank_values=True)
    made: dict[str, Any] = {
        "scheme": url.scheme,
        "host": url.hostname or "",
        "path": url.path,
        "fragment": url.fragment,
        "query": url.query,
        "values": {key: env.node([env.node(one) for one in found]) for key, found in values.items()},
    }
    if port is not None:
        made["port"] = port
    if url.username is not None:
        user = {"username": env.node(url.username)}
        if url.password is not None:
            user["password"] = env.node(url.password)
        made["userinfo"] = user
    return {key: env.node(value) for key, value in made.items()}


FUNCTIONS = {"basename": basename, "dirname": dirname, "parseurl": parseurl}
