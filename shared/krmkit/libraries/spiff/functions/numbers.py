"""Mathematical functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info
from krmkit.libraries.spiff.tree.nodes import go_type


def _one(args: list[Any], name: str, kinds: tuple[type, ...]) -> Any:
    if len(args) != 1:
        raise Failure(f"{name} requires one argument")
    if type(args[0]) not in kinds:
        raise Failure(f"invalid argument type for {name}: {go_type(args[0])}")
    return args[0]


def _rounding(name: str, operation: Callable[[float], float]) -> Callable[..., Any]:
    def rounded(args: list[Any], env: Env, info: Info) -> Any:
        value = _one(args, name, (int, float, bool))
        if type(value) is not float:
            return int(value)
        if not math.isfinite(value):
            raise Failure(f"{name}: no finite number")
        return int(operation(value))

    return rounded


def _away(value: float) -> float:
    whole = math.floor(abs(value))
    return math.copysign(whole + (1 if abs(value) - whole >= 0.5 else 0), value)


def absolute(args: list[Any], env: Env, info: Info) -> Any:
    return abs(_one(args, "abs", (int, float)))


def _real(name: str, operation: Callable[[float], float]) -> Callable[..., Any]:
    def computed(args: list[Any], env: Env, info: Info) -> Any:
        value = float(_one(args, name, (int, float)))
        try:
            return operation(value)
        except OverflowError:
            return math.inf
        except ValueError:
            if name.startswith("log") and value == 0:
                return -math.inf
            raise Failure(f"{name}: NaN") from None

    return computed


FUNCTIONS = {
    "abs": absolute,
    "acos": _real("acos", math.acos),
    "acosh": _real("acosh", math.acosh),
    "asin": _real("asin", math.asin),
    "asinh": _real("asinh", math.asinh),
    "ceil": _rounding("ceil", math.ceil),
    "cos": _real("cos", math.cos),
    "cosh": _real("cosh", math.cosh),
    "exp": _real("exp", math.exp),
    "floor": _rounding("floor", math.floor),
    "log": _real("log", math.log),
    "log10": _real("log10", math.log10),
    "round": _rounding("round", _away),
    "roundtoeven": _rounding("roundtoeven", round),
    "sin": _real("sin", math.sin),
    "sinh": _real("sinh", math.sinh),
    "sqrt": _real("sqrt", math.sqrt),
}
