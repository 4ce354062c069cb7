"""Mathematical functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from krmkit.libraries.spiff.functions.registry import function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, fail_if
from krmkit.libraries.spiff.tree.nodes import go_type


def _function(name: str, kinds: tuple[type, ...], work: Callable[[Any], Any]) -> None:
    @function(name, f"{name} requires one argument")
    def computed(env: Env, value: Any) -> Any:
        fail_if(type(value) not in kinds, f"invalid argument type for {name}: {go_type(value)}")
        return work(value)


def _rounding(name: str, operation: Callable[[float], float]) -> None:
    def rounded(value: Any) -> int:
        fail_if(type(value) is float and not math.isfinite(value), f"{name}: no finite number")
        return int(operation(value) if type(value) is float else value)

    _function(name, (int, float, bool), rounded)


def _away(value: float) -> float:
    whole = math.floor(abs(value))
    return math.copysign(whole + (1 if abs(value) - whole >= 0.5 else 0), value)


def _real(name: str) -> None:
    def computed(value: float) -> float:
        try:
            return float(getattr(math, name)(float(value)))
        except OverflowError:
            return math.inf
        except ValueError:
            if name.startswith("log") and value == 0:
                return -math.inf
            raise Failure(f"{name}: NaN") from None

    _function(name, (int, float), computed)


_function("abs", (int, float), abs)
_rounding("ceil", math.ceil)
_rounding("floor", math.floor)
_rounding("round", _away)
_rounding("roundtoeven", round)
for _name in "acos acosh asin asinh cos cosh exp log log10 sin sinh sqrt".split():
    _real(_name)
