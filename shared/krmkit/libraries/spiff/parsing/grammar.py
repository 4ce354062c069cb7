"""Parser of dynaml: `Parser().parse(" a + 1 ")` returns an Expression."""

from __future__ import annotations

from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression, Parameter, Scoped
from krmkit.libraries.spiff.expressions.literals import MapExpression
from krmkit.libraries.spiff.expressions.marking import Marker
from krmkit.libraries.spiff.expressions.merging import Prefer
from krmkit.libraries.spiff.parsing.operators import OperatorParser
from krmkit.libraries.spiff.parsing.scanner import DEEPEST, MARKER, NAME, TAG_NAME
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import Expression


class Parser(OperatorParser):
    """The top of the grammar: markers, scopes, lambdas.

    `known` keeps the expression at each offset, because a parenthesized one is first tried as a scope.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[int, tuple[Expression | None, int]] = {}

    def parse(self, text: str, path: Path = (), stub_path: Path = ()) -> Expression:
        """Parse a text. merge and auto use its path in the document, and `stub_path`, its path in stubs.

        Raises Failure: `parse error near symbol 7 - symbol 8: ' '`. A run makes one parser for all its texts.
        """
        self.begin(text, path, stub_path)
        self.known.clear()
        found = self._whole()
        if found is None or self.at < len(text):
            raise self.error()
        return found

    def _whole(self) -> Expression | None:
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
        inner = self.grouped() if self.text.startswith("(", start) else None
        contents = self.text[start : self.at] if inner is not None else ""
        if inner is None:
            self.at = start
        self.space()
        return Marker(names, inner, contents)

    def _marker(self) -> str:
        found = self.match(MARKER)
        if not found and self.accept("&tag:"):
            name = self.match(TAG_NAME)
            found = f"&tag:{name}" if name else ""
        return found

    def expression(self) -> Expression | None:
        start = self.at
        if start in self.known:
            expression, self.at = self.known[start]
            return expression
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error()
        expression = self._expression(start)
        self.depth -= 1
        if expression is None:
            self.at = start
        self.known[start] = (expression, self.at)
        return expression

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
            name = self.match(NAME)
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
