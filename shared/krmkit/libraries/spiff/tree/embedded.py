"""Expressions inside strings: `(( expr ))`, the escapes `((! ... ))`, and interpolation `a (( b )) c`."""

from __future__ import annotations

import json
import re
from typing import Any

_ESCAPED = re.compile("^(<<<?)!")


def embedded(value: Any, interpolation: bool) -> str | None:
    """Return the expression text in a value, None for plain data.

    embedded("(( a ))", False) is " a "; embedded("x (( a ))", True) is '"x " ( a )'.
    """
    if type(value) is not str:
        return None
    if value.startswith("((") and value.endswith("))") and len(value) >= 4:
        inner = value[2:-2]
        if inner[:1] != "!" and not (interpolation and "((" in inner):
            return inner
        if not interpolation:
            return None
    if not interpolation or "((" not in value:
        return None
    return interpolated(value)[1]


def unescape(value: str, interpolation: bool) -> str:
    """Remove one `!` of each escape: `((!x))` becomes `((x))`."""
    if interpolation:
        text, expression = interpolated(value, unescape_texts=True)
        return value if expression is not None else text
    if value.startswith("((!") and value.endswith("))"):
        return "((" + value[3:]
    return value


def unescape_key(key: str) -> str:
    """Remove the `!` of an escaped merge or control key: `<<!x` becomes `<<x`."""
    return _ESCAPED.sub(r"\1", key)


def interpolated(text: str, unescape_texts: bool = False) -> tuple[str, str | None]:
    """Return plain text and expression of a text; the expression is None if it embeds none.

    interpolated("a-(( b ))") is ("", '"a-" ( b )').
    """
    parts: list[str] = []
    plain = ""
    found = False
    at = 0
    while True:
        start = text.find("((", at)
        if start < 0:
            break
        while text[start + 2 : start + 3] == "(":
            start += 1
        end = _end(text, start + 2)
        if end < 0:
            break
        inner = text[start + 2 : end - 2]
        plain += text[at:start]
        if inner.startswith("!"):
            plain += "((" + (inner[1:] if unescape_texts else inner) + "))"
        else:
            found = True
            if plain:
                parts.append(json.dumps(plain, ensure_ascii=False))
            parts.append("( " + inner.strip() + " )")
            plain = ""
        at = end
    plain += text[at:]
    if not found:
        return plain, None
    if plain:
        parts.append(json.dumps(plain, ensure_ascii=False))
    return "", " ".join(parts)


def _end(text: str, at: int) -> int:
    """Return the offset after the `))` of the expression that began before `at`; -1 if it is missing."""
    depth = 0
    size = len(text)
    while at < size:
        char = text[at]
        if char == '"':
            at += 1
            while at < size and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif char == "(":
            depth += 1
        elif char == ")":
            if depth:
                depth -= 1
            elif text[at + 1 : at + 2] == ")":
                return at + 2
        at += 1
    return -1
