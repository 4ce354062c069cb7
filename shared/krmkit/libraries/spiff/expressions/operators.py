"""Operators that need both values: arithmetic, comparison, concatenation."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import add, ge, gt, le, lt, mul, sub
from typing import Any

from krmkit.libraries.go.core.cast import wrap64
from krmkit.libraries.go.fmt.numbers import whole
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import integer, simple_text
from krmkit.libraries.spiff.tree import addresses
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name


class Binary(Expression):
    """`a operator b`; a subclass has the sign and the computation."""

    sign = ""

    def __init__(self, left: Expression, right: Expression) -> None:
        self.left = left
        self.right = right

    def evaluate(self, env: Env, locally: bool) -> Result:
        left, info = self.left.evaluate(env, False)
        right, found = self.right.evaluate(env, False)
        info = info.join(found)
        if isinstance(left, Expression) or isinstance(right, Expression):
            return self, info
        return self.apply(left, right, info, env), info

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        raise TypeError(self.sign)

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


class Concatenation(Binary):
    """`"a" b`, `[1] 2`, `map map`."""

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        text = simple_text(left)
        if text is not None:
            other = str(right) if isinstance(right, LambdaValue) else simple_text(right)
            if other is not None:
                made = text + other
                env.run.count(len(made) // 64)
                return made
        elif type(left) is dict and (right is None or type(right) is dict):
            return left if right is None else {**left, **right}
        elif type(left) is list:
            if right is None:
                return left
            env.run.count(len(left) + 1)
            return [*left, *(right if type(right) is list else [Node(right, "dynaml")])]
        raise Failure(
            f"type '{type_name(right)}'({self.right}) cannot be concatenated with"
            f" type '{type_name(left)}'({self.left})",
            info,
        )

    def __str__(self) -> str:
        return f"{self.left} {self.right}"


def _number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def _divided(left: Any, right: Any) -> Any:
    if type(left) is int and type(right) is int:
        result = abs(left) // abs(right)
        return result if (left < 0) == (right < 0) else -result
    return left / right


_COMPUTED: dict[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": _divided}


class Arithmetic(Binary):
    """An operator on numbers, addresses and networks; `others` is the start of its error message."""

    others = ""

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if type(left) is str:
            return self.on_text(left, right, info)
        if not _number(left) or not _number(right):
            raise Failure(f"{self.others} requires number arguments", info)
        try:
            total = _COMPUTED[self.sign](left, right)
        except ZeroDivisionError:
            raise Failure("division by zero", info) from None
        return wrap64(total) if type(total) is int else total

    def on_text(self, left: str, right: Any, info: Info) -> Any:
        raise TypeError(self.sign)


class Addition(Arithmetic):
    sign = "+"
    others = "non-IP address addition"

    def on_text(self, left: str, right: Any, info: Info) -> Any:
        _check_address(left, "first argument for addition", info)
        if type(right) is not int:
            raise Failure("addition argument for an IP address requires an integer argument", info)
        return addresses.moved(left, right, info)


def _check_address(text: str, what: str, info: Info) -> None:
    """Fail if a text is neither an address nor a CIDR. The message has spiff's word "substraction"."""
    if addresses.address(text) is None and addresses.network(text) is None:
        raise Failure(f"{what} must be IP address, CIDR or number", info)


class Subtraction(Arithmetic):
    sign = "-"
    others = "non-IP address subtration"

    def on_text(self, left: str, right: Any, info: Info) -> Any:
        _check_address(left, "first argument for substraction", info)
        if type(right) is str:
            _check_address(right, "second argument for substraction", info)
            return wrap64(addresses.distance(left, right))
        if type(right) is not int:
            raise Failure("second argument of IP address subtraction must be IP address or integer", info)
        return addresses.moved(left, -right, info)


