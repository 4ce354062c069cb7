"""Parser of dynaml: `Parser().parse(" a + 1 ")` gives the expression."""

from __future__ import annotations

from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression, Parameter, Scoped
from krmkit.libraries.spiff.expressions.literals import MapExpression
from krmkit.libraries.spiff.expressions.marking import Marker
from krmkit.libraries.spiff.expressions.merging import Prefer
from krmkit.libraries.spiff.parsing.brackets import BracketParser
from krmkit.libraries.spiff.parsing.operands import OperandParser
from krmkit.libraries.spiff.parsing.operators import OperatorParser
from krmkit.libraries.spiff.parsing.references import ReferenceParser
from krmkit.libraries.spiff.parsing.scanner import DEEPEST, Scanner
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import Expression

_MARKERS = ("template", "temporary", "local", "inject", "state", "default", "dynamic")


class Parser:
    """The top of the grammar: markers, scopes, lambdas.

    `known` holds the expressions found at an offset: one in parentheses is tried as a scope first.
    """

    def __init__(self) -> None:
        self.scan = Scanner()
        self.brackets = BracketParser(self.scan, self)
        references = ReferenceParser(self.scan, self.brackets)
        operands = OperandParser(self.scan, self, self.brackets, references)
        self.operators = OperatorParser(self.scan, self, operands).operators
        self.known: dict[int, tuple[Expression | None, int]] = {}

    def parse(self, text: str, path: Path = (), stub_path: Path = ()) -> Expression:
        """Return the expression in a text. `path` is its place, `stub_path` where stubs are looked up (merge, auto use them).

        Raises Failure: `parse error near symbol 7 - symbol 8: ' '`. A run that reads many texts makes one parser for all.
        """
        self.scan.begin(text, path, stub_path)
        self.known.clear()
        found = self._whole()
        if found is None or self.scan.at < len(text):
            raise self.scan.error()
        return found

    def _whole(self) -> Expression | None:
        """prefer, markers, or an expression."""
        scan = self.scan
        scan.space()
        if scan.accept("prefer"):
            if scan.space():
                inner = self.expression()
                if inner is not None and scan.at == len(scan.text):
                    return Prefer(inner)
            scan.at = 0
        if scan.text.startswith("&", scan.at):
            return self._marked()
        scan.at = 0
        return self.expression()

    def _marked(self) -> Expression | None:
        scan = self.scan
        names: list[str] = []
        while True:
            start = scan.at
            name = self._marker()
            if not name:
                scan.at = start
                break
            if name not in names:
                names.append(name)
            if not scan.space():
                break
        if not names:
            return None
        start = scan.at
        inner = self.brackets.grouped() if scan.text.startswith("(", start) else None
        contents = scan.text[start : scan.at] if inner is not None else ""
        if inner is None:
            scan.at = start
        scan.space()
        return Marker(names, inner, contents)

    def _marker(self) -> str:
        scan = self.scan
        start = scan.at
        if not scan.accept("&"):
            return ""
        for word in _MARKERS:
            if scan.accept(word):
                scan.mark(start)
                return "&" + word
        if scan.accept("tag:"):
            name = scan.tag_name()
            return f"&tag:{name}" if name else ""
        return ""

    def expression(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        if start in self.known:
            expression, scan.at = self.known[start]
            return expression
        scan.depth += 1
        if scan.depth > DEEPEST:
            raise scan.error()
        expression = self._expression(start)
        scan.depth -= 1
        if expression is None:
            scan.at = start
        self.known[start] = (expression, scan.at)
        return expression

    def _expression(self, start: int) -> Expression | None:
        scan = self.scan
        scan.space()
        behind = scan.at
        char = scan.text[behind : behind + 1]
        found: Expression | None = None
        if char == "(":
            found = self._scoped()
        elif char == "|":
            found = self.lambda_expression()
        if found is None:
            scan.at = start
            found = self.operators()
        if found is not None:
            scan.space()
        return found

    def _scoped(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("(")
        scan.space()
        names = MapExpression(self.brackets.assignments())
        if not scan.accept(")"):
            return None
        scan.mark(start)
        scan.space()
        body = self.expression()
        return None if body is None else Scoped(names, body)

    def lambda_expression(self) -> LambdaExpression | None:
        scan = self.scan
        scan.space()
        start = scan.at
        if not scan.accept("|"):
            return None
        scan.space()
        parameters, varargs = self._parameters()
        if not scan.accept("|"):
            return None
        scan.mark(start)
        scan.space()
        if not scan.accept("->"):
            return None
        body = self.expression()
        return None if body is None else LambdaExpression(parameters, varargs, body)

    def _parameters(self) -> tuple[list[Parameter], bool]:
        scan = self.scan
        parameters: list[Parameter] = []
        while True:
            start = scan.at
            scan.space()
            name = scan.name()
            if not name:
                scan.at = start
                return parameters, False
            scan.space()
            default = None
            if scan.accept("="):
                default = self.expression()
            if default is None and parameters and parameters[-1].default is not None:
                return parameters, False
            parameters.append(Parameter(name, default))
            if scan.accept("..."):
                scan.space()
                return parameters, True
            if not scan.accept(","):
                return parameters, False
