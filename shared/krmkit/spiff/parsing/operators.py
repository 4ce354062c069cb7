"""Parser of dynaml: `parse(" a + 1 ")` gives the expression; the order of the operators is that of the reference's grammar."""

from __future__ import annotations

from krmkit.spiff.errors import Path
from krmkit.spiff.expressions.lambdas import LambdaExpression, Parameter, Scoped
from krmkit.spiff.expressions.literals import MapExpression
from krmkit.spiff.expressions.logic import Conditional, LogAnd, LogOr, Or, ValidOr
from krmkit.spiff.expressions.marking import Marker
from krmkit.spiff.expressions.merging import Prefer
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
from krmkit.spiff.parsing.primaries import Primaries
from krmkit.spiff.parsing.scanner import DEEPEST

_MARKERS = ("template", "temporary", "local", "inject", "state", "default", "dynamic")
_PRODUCTS = {"*": Multiplication, "/": Division, "%": Modulo}
_SUMS = {"+": Addition, "-": Subtraction}
_COMPARISONS = ("==", "!=", "<=", ">=", ">", "<")
_LOGIC: dict[str, type[Binary]] = {"-or": LogOr, "-and": LogAnd}
_ORS: dict[str, type[Binary]] = {"||": Or, "//": ValidOr}


def parse(text: str, path: Path = (), stub_path: Path = ()) -> Expression:
    """The expression in a text. `path` is where it stands, `stub_path` where stubs are looked up (merge, auto use them).

    Raises Failure: `parse error near symbol 7 - symbol 8: ' '`.
    """
    parser = Parser(text, path, stub_path)
    found = parser.whole()
    if found is None or parser.at < len(text):
        raise parser.error()
    return found


class Parser(Primaries):
    """The upper half: operators, scopes, lambdas, markers.

    `known` holds the expressions found at a place: one in parentheses is tried as a scope first.
    """

    def __init__(self, text: str, path: Path, stub_path: Path) -> None:
        super().__init__(text, path, stub_path)
        self.known: dict[int, tuple[Expression | None, int]] = {}

    def whole(self) -> Expression | None:
        """prefer, markers, or an expression."""
        self.space()
        if self.accept("prefer"):
            if self.space():
                inner = self.expression()
                if inner is not None and self.at == len(self.text):
                    return Prefer(inner)
            self.at = 0
        if self.text.startswith("&", self.at):
            return self._marked()
        self.at = 0
        return self.expression()

    def _marked(self) -> Expression | None:
        names: list[str] = []
        while True:
            start = self.at
            name = self._marker()
            if not name:
                self.at = start
                break
            if name not in names:
                names.append(name)
            if not self.space():
                break
        if not names:
            return None
        start = self.at
        inner = self._grouped() if self.text.startswith("(", start) else None
        contents = self.text[start : self.at] if inner is not None else ""
        if inner is None:
            self.at = start
        self.space()
        return Marker(names, inner, contents)

    def _marker(self) -> str:
        start = self.at
        if not self.accept("&"):
            return ""
        for word in _MARKERS:
            if self.accept(word):
                self.mark(start)
                return "&" + word
        if self.accept("tag:"):
            name = self.tag_name()
            return f"&tag:{name}" if name else ""
        return ""

    def expression(self) -> Expression | None:
        start = self.at
        if start in self.known:
            found, self.at = self.known[start]
            return found
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error()
        found = self._expression(start)
        self.depth -= 1
        if found is None:
            self.at = start
        self.known[start] = (found, self.at)
        return found

    def _expression(self, start: int) -> Expression | None:
        self.space()
        behind = self.at
        char = self.text[behind : behind + 1]
        found: Expression | None = None
        if char == "(":
            found = self._scoped()
        elif char == "|":
            found = self.lambda_expression()
        if found is None:
            self.at = start
            found = self.operators()
        if found is not None:
            self.space()
        return found

    def _scoped(self) -> Expression | None:
        start = self.at
        self.accept("(")
        self.space()
        names = MapExpression(self.assignments())
        if not self.accept(")"):
            return None
        self.mark(start)
        self.space()
        body = self.expression()
        return None if body is None else Scoped(names, body)

    def lambda_expression(self) -> LambdaExpression | None:
        self.space()
        start = self.at
        if not self.accept("|"):
            return None
        self.space()
        parameters, varargs = self._parameters()
        if not self.accept("|"):
            return None
        self.mark(start)
        self.space()
        if not self.accept("->"):
            return None
        body = self.expression()
        return None if body is None else LambdaExpression(parameters, varargs, body)

    def _parameters(self) -> tuple[list[Parameter], bool]:
        parameters: list[Parameter] = []
        while True:
            start = self.at
            self.space()
            name = self.name()
            if not name:
                self.at = start
                return parameters, False
            self.space()
            default = None
            if self.accept("="):
                default = self.expression()
            if default is None and parameters and parameters[-1].default is not None:
                return parameters, False
            parameters.append(Parameter(name, default))
            if self.accept("..."):
                self.space()
                return parameters, True
            if not self.accept(","):
                return parameters, False

    def operators(self) -> Expression | None:
        self.space()
        left = self._conditional()
        while left is not None:
            behind = self.at
            right = None
            if self.space():
                sign = self.text[self.at : self.at + 2]
                if sign in _ORS:
                    start = self.at
                    self.at += 2
                    self.mark(start)
                    if self.space():
                        right = self._conditional()
            if right is None:
                self.at = behind
                return left
            left = _ORS[sign](left, right)
        return None

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
            left = Concatenation(left, right)
        return None

    def _logic(self) -> Expression | None:
        left = self._comparison()
        while left is not None:
            behind = self.at
            right = None
            if self.space():
                sign = "-or" if self.text.startswith("-or", self.at) else "-and"
                if self.accept(sign) and self.space():
                    right = self._comparison()
            if right is None:
                self.at = behind
                return left
            left = _LOGIC[sign](left, right)
        return None

    def _comparison(self) -> Expression | None:
        left = self._sum_level()
        while left is not None:
            behind = self.at
            right = None
            if self.space():
                start = self.at
                for sign in _COMPARISONS:
                    if self.accept(sign):
                        self.mark(start)
                        if self.space():
                            right = self._sum_level()
                        break
            if right is None:
                self.at = behind
                return left
            left = Comparison(left, sign, right)
        return None

    def _sum_level(self) -> Expression | None:
        left = self._product()
        while left is not None:
            behind = self.at
            right = None
            if self.space():
                sign = self.text[self.at : self.at + 1]
                if sign in _SUMS:
                    self.at += 1
                    if self.space():
                        right = self._product()
            if right is None:
                self.at = behind
                return left
            left = _SUMS[sign](left, right)
        return None

    def _product(self) -> Expression | None:
        left = self.level0()
        while left is not None:
            behind = self.at
            right = None
            if self.space():
                sign = self.text[self.at : self.at + 1]
                if sign in _PRODUCTS:
                    self.at += 1
                    if self.space():
                        right = self.level0()
            if right is None:
                self.at = behind
                return left
            left = _PRODUCTS[sign](left, right)
        return None
