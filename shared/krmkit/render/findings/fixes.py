"""Fixes as data: what to write in place of a wrong word, from what a finding says of it and its line.

Names that are nearly those of a closed set, values in another spelling, quotes, and entries of a list that
are there twice. A fix is one span of one line, so all else in the file stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from krmkit.fn.rules import rule_of
from krmkit.libraries.messages.nearest import nearest
from krmkit.render.findings.model import Edit, Fix, Result

_NEAR = re.compile(r'; did you mean "([^"]+)"\?')
_SUPPORTED = re.compile(
    r'Unsupported value: (?:"\\")?"?(?P<wrong>[^"\\]+)\\?"+: supported values: (?P<right>.*)'
)
_TWICE = re.compile(r'Duplicate value: (?:"\\")?"(?P<word>[^"\\]+)\\?"+$')
# Messages about what a schema has: its names and values are a closed set.
_CLOSED = re.compile(
    r"unknown field |must be one of |Unsupported value|has no field |does not exist in ClusterClass "
)
_WORD = re.compile(r"[A-Za-z][\w.:/-]*\w|[A-Za-z]")
_TOKEN = re.compile(r""""[^"]*"|'[^']*'|[^\s,{}\[\]#:]+(?::[^\s,{}\[\]#:]+)*""")
_NO_TEXTS = frozenset(("true", "false", "null", "yes", "no", "on", "off"))


def add_fixes(results: Iterable[Result], texts: Mapping[str, str]) -> None:
    """Give results of files their ends and their fixes; `texts` are those of the files by path."""
    lines: dict[str, list[str]] = {}
    for one in results:
        if not one.line or one.path not in texts:
            continue
        if one.path not in lines:
            lines[one.path] = texts[one.path].split("\n")
        if one.line > len(lines[one.path]):
            continue
        line = lines[one.path][one.line - 1]
        token = _TOKEN.match(line, max(one.column - 1, 0))
        one.end_column = token.end() + 1 if token else 0
        one.fix = _fix(one, line)


def _fix(one: Result, line: str) -> Fix | None:
    """Return the fix of a finding on a line, None without one that is sure."""
    near, supported, twice = (pattern.search(one.message) for pattern in (_NEAR, _SUPPORTED, _TWICE))
    if near is not None:
        words = _WORD.findall(one.message[: near.start()])
        return _instead(one, line, words, near[1])
    if supported is not None:
        right = nearest(supported["wrong"], re.findall(r'"([^"]+)"', supported["right"]))
        return _instead(one, line, [supported["wrong"]], right) if right else None
    if twice is not None and re.fullmatch(rf"\s*- +{re.escape(twice['word'])}\s*", line):
        return Fix(True, [Edit(one.path, one.line, 1, one.line + 1, 1, "")])
    if one.current is not None and one.message.endswith(("; put it in quotes", "; without quotes")):
        return _quoted(one, line, one.message.endswith("; put it in quotes"))
    return None


def _instead(one: Result, line: str, words: list[str], right: str) -> Fix | None:
    """Return the fix that writes `right` for the word that is meant and stands on the line once."""
    if not _WORD.fullmatch(right) or right.lower() in _NO_TEXTS:
        return None
    step = re.split(r"[.\[\]]+", one.field.rstrip("]"))[-1]
    current = [one.current] if isinstance(one.current, str) else []
    for word in dict.fromkeys([*current, step, *words]):
        if word == right or not word or nearest(word, [right]) is None:
            continue
        start = max(one.column - 1, 0)
        found = list(re.finditer(rf"(?<![\w.-]){re.escape(word)}(?![\w-]|\.\w)", line[start:]))
        if len(found) == 1:
            column = start + found[0].start() + 1
            edit = Edit(one.path, one.line, column, one.line, column + len(word), right)
            return Fix(_is_safe(one), [edit])
    return None


def _quoted(one: Result, line: str, wanted: bool) -> Fix | None:
    """Return the fix that puts the value at the end of a line into quotes, or takes them away."""
    text = str(one.current).lower() if isinstance(one.current, bool) else str(one.current)
    shown = re.escape(text) if wanted else f"[\"']{re.escape(text)}[\"']"
    found = re.search(rf"(?<=[:-] )(?P<value>{shown})(?=\s*(?: #.*)?$)", line)
    if found is None:
        return None
    edit = Edit(
        one.path, one.line, found.start() + 1, one.line, found.end() + 1, f'"{text}"' if wanted else text
    )
    return Fix(True, [edit])


def _is_safe(one: Result) -> bool:
    if _CLOSED.search(one.message):
        return True
    rule = rule_of(one.rule, one.function)
    return rule is not None and rule.fix == "safe"


def overlaps(edit: Edit, other: Edit) -> bool:
    """Return whether two edits touch the same text."""
    return (
        edit.path == other.path
        and (edit.line, edit.column) < (other.end_line, other.end_column)
        and (other.line, other.column) < (edit.end_line, edit.end_column)
    )


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits that do not overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for one in sorted(edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        start = starts[one.line - 1] + one.column - 1
        end = min(starts[one.end_line - 1] + one.end_column - 1, len(text))
        text = text[:start] + one.text + text[end:]
    return text
