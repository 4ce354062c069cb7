"""Functions that reach outside or depend on the clock, which fail with their names."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.spiff.functions.files import denied
from krmkit.libraries.spiff.functions.registry import FUNCTIONS
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info


def _pipe(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) < 3:
        raise Failure("pipe requires at least two arguments")
    raise denied("pipe")


def _refuse(name: str, failure: Failure) -> None:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise failure

    FUNCTIONS[name] = refuse


FUNCTIONS.update(pipe=_pipe, pipe_uncached=_pipe)
for _name in ("exec", "exec_uncached", "write", "tempfile", "mkdir"):
    _refuse(_name, denied(_name.removesuffix("_uncached")))
for _name in ("x509cert", "x509parsecert"):
    _refuse(_name, Failure(f"{_name}: not supported: how long a certificate is valid depends on the clock"))
