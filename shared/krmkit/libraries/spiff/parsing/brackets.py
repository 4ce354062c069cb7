"""Parser of forms in brackets: groups, lists, maps, ranges, and the mappings from map[...] to sync[...]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression
from krmkit.libraries.spiff.expressions.literals import (
    Expansion,
    Grouped,
    ListExpression,
    MapExpression,
    Range,
)
from krmkit.libraries.spiff.expressions.mappings import Catch, Mapping, Sum, SyncExpression
from krmkit.libraries.spiff.parsing.scanner import Scanner
from krmkit.libraries.spiff.tree.nodes import Expression


class BracketParser(Scanner):
    """Bracketed forms. A method returns None if its form is absent; the caller then backtracks."""

    @abstractmethod
    def expression(self) -> Expression | None:
        """Read a whole expression."""

    @abstractmethod
    def operators(self) -> Expression | None:
        """Read an expression that does not start with a scope or lambda."""

    @abstractmethod
    def lambda_expression(self) -> LambdaExpression | None:
        """Read `|x|->body`."""

    def bracketed(self) -> Expression | None:
        """Read map[...], select{...}, sum[...], catch[...], sync[...]."""
        start = self.at
        form = next((form for prefix, form in _FORMS.items() if self.accept(prefix)), None)
        expression = form(self) if form is not None else None
        if expression is not None:
            self.mark(start)
        return expression

    def _applied(self, end: str = "") -> tuple[Expression, Expression] | None:
        source = self.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not self.accept(end):
            return None
        return source, function

    def _mapping(self, word: str, braces: bool) -> Expression | None:
        applied = self._applied("}" if braces else "]")
        return None if applied is None else Mapping(word, braces, *applied)

    def _sum(self) -> Expression | None:
        source = self.operators()
        if source is None or not self.accept("|"):
            return None
        applied = self._applied("]")
        return None if applied is None else Sum(source, *applied)

    def _catch(self) -> Expression | None:
        applied = self._applied("]")
        return None if applied is None else Catch(*applied)

    def _sync(self) -> Expression | None:
        applied = self._applied()
        if applied is None:
            return None
        source, condition = applied
        result: Expression | None = None
        if isinstance(condition, LambdaExpression) and self.accept(","):
            body = self.expression()
            if body is None:
                return None
            result = LambdaExpression(condition.parameters, False, body)
        elif self.text.startswith("|", self.at):
            result = self.function()
        timeout = None
        if result is not None and self.accept("|"):
            timeout = self.expression()
        if not self.accept("]"):
            return None
        return SyncExpression(source, condition, result, timeout, False)

    def function(self) -> Expression | None:
        """Read a lambda, or `|` and an expression that gives one."""
        start = self.at
        found = self.lambda_expression()
        if found is not None:
            return found
        self.at = start
        return self.expression() if self.accept("|") else None

    def grouped(self) -> Expression | None:
        start = self.at
        self.accept("(")
        inner = self.expression()
        return Grouped(inner) if inner is not None and self.word(")", start) else None

    def list_literal(self) -> Expression | None:
        start = self.at
        self.accept("[")
        self.space()
        parts = self.arguments()
        return ListExpression(parts) if self.word("]", start) else None

    def arguments(self) -> list[Expression]:
        """Read expressions with commas between them, perhaps none; `a...` is expanded."""
        parts: list[Expression] = []
        behind = self.at
        while True:
            part = self.expression()
            if part is None:
                self.at = behind
                return parts
            if self.accept("..."):
                self.space()
                part = Expansion(part)
            parts.append(part)
            behind = self.at
            if not self.accept(","):
                return parts

    def range_literal(self) -> Range | None:
        """Read `[a..b]`."""
        start = self.at
        if not self.accept("["):
            return None
        first = self.expression()
        if first is None:
            self.at = start + 1
        if not self.accept(".."):
            return None
        behind = self.at
        last = self.expression()
        if last is None:
            self.at = behind
        return Range(first, last) if self.word("]", start) else None

    def map_literal(self) -> Expression | None:
        start = self.at
        self.accept("{")
        self.space()
        entries = self.assignments()
        return MapExpression(entries) if self.word("}", start) else None

    def assignments(self) -> list[tuple[Expression, Expression]]:
        """Read `key = value, ...`, perhaps nothing."""
        entries: list[tuple[Expression, Expression]] = []
        behind = self.at
        while True:
            key = self.expression()
            value = self.expression() if key is not None and self.accept("=") else None
            if key is None or value is None:
                self.at = behind
                return entries
            entries.append((key, value))
            behind = self.at
            if not self.accept(","):
                return entries


_FORMS: dict[str, Callable[[BracketParser], Expression | None]] = {
    "map{": lambda parser: parser._mapping("map", True),
    "map[": lambda parser: parser._mapping("map", False),
    "select{": lambda parser: parser._mapping("select", True),
    "select[": lambda parser: parser._mapping("select", False),
    "filter{": lambda parser: parser._mapping("filter", True),
    "filter[": lambda parser: parser._mapping("filter", False),
    "sum[": BracketParser._sum,
    "catch[": BracketParser._catch,
    "sync[": BracketParser._sync,
}
