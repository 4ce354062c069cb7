"""Functions that reach outside, depend on chance or make keys: each fails and says its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info
from krmkit.lang.spiff.functions.files import denied


def _denied(name: str) -> Callable[..., Any]:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise denied(name)

    return refuse


def _random(name: str) -> Callable[..., Any]:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise Failure(f"{name}: not supported: the result would differ from run to run")

    return refuse


def _keys(name: str) -> Callable[..., Any]:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise Failure(f"{name}: not supported: keys and certificates are made and read elsewhere")

    return refuse


def pipe(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) < 3:
        raise Failure("pipe requires at least two arguments")
    raise denied("pipe")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exec": _denied("exec"),
    "exec_uncached": _denied("exec"),
    "pipe": pipe,
    "pipe_uncached": pipe,
    **{name: _denied(name) for name in ("env", "write", "tempfile", "mkdir", "archive")},
    **{name: _random(name) for name in ("rand", "bcrypt", "md5crypt", "encrypt", "x509genkey", "wggenkey")},
    **{name: _keys(name) for name in ("x509publickey", "x509cert", "x509parsecert", "wgpublickey")},
}
