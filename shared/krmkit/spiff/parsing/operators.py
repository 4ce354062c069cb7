"""Parser of what is between operands; the order of the operators is that of the reference's grammar."""

from __future__ import annotations

from krmkit.spiff.expressions.logic import Conditional, LogAnd, LogOr, Or, ValidOr
from krmkit.spiff.expressions.operators import (
    Addition,
    Binary,
    Comparison,
    Concatenation,
    Division,
    Modulo,
    Multiplication,
    Subtraction,
)
from krmkit.spiff.nodes import Expression
from krmkit.spiff.parsing.brackets import Grammar
from krmkit.spiff.parsing.operands import OperandParser
from krmkit.spiff.parsing.scanner import Scanner

_PRODUCTS = {"*": Multiplication, "/": Division, "%": Modulo}
_SUMS = {"+": Addition, "-": Subtraction}
_COMPARISONS = ("==", "!=", "<=", ">=", ">", "<")
_LOGIC: dict[str, type[Binary]] = {"-or": LogOr, "-and": LogAnd}
_ORS: dict[str, type[Binary]] = {"||": Or, "//": ValidOr}


class OperatorParser:
    """Operators, the loosest first. An operator has white space on both sides, else its sign begins something else."""

    __slots__ = ("grammar", "operands", "scan")

    def __init__(self, scan: Scanner, grammar: Grammar, operands: OperandParser) -> None:
        self.scan = scan
        self.grammar = grammar
        self.operands = operands

    def operators(self) -> Expression | None:
        """An expression without a scope or lambda in front."""
        scan = self.scan
        scan.space()
        left = self._conditional()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space():
                sign = scan.text[scan.at : scan.at + 2]
                if sign in _ORS:
                    start = scan.at
                    scan.at += 2
                    scan.mark(start)
                    if scan.space():
                        right = self._conditional()
            if right is None:
                scan.at = behind
                return left
            left = _ORS[sign](left, right)
        return None

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

    def _logic(self) -> Expression | None:
        scan = self.scan
        left = self._comparison()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space():
                sign = "-or" if scan.text.startswith("-or", scan.at) else "-and"
                if scan.accept(sign) and scan.space():
                    right = self._comparison()
            if right is None:
                scan.at = behind
                return left
            left = _LOGIC[sign](left, right)
        return None

    def _comparison(self) -> Expression | None:
        scan = self.scan
        left = self._sum_level()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space():
                start = scan.at
                for sign in _COMPARISONS:
                    if scan.accept(sign):
                        scan.mark(start)
                        if scan.space():
                            right = self._sum_level()
                        break
            if right is None:
                scan.at = behind
                return left
            left = Comparison(left, sign, right)
        return None

    def _sum_level(self) -> Expression | None:
        scan = self.scan
        left = self._product()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space():
                sign = scan.text[scan.at : scan.at + 1]
                if sign in _SUMS:
                    scan.at += 1
                    if scan.space():
                        right = self._product()
            if right is None:
                scan.at = behind
                return left
            left = _SUMS[sign](left, right)
        return None

    def _product(self) -> Expression | None:
        scan = self.scan
        left = self.operands.operand()
        while left is not None:
            behind = scan.at
            right = None
            if scan.space():
                sign = scan.text[scan.at : scan.at + 1]
                if sign in _PRODUCTS:
                    scan.at += 1
                    if scan.space():
                        right = self.operands.operand()
            if right is None:
                scan.at = behind
                return left
            left = _PRODUCTS[sign](left, right)
        return None
