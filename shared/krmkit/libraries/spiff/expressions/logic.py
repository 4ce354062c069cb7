"""Operators that may skip an operand: `-or`, `-and`, `||`, `//`, `? :` and `!`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.spiff.expressions.literals import truth
from krmkit.libraries.spiff.expressions.operators import Binary
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Result
from krmkit.libraries.spiff.tree.nodes import Expression, evaluate_last


class Logic(Binary):
    """`-or` and `-and`: bitwise for ints, else logical; a failing right side matters only if it decides."""

    def evaluate(self, env: Env, locally: bool) -> Result:
        try:
            left, info = self.left.evaluate(env, False)
        except Failure:
            raise Failure("") from None  # spiff's message has no reason for the left side's failure
        if isinstance(left, Expression):
            return self, info
        failure = None
        right: Any = None
        try:
            right, found = self.right.evaluate(env, False)
            info = info.join(found)
        except Failure as error:
            failure = error
        if isinstance(right, Expression):
            return self, info
        if type(left) is int and type(right) is int and failure is None:
            return (left | right if self.decisive else left & right), info
        if truth(left) is self.decisive and (failure is None or type(left) is not int):
            return self.decisive, info
        if failure is not None:
            raise failure
        return truth(right), info

    decisive = True


class LogOr(Logic):
    sign = "-or"


class LogAnd(Logic):
    sign = "-and"
    decisive = False


class Or(Binary):
    """`a || b`: b if a fails or is undefined."""

    sign = "||"
    needs_value = False

    def evaluate(self, env: Env, locally: bool) -> Result:
        start = env.run.demands
        try:
            left, info = self.left.evaluate(env, False)
        except Failure as failure:
            info = failure.info
        else:
            if isinstance(left, Expression):
                return self, info
            if not info.undefined and not (self.needs_value and left is None):
                return left, info
        right, found = evaluate_last(self.right, env, start)
        return right, info.without_error().join(found)


class ValidOr(Or):
    """`a // b`: b if a fails, is undefined or nil."""

    sign = "//"
    needs_value = True


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expression):
    """`c ? t :f`."""

    condition: Expression
    yes: Expression
    no: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        start = env.run.demands
        value, info = self.condition.evaluate(env, False)
        if isinstance(value, Expression):
            return self, info
        chosen, found = evaluate_last(self.yes if truth(value) else self.no, env, start)
        joined = found if info.key_name == "" and not info.undefined else found.join(info.without_error())
        return chosen, joined

    def __str__(self) -> str:
        return f"{self.condition} ? {self.yes} : {self.no}"


@dataclass(frozen=True, slots=True, eq=False)
class Not(Expression):
    """`!x`."""

    inner: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.inner.evaluate(env, False)
        if isinstance(value, Expression):
            return self, info
        return not truth(value), info

    def __str__(self) -> str:
        return f"!({self.inner})"
