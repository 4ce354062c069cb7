"""The operators that need both values: arithmetic, comparison, concatenation."""

from __future__ import annotations

import math
from typing import Any

from krmkit.lang.spiff import addresses
from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info, Result
from krmkit.lang.spiff.expressions.lambdas import LambdaValue
from krmkit.lang.spiff.expressions.literals import simple_text, wrapped
from krmkit.lang.spiff.nodes import Expression, Node, type_name


class Binary(Expression):
    """`a operator b`, for operators that need both values."""

    __slots__ = ("left", "right")
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

    __slots__ = ()

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


class Addition(Binary):
    __slots__ = ()
    sign = "+"

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if _number(left) and _number(right):
            total = left + right
            return wrapped(total) if type(total) is int else total
        if type(left) is str:
            if type(right) is not int:
                raise Failure("address arithmetic requires an integer as second argument for PLUS", info)
            return addresses.moved(left, right, "PLUS", info)
        raise Failure("non-IP address addition requires number arguments", info)


class Subtraction(Binary):
    __slots__ = ()
    sign = "-"

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if _number(left) and _number(right):
            total = left - right
            return wrapped(total) if type(total) is int else total
        if type(left) is str:
            if type(right) is str:
                return addresses.distance(left, right, info)
            if type(right) is not int:
                raise Failure("address arithmetic requires an integer as second argument for MINUS", info)
            return addresses.moved(left, -right, "MINUS", info)
        raise Failure("non-IP address subtration requires number arguments", info)


class Multiplication(Binary):
    __slots__ = ()
    sign = "*"

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if _number(left) and _number(right):
            total = left * right
            return wrapped(total) if type(total) is int else total
        if type(left) is str and type(right) is int:
            network = addresses.network(left)
            if network is None:
                raise Failure(
                    f"CIDR or number argument required as first argument for multiplication: "
                    f"invalid CIDR address: {left}",
                    info,
                )
            return addresses.following(network, right, info)
        raise Failure("number arguments or CIDR and integer required for multiplication", info)


class Division(Binary):
    __slots__ = ()
    sign = "/"

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if type(left) is str:
            if type(right) is not int:
                raise Failure("CIDR division requires an integer argument", info)
            if right == 0:
                raise Failure("division by zero", info)
            network = addresses.network(left)
            if network is None:
                raise Failure(
                    "CIDR or int argument required as first argument for division:"
                    f" invalid CIDR address: {left}",
                    info,
                )
            return addresses.divided(network, right, info)
        if not _number(left) or not _number(right):
            raise Failure("non-CIDR division requires number arguments", info)
        if right == 0:
            raise Failure("division by zero", info)
        if type(left) is int and type(right) is int:
            result = abs(left) // abs(right)
            return wrapped(result if (left < 0) == (right < 0) else -result)
        return left / right


class Modulo(Binary):
    __slots__ = ()
    sign = "%"

    def apply(self, left: Any, right: Any, info: Info, env: Env) -> Any:
        if type(left) is not int or type(right) is not int:
            raise Failure("integer operand required", info)
        if right == 0:
            raise Failure("division by zero", info)
        return int(math.copysign(1, left)) * (abs(left) % abs(right))


class Comparison(Binary):
    """`a == b` and its kind."""

    __slots__ = ("operator",)

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
        if operator == "<":
            return left < right
        if operator == "<=":
            return left <= right
        return left > right if operator == ">" else left >= right

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal; simple values are brought to the type of the left one."""
    if left is None and right is None:
        return True
    kind = type(left)
    if kind is str:
        text = str(right) if isinstance(right, LambdaValue) else simple_text(right)
        if text is None:
            raise Failure("types uncomparable")
        return bool(left == text)
    if kind is int:
        if type(right) is str:
            return bool(_parsed(right) == left)
        if type(right) in (int, bool):
            return bool(left == int(right))
        raise Failure("types uncomparable")
    if kind is bool:
        return _equal_bool(left, right)
    if isinstance(left, LambdaValue):
        if type(right) is str:
            return str(left) == right
        if isinstance(right, LambdaValue):
            return left == right
        raise Failure("types uncomparable")
    if left is None:
        raise Failure("types uncomparable")
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
    if right is None:
        raise Failure("types uncomparable")
    return False


def loosely_equal(left: Any, right: Any) -> bool:
    """As `equal`, where types that cannot be compared are just not equal."""
    try:
        return equal(left, right)
    except Failure:
        return False


def _entries_equal(left: Any, right: Any) -> bool:
    """Entries that are nil are never equal, as in the reference."""
    return left is not None and right is not None and loosely_equal(left, right)


def _equal_bool(left: bool, right: Any) -> bool:
    if type(right) is bool:
        return left == right
    if type(right) is str:
        return right.lower() == ("true" if left else "false")
    if type(right) is int:
        return False
    raise Failure("types uncomparable")


def _parsed(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdigit() or not digits.isascii() or len(digits) > 19:
        return None
    return int(text)
