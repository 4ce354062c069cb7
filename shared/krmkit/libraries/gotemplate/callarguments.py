"""Arguments of functions: evaluated, then checked and converted for the parameter's type as reflection does it."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import can_be_nil
from krmkit.libraries.go.core.values import ABSENT, Int64, type_of
from krmkit.libraries.gotemplate.execution import Execution, Site
from krmkit.libraries.gotemplate.nodes import Bool, Dot, Nil, Node, Numeral, String

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krmkit.libraries.gotemplate.execution import Expression, Frame

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
    """An argument of a call: `expression` is None for constants, `last` the node visited last in evaluating it."""

    __slots__ = ("expression", "last", "node")

    def __init__(self, node: Node, expression: Expression | None, last: Node) -> None:
        self.node = node
        self.expression = expression
        self.last = last


def typed(argument: Argument, type_name: str, site: Site) -> Expression:
    """The expression that gives the argument for a parameter of this Go type, or raises the error."""
    node = argument.node
    expression = argument.expression
    if isinstance(node, Dot):
        expression = dot_itself
    if expression is None:
        return _constant(node, type_name, site)
    if type_name == "reflect.Value":
        return expression
    if type_name == "interface {}":
        value_of = expression

        def anything(frame: Frame, dot: object) -> object:
            value = value_of(frame, dot)
            return None if value is ABSENT else value

        return anything
    exact = _EXACT.get(type_name)
    last = argument.last
    checked = expression

    def check(frame: Frame, dot: object) -> object:
        value = checked(frame, dot)
        return value if type(value) is exact else validate(value, type_name, frame, last, site)

    return check


def final(type_name: str, last: Node, site: Site) -> Callable[[Frame, object], object]:
    """The check of a value that comes through the pipe; `last` is the node that its error names."""
    if type_name == "reflect.Value":
        return dot_itself
    if type_name == "interface {}":
        return _any_final
    exact = _EXACT.get(type_name)

    def check(frame: Frame, value: object) -> object:
        return value if type(value) is exact else validate(value, type_name, frame, last, site)

    return check


def dot_itself(frame: Frame, dot: object) -> object:
    """The expression `.`, and the check of a parameter that takes anything."""
    return dot


def _any_final(frame: Frame, value: object) -> object:
    return None if value is ABSENT else value


def validate(value: object, type_name: str, frame: Frame, last: Node, site: Site) -> object:
    """The value, if it can be assigned to the type; nil for an absent value where nil is allowed."""
    run: Execution = frame[0]
    if value is ABSENT:
        if can_be_nil(type_name):
            return None
        raise site.error(run, last, f"invalid value; expected {type_name}")
    if value is None:
        raise site.error(run, last, f"wrong type for value; expected {type_name}; got interface {{}}")
    found = type_of(value)
    if found != type_name:
        raise site.error(run, last, f"wrong type for value; expected {type_name}; got {found}")
    return value


def constant(node: Node) -> object:
    """The value of a literal where no type is asked for; None for an integer that overflows."""
    if isinstance(node, Numeral):
        return node.number.ideal()
    if isinstance(node, String):
        return node.text
    return node.value if isinstance(node, Bool) else None


def _constant(node: Node, type_name: str, site: Site) -> Expression:
    """A literal as a parameter of a type: 3 may be a float64, 3.0 an int, and 3.5 none."""
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
    if problem:
        return failing(problem, node, site)

    def literal(frame: Frame, dot: object) -> object:
        return value

    return literal


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
    if isinstance(node, String):
        return node.text if type_name == "string" else None
    return node.value if isinstance(node, Bool) and type_name == "bool" else None


def failing(message: str, node: Node, site: Site) -> Callable[..., object]:
    """An expression, or a later stage of a pipeline, that ends the execution with an error at a node."""

    def fail(frame: Frame, *_: object) -> object:
        raise site.error(frame[0], node, message)

    return fail
