"""The named sets of functions that templates can call."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import FunctionSet, GoFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SETS = ("builtins", "sprig", "hermetic", "landscaper")
"""The names of function sets: Go's own functions only; sprig's TxtFuncMap; its HermeticTxtFuncMap (Cluster API patches);
sprig without env and expandenv, with toYaml and fromYaml (Landscaper). Every set has Go's own functions beside its own.
"""


def function_set(functions: str | Mapping[str, GoFunction] | None) -> FunctionSet:
    """The functions beside Go's own: of a named set (see SETS), or those given; None and "builtins" are none.

    Raises ValueError for a set that is not known.
    """
    if functions is None or functions == "builtins":
        return {}
    if not isinstance(functions, str):
        return dict(functions)
    if functions not in SETS:
        raise ValueError(f"there is no function set {functions!r}; the sets are {', '.join(SETS)}")
    from krmkit.libraries.sprig import functions as sprig

    found: FunctionSet = sprig(functions)
    return found
