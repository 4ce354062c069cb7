"""Fixes as edits: what an engine proposes in place of what is wrong, at the place of its finding.

Names that are nearly those of a closed set, values in another spelling, quotes, and entries of a list that
are there twice. A fix is one span of one line, so all else in the file stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from krmkit.fn.rules import rule_of
from krmkit.render.findings.model import Edit, Fix, Result

_WORD = re.compile(r"[A-Za-z][\w.:/-]*\w|[A-Za-z]")
_TOKEN = re.compile(r""""[^"]*"|'[^']*'|[^\s,{}\[\]#:]+(?::[^\s,{}\[\]#:]+)*""")
_LONGEST_LINE = 4_000  # characters; each finding on a line looks through it
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
    wrong, right = one.instead or (None, None)
    if wrong is None or one.severity == "info" or len(line) > _LONGEST_LINE:
        return None
    if not isinstance(right, str) or not isinstance(wrong, str):
        return _quoted(one, line, wrong, isinstance(right, str))
    if right:
        return _instead(one, line, wrong, right)
    if re.fullmatch(rf"\s*- +{re.escape(wrong)}\s*", line):
        return Fix(True, [Edit(one.path, one.line, 1, one.line + 1, 1, "")])
    return None


def _instead(one: Result, line: str, wrong: str, right: str) -> Fix | None:
    """Return the fix that writes `right` for the wrong word, if it stands on the line once."""
    if not wrong or wrong == right or not _WORD.fullmatch(right) or right.lower() in _NO_TEXTS:
        return None
    start = max(one.column - 1, 0)
    found = list(re.finditer(rf"(?<![\w.-]){re.escape(wrong)}(?![\w-]|\.\w)", line[start:]))
    if len(found) != 1:
        return None
    column = start + found[0].start() + 1
    rule = rule_of(one.rule, one.function)
    edit = Edit(one.path, one.line, column, one.line, column + len(wrong), right)
    return Fix(rule is not None and rule.fix == "safe", [edit])


def _quoted(one: Result, line: str, wrong: object, wanted: bool) -> Fix | None:
    """Return the fix that puts the value at the end of a line into quotes, or takes them away."""
    text = str(wrong).lower() if isinstance(wrong, bool) else str(wrong)
    shown = re.escape(text) if wanted else f"[\"']{re.escape(text)}[\"']"
    found = re.search(rf"(?<=[:-] )(?P<value>{shown})(?=\s*(?: #.*)?$)", line)
    if found is None:
        return None
    edit = Edit(
        one.path, one.line, found.start() + 1, one.line, found.end() + 1, f'"{text}"' if wanted else text
    )
    return Fix(True, [edit])


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