class Multiplication(Arithmetic):
    sign = "*"
    others = "non-CIDR multiplication"

    def on_text(self, left: str, right: Any, info: Info) -> Any:
        network = _network(left, "multiplication", info)
        fail_if(type(right) is not int, "CIDR multiplication requires an integer argument", info)
        return addresses.following(network, right, info)


def _network(text: str, operation: str, info: Info) -> addresses.Network:
    network = addresses.network(text)
    if network is None:
        raise Failure(
            f"first argument of {operation} must be CIDR or number: invalid CIDR address: {text}", info
        )
    return network


class Division(Arithmetic):
    sign = "/"
    others = "non-CIDR division"

    def on_text(self, left: str, right: Any, info: Info) -> Any:
        network = _network(left, "division", info)
        fail_if(type(right) is not int, "IP address division requires an integer argument", info)
        fail_if(right < 1, "IP address division requires a positive integer argument", info)
        return addresses.divided(network, right, info)


class Modulo(Binary):
    sign = "%"

    def evaluate(self, env: Env, locally: bool) -> Result:
        left, info = self.left.evaluate(env, False)
        if not isinstance(left, Expression):
            left = integer(left, info)  # before the right side, whose failure would hide it
        right, found = self.right.evaluate(env, False)
        info = info.join(found)
        if isinstance(left, Expression) or isinstance(right, Expression):
            return self, info
        return self.apply(left, integer(right, info), info, env), info

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        fail_if(right == 0, "division by zero", info)
        return int(math.copysign(1, left)) * (abs(left) % abs(right))


_ORDERS: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Comparison(Binary):
    """`a == b`, `a < b` and the like."""

    def __init__(self, left: Expression, operator: str, right: Expression) -> None:
        super().__init__(left, right)
        self.operator = operator

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        operator = self.operator
        if operator in ("==", "!=") and type(left) in (dict, list):
            env.run.hold(left)
        if operator == "==":
            return equal(left, right)
        if operator == "!=":
            return not equal(left, right)
        kind = type(left)
        if kind is int:
            if type(right) is not int:
                raise Failure(f"comparision {operator} only for integers or strings", info)
        elif kind is str:
            if type(right) is not str:
                raise Failure(f"comparision {operator} only for strings or integers", info)
            left, right = left.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass")
        else:
            return False
        return _ORDERS[operator](left, right)

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


def equal(left: Any, right: Any) -> bool:
    """Return True if two values are equal; simple values are converted to the left one's type.

    Values of different types are not equal. Raises Failure if one is nil (without a message, as in spiff),
    and if only one of them has a text.
    """
    if left is None or right is None:
        if left is right:
            return True
        raise Failure("")
    kind = type(left)
    if kind is str:
        text = str(right) if isinstance(right, LambdaValue) else simple_text(right)
        if text is None:
            raise Failure("types uncomparable")
        return bool(left == text)
    if kind is int:
        if type(right) is str:
            return bool(whole(right) == left)
        return type(right) in (int, bool) and bool(left == int(right))
    if kind is bool:
        if type(right) is str:
            return right.lower() in (("1", "t", "true") if left else ("0", "f", "false"))
        return type(right) is bool and left == right
    if isinstance(left, LambdaValue):
        return str(left) == right if type(right) is str else left == right
    if kind is list:
        return (
            type(right) is list
            and len(left) == len(right)
            and all(_entries_equal(one.value, other.value) for one, other in zip(left, right, strict=True))
        )
    if kind is dict:
        return (
            type(right) is dict
            and len(left) == len(right)
            and all(
                key in left and _entries_equal(left[key].value, node.value) for key, node in right.items()
            )
        )
    return False


def loosely_equal(left: Any, right: Any) -> bool:
    """Return True if two values are equal; incomparable values are not."""
    try:
        return equal(left, right)
    except Failure:
        return False


def _entries_equal(left: Any, right: Any) -> bool:
    """Compare entries; as in spiff, nil ones are never equal."""
    return left is not None and right is not None and loosely_equal(left, right)
