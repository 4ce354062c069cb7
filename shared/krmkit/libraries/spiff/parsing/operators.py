"""Parser of what is between operands; the order of the operators is that of the reference's grammar."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.spiff.expressions.logic import Conditional, LogAnd, LogOr, Or, ValidOr
from krmkit.libraries.spiff.expressions.operators import (
    Addition,
    Comparison,
    Concatenation,
    Division,
    Modulo,
    Multiplication,
    Subtraction,
)
from krmkit.libraries.spiff.parsing.brackets import Grammar
from krmkit.libraries.spiff.parsing.operands import OperandParser
from krmkit.libraries.spiff.parsing.scanner import Scanner
from krmkit.libraries.spiff.tree.nodes import Expression

Operand = Callable[[], Expression | None]
Joined = Callable[[Expression, Expression], Expression]
"""An operator's expression of its left and its right operand."""


def _compared(sign: str) -> Joined:
    return lambda left, right: Comparison(left, sign, right)


_PRODUCTS: dict[str, Joined] = {"*": Multiplication, "/": Division, "%": Modulo}
_SUMS: dict[str, Joined] = {"+": Addition, "-": Subtraction}
# Of two signs that begin alike, the longer one first.
_COMPARISONS = {sign: _compared(sign) for sign in ("==", "!=", "<=", ">=", ">", "<")}
_LOGIC: dict[str, Joined] = {"-or": LogOr, "-and": LogAnd}
_ORS: dict[str, Joined] = {"||": Or, "//": ValidOr}


def _chain(scan: Scanner, operand: Operand, signs: dict[str, Joined], marks: bool = False) -> Operand:
    """Return the reader of operands with operators between them, joined from the left: `a - b - c` is `(a - b) - c`.

    marks: a sign without an operand behind it counts as read in the message about an error.
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


class OperatorParser:
    """Operators, the loosest first. An operator has white space on both sides, else its sign begins something else."""

    def __init__(self, scan: Scanner, grammar: Grammar, operands: OperandParser) -> None:
        self.scan = scan
        self.grammar = grammar
        sums = _chain(scan, _chain(scan, operands.operand, _PRODUCTS), _SUMS)
        self._logic = _chain(scan, _chain(scan, sums, _COMPARISONS, marks=True), _LOGIC)
        self._ors = _chain(scan, self._conditional, _ORS, marks=True)

    def operators(self) -> Expression | None:
        """An expression without a scope or lambda in front."""
        self.scan.space()
        return self._ors()

    def _conditional(self) -> Expression | None:
        scan = self.scan
        condition = self._concatenation()
        if condition is None:
            return None
        behind = scan.at
        scan.space()
        if scan.accept("?"):
            yes = self.grammar.expression()
            no = self.grammar.expression() if yes is not None and scan.accept(":") else None
            if yes is not None and no is not None:
                return Conditional(condition, yes, no)
        scan.at = behind
        return condition

    def _concatenation(self) -> Expression | None:
        scan = self.scan
        left = self._logic()
        while left is not None:
            behind = scan.at
            right = self._logic() if scan.space() else None
            if right is None:
                scan.at = behind
                return left
            left = Concatenation(left, right)
        return None
