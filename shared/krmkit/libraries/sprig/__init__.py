"""Sprig, the function library of Go's templates.

    from krmkit.libraries.sprig import functions
    functions("sprig")["substr"].impl(0, 4, "1.29.4")   # "1.29"

The first call of a function loads its module.
"""

from __future__ import annotations

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.limits import charge_arguments, charge_result

__all__ = ["call", "functions"]

SETS = ("sprig", "hermetic", "landscaper")

_known: dict[str, dict[str, GoFunction]] = {}


def functions(set_name: str) -> dict[str, GoFunction]:
    """Return the functions of a set by name: `sprig` (TxtFuncMap), `hermetic` (Cluster API's), `landscaper`.

    No set has env and expandenv, because a template must not read the environment. Raises ValueError for
    other names of sets.
    """
    if set_name not in SETS:
        raise ValueError(f"there is no set of sprig functions {set_name!r}; the sets are {', '.join(SETS)}")
    found = _known.get(set_name)
    if found is None:
        found = _known[set_name] = _select(set_name)
    return dict(found)


def call(name: str, *args: object) -> object:
    """Call one function of `sprig` with arguments of the right types (str for string, int for int ...).

    Raises KeyError for an unknown name and GoError where the function fails.
    """
    return functions("sprig")[name].impl(*args)


class _Lazy:
    def __init__(self, place: str) -> None:
        self._place = place
        self._function: object = None

    def __call__(self, *args: object) -> object:
        function = self._function
        if function is None:
            function = self._function = self._load()
        assert callable(function)
        charge_arguments(args)
        return charge_result(function(*args))

    def _load(self) -> object:
        from importlib import import_module

        module, _, name = self._place.rpartition(".")
        if module == "str":
            method = getattr(str, name)
            return lambda *args: method(args[-1], *args[:-1])
        place = f"krmkit.libraries.{module}" if module.startswith("go.") else f"{__name__}.{module}"
        return getattr(import_module(place), name)


def _select(set_name: str) -> dict[str, GoFunction]:
    from krmkit.libraries.sprig.functiontable import FUNCTIONS, LANDSCAPER, NOT_HERMETIC

    if set_name == "sprig":
        return _read(FUNCTIONS)
    every = functions("sprig")
    if set_name == "landscaper":
        return {**every, **_read(LANDSCAPER)}
    return {name: function for name, function in every.items() if name not in NOT_HERMETIC}


def _read(table: str) -> dict[str, GoFunction]:
    out: dict[str, GoFunction] = {}
    for line in table.splitlines():
        names, equals, rest = line.partition(" = ")
        if not equals:
            continue
        signature, _, result = rest.partition(" > ")
        place, *params = signature.split(" ")
        variadic = bool(params) and params[-1].startswith("...")
        if variadic:
            params[-1] = params[-1][3:]
        impl = _Lazy(place)
        for name in names.split(" "):
            out[name] = GoFunction(impl, tuple(params), variadic, result or "any")
    return out
