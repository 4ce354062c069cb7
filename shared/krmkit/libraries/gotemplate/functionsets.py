"""The named sets of functions that templates can call."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import FunctionSet, GoFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SETS = ("builtins", "sprig", "hermetic", "landscaper")
"""Go's own functions only; sprig's TxtFuncMap; its HermeticTxtFuncMap (Cluster API's patches); sprig without
env and expandenv, with toYaml and fromYaml (Landscaper). Every set has Go's own functions beside its own.
"""


def function_set(functions: str | Mapping[str, GoFunction] | None) -> FunctionSet:
    """Return the functions beside Go's own: of a set of SETS, or those given; none for None and "builtins".

    Raises ValueError for an unknown set.
    """
    if functions is None or functions == "builtins":
        return {}
    if not isinstance(functions, str):
        return dict(functions)
    if functions not in SETS:
        raise ValueError(f"there is no function set {functions!r}; the sets are {', '.join(SETS)}")
    from krmkit.libraries.sprig import functions as sprig

    return sprig(functions)
