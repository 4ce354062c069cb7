"""Parser of operands: literals, calls, chains, mappings, merges."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from krmkit.libraries.spiff.expressions.calls import Call
from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression, LambdaReference
from krmkit.libraries.spiff.expressions.literals import Literal, Undefined
from krmkit.libraries.spiff.expressions.logic import Not
from krmkit.libraries.spiff.expressions.marking import Substitution
from krmkit.libraries.spiff.expressions.merging import Auto
from krmkit.libraries.spiff.expressions.references import Projected, Projection, Qualified, Slice
from krmkit.libraries.spiff.parsing.brackets import BracketParser, Grammar
from krmkit.libraries.spiff.parsing.references import ReferenceParser, path_steps
from krmkit.libraries.spiff.parsing.scanner import DEEPEST, Scanner
from krmkit.libraries.spiff.tree.nodes import Expression


@dataclass(frozen=True, slots=True)
class OperandParser:
    """Operands and what follows them."""

    scan: Scanner
    grammar: Grammar
    brackets: BracketParser
    references: ReferenceParser

    def operand(self) -> Expression | None:
        """One operand."""
        scan = self.scan
        char = scan.text[scan.at : scan.at + 1]
        if char == '"':
            return self._quoted()
        if char.isdigit() or char == "-":
            expression = self._numeral()
            if expression is not None or char == "-":
                return expression
        start = scan.at
        form = _FORMS.get(char)
        if form is not None:
            expression = form(self)
            if expression is not None:
                return expression
            scan.at = start
        return self._chained()

    def _quoted(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        text = scan.string()
        if not text:
            return None
        try:
            value = json.loads(text, strict=False)
        except ValueError as error:
            failure = scan.error(start, scan.at)
            failure.issue.text += f": {str(error).partition(':')[0]}"
            raise failure from None
        return Literal(value)

    def _numeral(self) -> Expression | None:
        scan = self.scan
        text = scan.address()
        if text:
            return Literal(text)
        text = scan.number().replace("_", "")
        if not text:
            return None
        if "." in text or "e" in text or "E" in text:
            return Literal(float(text))
        if len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63:
            raise scan.error(scan.at - len(text), scan.at)
        return Literal(int(text))

    def _word(self, word: str, value: object) -> Expression | None:
        return Literal(value) if self.scan.word(word) else None

    def _tilde(self) -> Expression | None:
        return Undefined() if self.scan.word("~~") else self._word("~", None)

    def _symbol(self) -> Expression | None:
        scan = self.scan
        scan.accept("$")
        name = scan.name()
        return Literal(name) if name else None

    def _not(self) -> Expression | None:
        scan = self.scan
        scan.accept("!")
        scan.space()
        inner = self._deeper(self.operand)
        return None if inner is None else Not(inner)

    def _substitution(self) -> Expression | None:
        scan = self.scan
        scan.accept("*")
        inner = self._deeper(self.operand)
        return None if inner is None else Substitution(inner)

    def _deeper(self, form: Callable[[], Expression | None]) -> Expression | None:
        """A form inside another one; too many of these are an error."""
        scan = self.scan
        scan.depth += 1
        if scan.depth > DEEPEST:
            raise scan.error()
        try:
            return form()
        finally:
            scan.depth -= 1

    def _auto(self) -> Expression | None:
        return Auto(self.scan.path) if self.scan.word("auto") else None

    def _lambda(self) -> Expression | None:
        scan = self.scan
        if not scan.accept("lambda"):
            return None
        behind = scan.at
        if scan.space():
            found = self.grammar.expression()
            if found is not None:
                if isinstance(found, LambdaExpression):
                    return found
                return LambdaReference(found, scan.path, scan.stub_path)
        scan.at = behind
        return self.grammar.lambda_expression()

    def _chained(self) -> Expression | None:
        base = self._base()
        return None if base is None else self._chain(base)

    def _base(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        char = scan.text[start : start + 1]
        forms: tuple[Callable[[], Expression | None], ...]
        if char == "[":
            forms = (self.brackets.list_literal, self.brackets.range_literal)
        elif char == "{":
            forms = (self.brackets.map_literal,)
        elif char == "(":
            forms = (self.brackets.grouped,)
        else:
            forms = (self.brackets.bracketed, self.references.reference)
        for form in forms:
            found = form()
            if found is not None:
                return found
            scan.at = start
        return None

    def _chain(self, base: Expression) -> Expression:
        scan = self.scan
        while True:
            start = scan.at
            found = self._link(base)
            if found is None:
                scan.at = start
                return base
            base = found

    def _link(self, base: Expression) -> Expression | None:
        scan = self.scan
        start = scan.at
        char = scan.text[start : start + 1]
        if char == "(":
            return self._call(base, False)
        if char == "*" and scan.text.startswith("(", start + 1):
            scan.at += 1
            return self._call(base, True)
        if char != "." and char != "[":
            return None
        if self.references.follow():
            return Qualified(base, path_steps(scan.text[start : scan.at], False))
        scan.accept(".")
        bracket = scan.at
        if not scan.text.startswith("[", bracket):
            return None
        found = self.references.chain_dynamic(base)
        if found is not None:
            scan.mark(start)
            return found
        scan.at = bracket
        if scan.accept("[*]"):
            entry = Projected()
            return Projection(base, entry, self._chain(entry))
        bounds = self.brackets.range_literal()
        if bounds is None:
            return None
        entry = Projected()
        return Projection(Slice(base, bounds), entry, self._chain(entry))

    def _call(self, base: Expression, curry: bool) -> Expression | None:
        scan = self.scan
        start = scan.at
        scan.accept("(")
        scan.space()
        named: list[tuple[str, Expression]] = []
        more = True
        while more:
            behind = scan.at
            argument = self._named()
            if argument is None:
                scan.at = behind
                break
            named.append(argument)
            more = scan.accept(",")
        args = self.brackets.arguments() if more else []
        return Call(base, named, args, curry) if scan.word(")", start) else None

    def _named(self) -> tuple[str, Expression] | None:
        scan = self.scan
        scan.space()
        name = scan.name()
        if not name:
            return None
        scan.space()
        if not scan.accept("="):
            return None
        scan.space()
        value = self.grammar.expression()
        return None if value is None else (name, value)


_FORMS: dict[str, Callable[[OperandParser], Expression | None]] = {
    "t": lambda parser: parser._word("true", True),
    "f": lambda parser: parser._word("false", False),
    "n": lambda parser: parser._word("nil", None),
    "~": OperandParser._tilde,
    "$": OperandParser._symbol,
    "!": OperandParser._not,
    "*": OperandParser._substitution,
    "m": lambda parser: parser.references.merge(),
    "a": OperandParser._auto,
    "l": OperandParser._lambda,
}
