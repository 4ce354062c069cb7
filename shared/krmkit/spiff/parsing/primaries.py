"""Parser of what stands between operators: literals, calls, chains, mappings, merges."""

from __future__ import annotations

import json
from collections.abc import Callable

from krmkit.spiff.expressions.calls import Call
from krmkit.spiff.expressions.lambdas import LambdaExpression, LambdaReference
from krmkit.spiff.expressions.literals import Literal, Undefined
from krmkit.spiff.expressions.logic import Not
from krmkit.spiff.expressions.marking import Substitution
from krmkit.spiff.expressions.merging import Auto
from krmkit.spiff.expressions.references import Projected, Projection, Qualified, Slice
from krmkit.spiff.nodes import Expression
from krmkit.spiff.parsing.references import ReferenceParser, path_steps
from krmkit.spiff.parsing.scanner import DEEPEST


class Primaries(ReferenceParser):
    """Operands and what follows them."""

    def level0(self) -> Expression | None:
        """One operand."""
        char = self.text[self.at : self.at + 1]
        if char == '"':
            return self._string()
        if char.isdigit() or char == "-":
            found = self._numeral()
            if found is not None or char == "-":
                return found
        start = self.at
        form = _FORMS.get(char)
        if form is not None:
            found = form(self)
            if found is not None:
                return found
            self.at = start
        return self._chained()

    def _string(self) -> Expression | None:
        start = self.at
        text = self.string()
        if not text:
            return None
        try:
            value = json.loads(text, strict=False)
        except ValueError as error:
            failure = self.error(start, self.at)
            failure.issue.text += f": {str(error).partition(':')[0]}"
            raise failure from None
        return Literal(value)

    def _numeral(self) -> Expression | None:
        text = self.address()
        if text:
            return Literal(text)
        text = self.number().replace("_", "")
        if not text:
            return None
        if "." in text or "e" in text or "E" in text:
            return Literal(float(text))
        if len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63:
            raise self.error(self.at - len(text), self.at)
        return Literal(int(text))

    def _word(self, word: str, value: object) -> Expression | None:
        start = self.at
        if not self.accept(word):
            return None
        self.mark(start)
        return Literal(value)

    def _tilde(self) -> Expression | None:
        start = self.at
        if self.accept("~~"):
            self.mark(start)
            return Undefined()
        return self._word("~", None)

    def _symbol(self) -> Expression | None:
        self.accept("$")
        name = self.name()
        return Literal(name) if name else None

    def _not(self) -> Expression | None:
        self.accept("!")
        self.space()
        inner = self._deeper(self.level0)
        return None if inner is None else Not(inner)

    def _substitution(self) -> Expression | None:
        self.accept("*")
        inner = self._deeper(self.level0)
        return None if inner is None else Substitution(inner)

    def _deeper(self, form: Callable[[], Expression | None]) -> Expression | None:
        """A form inside another one; too many of these are an error."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error()
        try:
            return form()
        finally:
            self.depth -= 1

    def _auto(self) -> Expression | None:
        start = self.at
        if not self.accept("auto"):
            return None
        self.mark(start)
        return Auto(self.path)

    def _lambda(self) -> Expression | None:
        if not self.accept("lambda"):
            return None
        behind = self.at
        if self.space():
            found = self.expression()
            if found is not None:
                if isinstance(found, LambdaExpression):
                    return found
                return LambdaReference(found, self.path, self.stub_path)
        self.at = behind
        return self.lambda_expression()

    def _chained(self) -> Expression | None:
        base = self._base()
        return None if base is None else self._chain(base)

    def _base(self) -> Expression | None:
        start = self.at
        char = self.text[start : start + 1]
        forms: tuple[Callable[[], Expression | None], ...]
        if char == "[":
            forms = (self._list, self.range)
        elif char == "{":
            forms = (self._map,)
        elif char == "(":
            forms = (self._grouped,)
        else:
            forms = (self._bracketed, self._reference)
        for form in forms:
            found = form()
            if found is not None:
                return found
            self.at = start
        return None

    def _chain(self, base: Expression) -> Expression:
        while True:
            start = self.at
            found = self._link(base)
            if found is None:
                self.at = start
                return base
            base = found

    def _link(self, base: Expression) -> Expression | None:
        start = self.at
        char = self.text[start : start + 1]
        if char == "(":
            return self._call(base, False)
        if char == "*" and self.text.startswith("(", start + 1):
            self.at += 1
            return self._call(base, True)
        if char != "." and char != "[":
            return None
        if self._follow():
            return Qualified(base, path_steps(self.text[start : self.at], False))
        self.accept(".")
        bracket = self.at
        if not self.text.startswith("[", bracket):
            return None
        found = self._chain_dynamic(base)
        if found is not None:
            self.mark(start)
            return found
        self.at = bracket
        if self.accept("[*]"):
            entry = Projected()
            return Projection(base, entry, self._chain(entry))
        bounds = self.range()
        if bounds is None:
            return None
        entry = Projected()
        return Projection(Slice(base, bounds), entry, self._chain(entry))

    def _call(self, base: Expression, curry: bool) -> Expression | None:
        start = self.at
        self.accept("(")
        self.space()
        named: list[tuple[str, Expression]] = []
        more = True
        while more:
            behind = self.at
            argument = self._named()
            if argument is None:
                self.at = behind
                break
            named.append(argument)
            more = self.accept(",")
        args = self._arguments() if more else []
        if not self.accept(")"):
            return None
        self.mark(start)
        return Call(base, named, args, curry)

    def _named(self) -> tuple[str, Expression] | None:
        self.space()
        name = self.name()
        if not name:
            return None
        self.space()
        if not self.accept("="):
            return None
        self.space()
        value = self.expression()
        return None if value is None else (name, value)


_FORMS: dict[str, Callable[[Primaries], Expression | None]] = {
    "t": lambda parser: parser._word("true", True),
    "f": lambda parser: parser._word("false", False),
    "n": lambda parser: parser._word("nil", None),
    "~": Primaries._tilde,
    "$": Primaries._symbol,
    "!": Primaries._not,
    "*": Primaries._substitution,
    "m": Primaries._merge,
    "a": Primaries._auto,
    "l": Primaries._lambda,
}
