"""Parser of what is in brackets: groups, lists, maps, ranges, and map[...], select[...], sum[...], catch[...], sync[...]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

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


class Grammar(Protocol):
    """The parser of whole expressions, for forms that contain expressions; implemented by grammar.Parser."""

    def expression(self) -> Expression | None:
        """A whole expression."""

    def operators(self) -> Expression | None:
        """An expression without a scope or lambda in front."""

    def lambda_expression(self) -> LambdaExpression | None:
        """`|x|->body`."""


@dataclass(frozen=True, slots=True)
class BracketParser:
    """Bracketed forms. A method returns None if its form is not here; the caller then puts the scanner back."""

    scan: Scanner
    grammar: Grammar

    def bracketed(self) -> Expression | None:
        """map[...], select{...}, sum[...], catch[...], sync[...]."""
        start = self.scan.at
        form = next((form for prefix, form in _FORMS.items() if self.scan.accept(prefix)), None)
        expression = form(self) if form is not None else None
        if expression is not None:
            self.scan.mark(start)
        return expression

    def _applied(self, end: str = "") -> tuple[Expression, Expression] | None:
        """Read an expression, a lambda, and the sign at the end."""
        source = self.grammar.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not self.scan.accept(end):
            return None
        return source, function

    def _mapping(self, word: str, braces: bool) -> Expression | None:
        applied = self._applied("}" if braces else "]")
        return None if applied is None else Mapping(word, braces, *applied)

    def _sum(self) -> Expression | None:
        source = self.grammar.operators()
        if source is None or not self.scan.accept("|"):
            return None
        applied = self._applied("]")
        return None if applied is None else Sum(source, *applied)

    def _catch(self) -> Expression | None:
        applied = self._applied("]")
        return None if applied is None else Catch(*applied)

    def _sync(self) -> Expression | None:
        scan = self.scan
        applied = self._applied()
        if applied is None:
            return None
        source, condition = applied
        result: Expression | None = None
        if isinstance(condition, LambdaExpression) and scan.accept(","):
            body = self.grammar.expression()
            if body is None:
                return None
            result = LambdaExpression(condition.parameters, False, body)
        elif scan.text.startswith("|", scan.at):
            result = self.function()
        timeout = None
        if result is not None and scan.accept("|"):
            timeout = self.grammar.expression()
        if not scan.accept("]"):
            return None
        return SyncExpression(source, condition, result, timeout, False)

    def function(self) -> Expression | None:
        """A lambda, or `|` and an expression that gives one."""
        scan = self.scan
        start = scan.at
        found = self.grammar.lambda_expression()
        if found is not None:
            return found
        scan.at = start
        return self.grammar.expression() if scan.accept("|") else None

    def grouped(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("(")
        inner = self.grammar.expression()
        return Grouped(inner) if inner is not None and scan.word(")", start) else None

    def list_literal(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("[")
        scan.space()
        parts = self.arguments()
        return ListExpression(parts) if scan.word("]", start) else None

    def arguments(self) -> list[Expression]:
        """Expressions with commas between them, none at all included; `a...` is expanded."""
        scan = self.scan
        parts: list[Expression] = []
        behind = scan.at
        while True:
            part = self.grammar.expression()
            if part is None:
                scan.at = behind
                return parts
            if scan.accept("..."):
                scan.space()
                part = Expansion(part)
            parts.append(part)
            behind = scan.at
            if not scan.accept(","):
                return parts

    def range_literal(self) -> Range | None:
        """`[a..b]`."""
        scan = self.scan
        start = scan.at
        if not scan.accept("["):
            return None
        first = self.grammar.expression()
        if first is None:
            scan.at = start + 1
        if not scan.accept(".."):
            return None
        behind = scan.at
        last = self.grammar.expression()
        if last is None:
            scan.at = behind
        return Range(first, last) if scan.word("]", start) else None

    def map_literal(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("{")
        scan.space()
        entries = self.assignments()
        return MapExpression(entries) if scan.word("}", start) else None

    def assignments(self) -> list[tuple[Expression, Expression]]:
        """`key = value, ...`, none at all included."""
        scan = self.scan
        entries: list[tuple[Expression, Expression]] = []
        behind = scan.at
        while True:
            key = self.grammar.expression()
            value = self.grammar.expression() if key is not None and scan.accept("=") else None
            if key is None or value is None:
                scan.at = behind
                return entries
            entries.append((key, value))
            behind = scan.at
            if not scan.accept(","):
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
