"""Parser of operators, in the order of spiff's grammar."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.spiff.expressions import operators
from krmkit.libraries.spiff.expressions.logic import Conditional, LogAnd, LogOr, Or, ValidOr
from krmkit.libraries.spiff.parsing.operands import OperandParser
from krmkit.libraries.spiff.parsing.scanner import Scanner
from krmkit.libraries.spiff.tree.nodes import Expression

Operand = Callable[[], Expression | None]
Joined = Callable[[Expression, Expression], Expression]
"""An operator's expression of its left and its right operand."""


def _compared(sign: str) -> Joined:
    return lambda left, right: operators.Comparison(left, sign, right)


_PRODUCTS: dict[str, Joined] = {"*": operators.Multiplication, "/": operators.Division, "%": operators.Modulo}
_SUMS: dict[str, Joined] = {"+": operators.Addition, "-": operators.Subtraction}
# Of two signs that begin alike, the longer one first.
_COMPARISONS = {sign: _compared(sign) for sign in ("==", "!=", "<=", ">=", ">", "<")}
_LOGIC: dict[str, Joined] = {"-or": LogOr, "-and": LogAnd}
_ORS: dict[str, Joined] = {"||": Or, "//": ValidOr}


def _chain(scan: Scanner, operand: Operand, signs: dict[str, Joined], marks: bool = False) -> Operand:
    """Return a reader of operands joined from the left: `a - b - c` is `(a - b) - c`.

    marks: in error messages, a sign without an operand after it counts as read.
    """
    words = tuple(signs)

    def read() -> Expression | None:
        left = operand()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space() and scan.text.startswith(words, scan.at):
                start = scan.at
                sign = next(word for word in words if scan.accept(word))
                if marks:
                    scan.mark(start)
                if scan.space():
                    right = operand()
            if right is None:
                scan.at = behind
                return left
            left = signs[sign](left, right)
        return None

    return read


class OperatorParser(OperandParser):
    """Operators, the loosest first. They need white space, because other forms use their signs."""

    def __init__(self) -> None:
        super().__init__()
        sums = _chain(self, _chain(self, self.operand, _PRODUCTS), _SUMS)
        self._logic = _chain(self, _chain(self, sums, _COMPARISONS, marks=True), _LOGIC)
        self._ors = _chain(self, self._conditional, _ORS, marks=True)

    def operators(self) -> Expression | None:
        self.space()
        return self._ors()

    def _conditional(self) -> Expression | None:
        condition = self._concatenation()
        if condition is None:
            return None
        behind = self.at
        self.space()
        if self.accept("?"):
            yes = self.expression()
            no = self.expression() if yes is not None and self.accept(":") else None
            if yes is not None and no is not None:
                return Conditional(condition, yes, no)
        self.at = behind
        return condition

    def _concatenation(self) -> Expression | None:
        left = self._logic()
        while left is not None:
            behind = self.at
            right = self._logic() if self.space() else None
            if right is None:
                self.at = behind
                return left
            left = operators.Concatenation(left, right)
        return None
