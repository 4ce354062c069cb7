"""Arguments of functions, checked and converted to the parameter's type as in Go's reflection."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import can_be_nil
from krmkit.libraries.go.core.values import ABSENT, Int64, type_of
from krmkit.libraries.gotemplate.execution import Execution, Site
from krmkit.libraries.gotemplate.nodes import Bool, Dot, Nil, Node, Numeral, String

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate.execution import Closure, Frame

_EXACT: dict[str, type] = {"string": str, "int": int, "int64": Int64, "float64": float, "bool": bool}
_LITERALS = {
    "bool": "bool",
    "string": "string",
    "int": "integer",
    "int64": "integer",
    "float64": "float",
    "complex128": "complex",
}


class Argument:
    """An argument: `expression` is None for constants, `last` the node visited last."""

    def __init__(self, node: Node, expression: Closure | None, last: Node) -> None:
        self.node = node
        self.expression = expression
        self.last = last


def typed(argument: Argument, type_name: str, site: Site) -> Closure:
    """Compile an argument for a parameter of a Go type: its value, or the error of a wrong type."""
    node = argument.node
    last = argument.last
    if argument.expression is None and not isinstance(node, Dot):
        return _constant(node, type_name, site)
    expression = argument.expression or dot_itself
    if type_name == "reflect.Value":
        return expression
    if type_name == "interface {}":

        def anything(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            value = expression(frame, dot, piped)
            return None if value is ABSENT else value

        return anything
    exact = _EXACT.get(type_name)
    if expression is piped_value:  # one call less on the way of most values

        def check_piped(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            return piped if type(piped) is exact else _validated(piped, type_name, frame, last, site)

        return check_piped

    def check(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        value = expression(frame, dot, piped)
        return value if type(value) is exact else _validated(value, type_name, frame, last, site)

    return check


def dot_itself(frame: Frame, dot: object, piped: object = ABSENT) -> object:
    """Return the dot: the expression `.`."""
    return dot


def piped_value(frame: Frame, dot: object, piped: object = ABSENT) -> object:
    """Return the value of the command before this one in the pipeline."""
    return piped


def _validated(value: object, type_name: str, frame: Frame, last: Node, site: Site) -> object:
    """Return a value that can be assigned to the type; nil for an absent one if the type allows it."""
    run: Execution = frame[0]
    if value is ABSENT:
        if can_be_nil(type_name):
            return None
        raise site.error(run, last, f"invalid value; expected {type_name}")
    found = "interface {}" if value is None else type_of(value)
    if found != type_name:
        raise site.error(run, last, f"wrong type for value; expected {type_name}; got {found}")
    return value


def constant(node: Node) -> object:
    """Return a literal's value where no type is required; None for an integer that overflows."""
    if isinstance(node, Numeral):
        return node.number.ideal()
    if isinstance(node, String):
        return node.value
    return node.text == "true" if isinstance(node, Bool) else None


def _constant(node: Node, type_name: str, site: Site) -> Closure:
    """Compile a literal for a parameter type: 3 may be a float64, 3.0 an int, and 3.5 not an int."""
    value: object = None
    problem = ""
    if isinstance(node, Nil):
        if type_name == "reflect.Value":
            value = ABSENT
        elif not can_be_nil(type_name):
            problem = f"cannot assign nil to {type_name}"
    elif type_name in ("interface {}", "reflect.Value"):
        value = constant(node)
        if value is None:
            problem = f"{node} overflows int"
    elif type_name in _LITERALS:
        value = _converted(node, type_name)
        if value is None:
            problem = f"expected {_LITERALS[type_name]}; found {node}"
    else:
        problem = f"can't handle {node} for arg of type {type_name}"
    return failing(problem, node, site) if problem else literal(value)


def literal(value: object) -> Closure:
    """Compile a known value."""

    def known(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        return value

    return known


def _converted(node: Node, type_name: str) -> object:
    if isinstance(node, Numeral):
        number = node.number
        if type_name == "int":
            return number.int
        if type_name == "int64":
            return None if number.int is None else Int64(number.int)
        if type_name == "float64":
            return number.float
        return number.complex if type_name == "complex128" else None
    wanted = {String: "string", Bool: "bool"}.get(type(node))
    return constant(node) if type_name == wanted else None


def failing(message: str, node: Node, site: Site) -> Closure:
    """Compile an expression that raises an error at a node."""

    def fail(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        raise site.error(frame[0], node, message)

    return fail
