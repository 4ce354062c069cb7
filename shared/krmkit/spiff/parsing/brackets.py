"""Parser of what stands in brackets: groups, lists, maps, ranges, and map[...], select[...], sum[...], catch[...], sync[...]."""

from __future__ import annotations

from abc import ABC, abstractmethod

from krmkit.spiff.errors import Path
from krmkit.spiff.expressions.lambdas import LambdaExpression
from krmkit.spiff.expressions.literals import Expansion, Grouped, ListExpression, MapExpression, Range
from krmkit.spiff.expressions.mappings import Catch, Mapping, Sum, SyncExpression
from krmkit.spiff.nodes import Expression
from krmkit.spiff.parsing.scanner import Scanner

_WORDS = (
    ("map{", "map", True), ("map[", "map", False), ("select{", "select", True),
    ("select[", "select", False), ("filter{", "filter", True), ("filter[", "filter", False),
)  # fmt: skip


class Forms(Scanner, ABC):
    """The lower half of the parser. A method gives None and stays where it was if its form does not stand here."""

    def __init__(self, text: str, path: Path, stub_path: Path) -> None:
        super().__init__(text)
        self.path = path
        self.stub_path = stub_path

    @abstractmethod
    def expression(self) -> Expression | None:
        """A whole expression; the upper half knows how."""

    @abstractmethod
    def operators(self) -> Expression | None:
        """An expression without a scope or lambda in front."""

    @abstractmethod
    def lambda_expression(self) -> LambdaExpression | None:
        """`|x|->body`."""

    def _bracketed(self) -> Expression | None:
        """map[...], select{...}, sum[...], catch[...], sync[...]."""
        start = self.at
        if self.text[start : start + 1] not in "msfc" or not self.text[start : start + 1]:
            return None
        found = None
        for prefix, word, braces in _WORDS:
            if self.accept(prefix):
                found = self._mapping(word, braces)
                break
        else:
            if self.accept("sum["):
                found = self._sum()
            elif self.accept("catch["):
                found = self._catch()
            elif self.accept("sync["):
                found = self._sync()
        if found is not None:
            self.mark(start)
        return found

    def _mapping(self, word: str, braces: bool) -> Expression | None:
        source = self.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not self.accept("}" if braces else "]"):
            return None
        return Mapping(word, braces, source, function)

    def _sum(self) -> Expression | None:
        source = self.operators()
        if source is None or not self.accept("|"):
            return None
        initial = self.operators()
        function = self.function() if initial is not None else None
        if initial is None or function is None or not self.accept("]"):
            return None
        return Sum(source, initial, function)

    def _catch(self) -> Expression | None:
        source = self.operators()
        function = self.function() if source is not None else None
        if source is None or function is None or not self.accept("]"):
            return None
        return Catch(source, function)

    def _sync(self) -> Expression | None:
        source = self.operators()
        condition = self.function() if source is not None else None
        if source is None or condition is None:
            return None
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
        """A lambda, or `|` and an expression that gives one."""
        start = self.at
        found = self.lambda_expression()
        if found is not None:
            return found
        self.at = start
        return self.expression() if self.accept("|") else None

    def _grouped(self) -> Expression | None:
        start = self.at
        self.accept("(")
        inner = self.expression()
        if inner is None or not self.accept(")"):
            return None
        self.mark(start)
        return Grouped(inner)

    def _list(self) -> Expression | None:
        start = self.at
        self.accept("[")
        self.space()
        parts = self._arguments()
        if not self.accept("]"):
            return None
        self.mark(start)
        return ListExpression(parts)

    def _arguments(self) -> list[Expression]:
        """Expressions with commas between them, none at all included; `a...` is expanded."""
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

    def range(self) -> Range | None:
        """`[a..b]`."""
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
        if not self.accept("]"):
            return None
        self.mark(start)
        return Range(first, last)

    def _map(self) -> Expression | None:
        start = self.at
        self.accept("{")
        self.space()
        entries = self.assignments()
        if not self.accept("}"):
            return None
        self.mark(start)
        return MapExpression(entries)

    def assignments(self) -> list[tuple[Expression, Expression]]:
        """`key = value, ...`, none at all included."""
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
