"""The operators of `${VARIABLE}`: the text for a variable and its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from krmkit.libraries.envsubst.bracedvariables import BracedVariable, Part, SubstitutionError, parts_of
from krmkit.libraries.go.core.text import lower, to_lower, to_upper, upper
from krmkit.libraries.go.regexp.pattern import PatternError
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.messages.nearest import nearest

_CHANGED = {"^^": to_upper, ",,": to_lower}
_FIRST = {"^": upper, ",": lower}
_SPECIAL = frozenset(r"\.+*?()|[]{}^$")

LARGEST = 64 * 1024 * 1024
"""Characters of a text with its values."""


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Replace variables by their values, or "". Raises SubstitutionError.

    substitute("${SITE^^}-${COUNT:=3}", {"SITE": "lyon"})   # "LYON-3"
    """
    return joined(parts_of(text), values)


def joined(parts: Iterable[Part], values: Mapping[str, str]) -> str:
    """Return the text of parts, with values in place of variables."""
    made: list[str] = []
    size = 0
    for part in parts:
        made.append(part if isinstance(part, str) else value_of(part, values))
        size += len(made[-1])
        _check_length(size)
    return "".join(made)


def _check_length(size: int) -> None:
    if size > LARGEST:
        raise SubstitutionError(f"the text with its values must have at most {LARGEST:,} characters")


def value_of(variable: BracedVariable, values: Mapping[str, str]) -> str:
    """Return a variable's value after its operator."""
    value = values.get(variable.name, "")
    operator = variable.operator
    arguments = [joined(argument, values) for argument in variable.arguments]
    if variable.has_default:
        return value or arguments[0]
    if operator == "length":
        return str(len(value.encode()))
    if operator in _CHANGED:
        return _CHANGED[operator](value)
    if operator in _FIRST:
        return _FIRST[operator](value[:1]) + value[1:] if value else ""
    if operator == ":":
        return _part(value, *arguments)
    if operator[:1] in ("#", "%") and operator:
        return _without(value, operator, arguments[0])
    if operator[:1] == "/":
        return _replaced(value, operator, arguments[0], arguments[1] if len(arguments) > 1 else None)
    return value


def _part(value: str, first: str, length: str | None = None) -> str:
    """Return `length` bytes from `first` on; the whole value if an argument is not a number."""
    start = _number(first)
    most = None if length is None else _number(length)
    if start is None or (length is not None and most is None):
        return value
    data = value.encode()
    if start < 0:
        start = max(len(data) + start, 0)
    end = len(data) if most is None else start + most
    return data[start : max(end, start)].decode(errors="replace")


def _number(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def _replaced(value: str, operator: str, text: str, other: str | None) -> str:
    """Replace text in the value. `/#` and `/%` without a second text change nothing, as in envsubst."""
    _check_length(len(value) + (value.count(text) * len(other or "") if operator == "//" else 0))
    if operator == "//":
        return value.replace(text, other or "")
    if operator == "/":
        return value.replace(text, other or "", 1)
    if other is None:
        return value
    if operator == "/#":
        return other + value[len(text) :] if value.startswith(text) else value
    return value[: len(value) - len(text)] + other if value.endswith(text) else value


def _without(value: str, operator: str, pattern: str) -> str:
    """Remove the shortest (#, %) or longest (##, %%) match of a pattern at the start (#) or end (%).

    An invalid pattern changes nothing. At the end, value and pattern are matched in reverse.
    """
    at_end, most = operator[0] == "%", len(operator) == 2
    if at_end:
        value, pattern = value[::-1], pattern[::-1]
    expression = _expression(pattern, most)
    try:
        found = compile_pattern(expression).search(value) if expression is not None and value else None
    except PatternError:
        found = None
    if found is not None:
        # envsubst removes at least one character, even for an empty match.
        value = value[max(len(found.group() or ""), 1) :]
    return value[::-1] if at_end else value


def _expression(pattern: str, most: bool) -> str | None:
    """Return a shell pattern as a regular expression for the start of a text; None if invalid."""
    made, at = "^(?s:", 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            made += ".*" if most else ".*?"
        elif sign == "?":
            made += "."
        elif sign == "[":
            end = pattern.find("]", at + 2 if pattern[at : at + 1] == "^" else at + 1)
            if end < 0:
                return None
            inner = pattern[at:end]
            negated = inner.startswith("^")
            inner = inner[negated:].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            made += f"[{'^' if negated else ''}{inner}]"
            at = end + 1
        else:
            if sign == "\\":
                if at == len(pattern):
                    return None
                sign = pattern[at]
                at += 1
            made += f"\\{sign}" if sign in _SPECIAL else sign
    return f"{made})"


@dataclass(slots=True)
class TemplateVariable:
    """One variable, by its first occurrence in a template: `required` if no operator follows the name."""

    name: str
    required: bool
    default: str = ""


class TextTemplate:
    """A parsed template. Raises SubstitutionError.

    TextTemplate("name: ${NAME}\\nversion: ${VERSION:=v1.33.1}\\n").filled({"NAME": "lyon"})
    """

    def __init__(self, text: str) -> None:
        self._parts = parts_of(text)

    @property
    def variables(self) -> list[TemplateVariable]:
        """The variables, sorted by name, without those inside defaults of others, as in clusterctl."""
        found: dict[str, TemplateVariable] = {}
        for part in self._parts:
            if isinstance(part, BracedVariable) and part.name not in found:
                default = _shown(part.arguments[0]) if part.has_default else ""
                found[part.name] = TemplateVariable(part.name, not part.arguments, default)
        return [found[name] for name in sorted(found)]

    def filled(self, values: Mapping[str, str]) -> str:
        """Replace the variables by their values. Raises SubstitutionError, which names all missing ones."""
        known = self.variables
        missing = [one.name for one in known if one.required and one.name not in values]
        if missing:
            names = {one.name for one in known}
            wrong = [(name, nearest(name, missing)) for name in values if name not in names]
            meant = "".join(
                f'; the template has no {name}, did you mean "{near}"?' for name, near in wrong if near
            )
            raise SubstitutionError(
                f"no value for {', '.join(missing)}; give it in --values FILE or by --set NAME=VALUE{meant}"
            )
        return joined(self._parts, values)


def _shown(parts: list[Part]) -> str:
    return "".join(part if isinstance(part, str) else f"${{{part.name}}}" for part in parts)
