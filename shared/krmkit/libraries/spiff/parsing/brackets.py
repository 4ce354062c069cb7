"""Parser of what is in brackets: groups, lists, maps, ranges, and map[...], select[...], sum[...], catch[...], sync[...]."""

from __future__ import annotations

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

_WORDS = (
    ("map{", "map", True), ("map[", "map", False), ("select{", "select", True),
    ("select[", "select", False), ("filter{", "filter", True), ("filter[", "filter", False),
)  # fmt: skip


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
        scan = self.scan
        start = scan.at
        if scan.text[start : start + 1] not in "msfc" or not scan.text[start : start + 1]:
            return None
        expression = None
        for prefix, word, braces in _WORDS:
            if scan.accept(prefix):
                expression = self._mapping(word, braces)
                break
        else:
            if scan.accept("sum["):
                expression = self._sum()
            elif scan.accept("catch["):
                expression = self._catch()
            elif scan.accept("sync["):
                expression = self._sync()
        if expression is not None:
            scan.mark(start)
        return expression

    def _mapping(self, word: str, braces: bool) -> Expression | None:
        scan = self.scan
        source = self.grammar.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not scan.accept("}" if braces else "]"):
            return None
        return Mapping(word, braces, source, function)

    def _sum(self) -> Expression | None:
        scan = self.scan
        source = self.grammar.operators()
        if source is None or not scan.accept("|"):
            return None
        initial = self.grammar.operators()
        function = self.function() if initial is not None else None
        if initial is None or function is None or not scan.accept("]"):
            return None
        return Sum(source, initial, function)

    def _catch(self) -> Expression | None:
        scan = self.scan
        source = self.grammar.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not scan.accept("]"):
            return None
        return Catch(source, function)

    def _sync(self) -> Expression | None:
        scan = self.scan
        source = self.grammar.operators()
        condition = self.function() if source is not None else None
        if source is None or condition is None:
            return None
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
        if inner is None or not scan.accept(")"):
            return None
        scan.mark(start)
        return Grouped(inner)

    def list_literal(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("[")
        scan.space()
        parts = self.arguments()
        if not scan.accept("]"):
            return None
        scan.mark(start)
        return ListExpression(parts)

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
        if not scan.accept("]"):
            return None
        scan.mark(start)
        return Range(first, last)

    def map_literal(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("{")
        scan.space()
        entries = self.assignments()
        if not scan.accept("}"):
            return None
        scan.mark(start)
        return MapExpression(entries)

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
