"""Parser of operands: literals, calls, chains, mappings, merges."""

from __future__ import annotations

import json
from collections.abc import Callable

from krmkit.libraries.spiff.expressions.calls import Call
from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression, LambdaReference
from krmkit.libraries.spiff.expressions.literals import Literal, Undefined
from krmkit.libraries.spiff.expressions.logic import Not
from krmkit.libraries.spiff.expressions.marking import Substitution
from krmkit.libraries.spiff.expressions.merging import Auto
from krmkit.libraries.spiff.expressions.references import Projected, Projection, Qualified, Slice
from krmkit.libraries.spiff.parsing.references import ReferenceParser, path_steps
from krmkit.libraries.spiff.parsing.scanner import DEEPEST, IP, NAME, NUMBER, STRING
from krmkit.libraries.spiff.tree.nodes import Expression


class OperandParser(ReferenceParser):
    """Operands with the chains that follow them."""

    def operand(self) -> Expression | None:
        """Read one operand."""
        char = self.text[self.at : self.at + 1]
        if char == '"':
            return self._quoted()
        if char.isdigit() or char == "-":
            expression = self._numeral()
            if expression is not None or char == "-":
                return expression
        start = self.at
        form = _FORMS.get(char)
        expression = form(self) if form is not None else None
        if expression is None:
            self.at = start
            base = self._base()
            expression = None if base is None else self._chain(base)
        return expression

    def _quoted(self) -> Expression | None:
        start = self.at
        text = self.match(STRING)
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
        text = self.match(IP)
        if text:
            return Literal(text)
        text = self.match(NUMBER).replace("_", "")
        if not text:
            return None
        if "." in text or "e" in text or "E" in text:
            return Literal(float(text))
        if len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63:
            raise self.error(self.at - len(text), self.at)
        return Literal(int(text))

    def _word(self, word: str, value: object) -> Expression | None:
        return Literal(value) if self.word(word) else None

    def _tilde(self) -> Expression | None:
        return Undefined() if self.word("~~") else self._word("~", None)

    def _symbol(self) -> Expression | None:
        self.accept("$")
        name = self.match(NAME)
        return Literal(name) if name else None

    def _not(self) -> Expression | None:
        self.accept("!")
        self.space()
        inner = self._deeper(self.operand)
        return None if inner is None else Not(inner)

    def _substitution(self) -> Expression | None:
        self.accept("*")
        inner = self._deeper(self.operand)
        return None if inner is None else Substitution(inner)

    def _deeper(self, form: Callable[[], Expression | None]) -> Expression | None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error()
        try:
            return form()
        finally:
            self.depth -= 1

    def _auto(self) -> Expression | None:
        return Auto(self.path) if self.word("auto") else None

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

    def _base(self) -> Expression | None:
        start = self.at
        for form in _BASES.get(self.text[start : start + 1], _OTHER_BASES):
            found = form(self)
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
        if self.follow():
            return Qualified(base, path_steps(self.text[start : self.at], False))
        self.accept(".")
        bracket = self.at
        if not self.text.startswith("[", bracket):
            return None
        found = self.chain_dynamic(base)
        if found is not None:
            self.mark(start)
            return found
        self.at = bracket
        if self.accept("[*]"):
            entry = Projected()
            return Projection(base, entry, self._chain(entry))
        bounds = self.range_literal()
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
        args = self.arguments() if more else []
        return Call(base, named, args, curry) if self.word(")", start) else None

    def _named(self) -> tuple[str, Expression] | None:
        self.space()
        name = self.match(NAME)
        if not name:
            return None
        self.space()
        if not self.accept("="):
            return None
        self.space()
        value = self.expression()
        return None if value is None else (name, value)


Form = Callable[[OperandParser], Expression | None]
_BASES: dict[str, tuple[Form, ...]] = {
    "[": (OperandParser.list_literal, OperandParser.range_literal),
    "{": (OperandParser.map_literal,),
    "(": (OperandParser.grouped,),
}
_OTHER_BASES: tuple[Form, ...] = (OperandParser.bracketed, OperandParser.reference)
_FORMS: dict[str, Form] = {
    "t": lambda parser: parser._word("true", True),
    "f": lambda parser: parser._word("false", False),
    "n": lambda parser: parser._word("nil", None),
    "~": OperandParser._tilde,
    "$": OperandParser._symbol,
    "!": OperandParser._not,
    "*": OperandParser._substitution,
    "m": ReferenceParser.merge,
    "a": OperandParser._auto,
    "l": OperandParser._lambda,
}
