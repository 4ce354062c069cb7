"""The parser of texts with `${VARIABLE}`: a text becomes plain parts and variables with their operators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_DEEPEST = 50
_BEGIN = re.compile(r"\$\{#?\w+")
_DEFAULTS = ("=", ":=", ":-", ":?", ":+")


class SubstitutionError(ValueError):
    """A `${...}` that is invalid or has no value, at `line` (from 1; 0 for the whole text)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


@dataclass(slots=True)
class BracedVariable:
    """One `${name...}`. `operator` is as written (":=", "^^", "#"), "" for none, "length" for `${#name}`.

    Each argument is a list of parts. `where` is the offset in the text.
    """

    name: str
    operator: str = ""
    arguments: list[list[Part]] = field(default_factory=list)
    where: int = 0

    @property
    def has_default(self) -> bool:
        """True if the operator gives a value to a variable without one."""
        return self.operator in _DEFAULTS


Part = str | BracedVariable


def parts_of(text: str) -> list[Part]:
    """Return the parts of a text, in order. Raises SubstitutionError.

    parts_of("a ${B} $$c")   # ["a ", BracedVariable("B", where=2), " ", "$c"]
    """
    return _Reader(text).parts()


class _Reader:
    """A text, and the position `at` of its next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.begin = 0  # start of the outermost variable being read

    def parts(self) -> list[Part]:
        text, found, copied = self.text, list[Part](), 0
        while (dollar := text.find("$", self.at)) >= 0:
            following = text[dollar + 1 : dollar + 2]
            if following not in ("{", "$"):
                self.at = dollar + 1
                continue
            if copied < dollar:
                found.append(text[copied:dollar])
            if following == "{":
                self.begin = dollar
                self.at = dollar + 2
                found.append(self.variable(dollar))
                copied = self.at
            else:
                copied, self.at = dollar + 1, dollar + 2
        if copied < len(text):
            found.append(text[copied:])
        return found

    def variable(self, where: int) -> BracedVariable:
        """Read the rest of a variable after `${`, with its closing brace."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"variables are nested more than {_DEEPEST} deep")
        if self.peek() == "#":
            self.at += 1
            found = BracedVariable(self.name(), "length", where=where)
        else:
            found = BracedVariable(self.name(), where=where)
            self.operation(found)
        if self.peek() != "}":
            raise self.error(
                "has no } that closes it" if self.peek() in ("", "\n") else f"has an unexpected {self.peek()}"
            )
        self.at += 1
        self.depth -= 1
        return found

    def operation(self, found: BracedVariable) -> None:
        """Read the operator and its arguments."""
        sign = self.peek()
        if sign == "=":
            self.default(found, "=")
        elif sign == ":":
            operator = self.text[self.at : self.at + 2]
            if operator in _DEFAULTS:
                self.default(found, operator)
                return
            found.operator = ":"
            self.at += 1
            found.arguments.append(self.argument(":}"))
            if self.peek() == ":":
                self.match(":*")
                found.arguments.append(self.argument("}"))
        elif sign and sign in ",^":
            found.operator = self.match("[,^]{1,2}")
        elif sign and sign in "#%":
            found.operator = self.match(f"{sign}{{1,2}}")
            found.arguments.append(self.argument("}"))
        elif sign == "/":
            self.at += 1
            second = self.peek()
            found.operator = "/"
            if second and second in "/#%":
                self.at += 1
                found.operator += second
            found.arguments.append(self.argument("/", escapes=True))
            if self.peek() != "/":
                raise self.error("must be ${NAME/text/other}, a second / is missing")
            self.match("/*")
            if self.peek() != "}":
                found.arguments.append(self.argument("}", escapes=True))

    def default(self, found: BracedVariable, operator: str) -> None:
        """Read a default, which may hold variables anywhere."""
        found.operator = operator
        self.at += len(operator)
        parts: list[Part] = []
        while self.peek() and self.peek() != "}":
            parts += self.argument("}")
        found.arguments.append(parts)

    def argument(self, ends: str, escapes: bool = False) -> list[Part]:
        """Read a text up to one of `ends`, or one variable."""
        if self.text.startswith("${", self.at):
            where, self.at = self.at, self.at + 2
            return [self.variable(where)]
        begin, pieces = self.at, []
        while (sign := self.peek()) and sign not in ends and not self.text.startswith("${", self.at):
            pair = self.text[self.at : self.at + 2]
            if escapes and pair in ("\\/", "\\\\", "$$"):
                pieces.append(pair[1])
                self.at += 2
            else:
                pieces.append(sign)
                self.at += 1
        if self.at == begin:
            raise self.error("has no } that closes it" if not self.peek() else "lacks a text")
        return ["".join(pieces)]

    def name(self) -> str:
        name = self.match(r"\w+")
        if not name:
            raise self.error("must begin with a name of letters, digits and underscores")
        return name

    def match(self, pattern: str) -> str:
        """Read the text that a pattern matches here, "" for none."""
        found = re.compile(pattern).match(self.text, self.at)
        text = found.group() if found is not None else ""
        self.at += len(text)
        return text

    def peek(self) -> str:
        """Return the next character, "" at the end."""
        return self.text[self.at : self.at + 1]

    def error(self, said: str) -> SubstitutionError:
        shown = self.text[self.begin : self.begin + 40].partition("\n")[0]
        if (name := _BEGIN.match(shown)) is not None:
            shown = name[0]  # a default may be a secret
        return SubstitutionError(f"{shown} {said}", self.text.count("\n", 0, self.begin) + 1)
