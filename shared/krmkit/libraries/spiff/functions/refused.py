"""Functions that reach outside or depend on the clock: each fails with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.spiff.functions.files import denied
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info


def _denied(name: str) -> Callable[..., Any]:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise denied(name)

    return refuse


def _clock(name: str) -> Callable[..., Any]:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise Failure(f"{name}: not supported: how long a certificate is valid depends on the clock")

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
    **{name: _denied(name) for name in ("write", "tempfile", "mkdir")},
    **{name: _clock(name) for name in ("x509cert", "x509parsecert")},
}
