"""Functions for templates, with the parameter types that Go's reflection checks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TYPES = {
    "any": "interface {}",
    "value": "reflect.Value",
    "list": "[]interface {}",
    "map": "map[string]interface {}",
    "time": "time.Time",
    "duration": "time.Duration",
}
"""Short names of parameter types; any other name is a Go type itself: string, int64, *semver.Version."""

_NILABLE = ("[]", "map[", "*", "func(", "interface {}", "reflect.Value")


class GoFunction:
    """A Go function: `impl` gets the checked arguments by position and raises GoError to fail.

    params: the parameter types, by the names of TYPES or Go's own. With variadic=True the last one is the
    type
        of any number of further arguments. A parameter `any` receives None for nil and for absent
        values; `value` (reflect.Value) distinguishes them as None and ABSENT; nil for a `list` or
        `map` arrives as None.
    result: Go's result type; only matters to error messages about fields of the result.
    """

    __slots__ = ("impl", "params", "result", "types", "variadic")

    def __init__(
        self,
        impl: Callable[..., object],
        params: tuple[str, ...] = (),
        variadic: bool = False,
        result: str = "any",
    ) -> None:
        self.impl = impl
        self.params = params
        self.variadic = variadic
        self.result = TYPES.get(result, result)
        self.types = tuple([TYPES.get(name, name) for name in params])

    def load(self) -> Callable[..., object]:
        """Return the implementation; called when a template that uses the function is parsed."""
        return self.impl


FunctionSet = dict[str, GoFunction]


def can_be_nil(type_name: str) -> bool:
    """Return True if nil may be passed for a parameter of this Go type."""
    return type_name.startswith(_NILABLE)
