"""Findings that a comment hides: `# krmkit: ignore RULE (reason)` on the line of a finding, or above it.

An error that stops a render is never hidden.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from krmkit.kpt.merge.unedited import comments_of
from krmkit.kpt.source import split_documents
from krmkit.krm.errors import Refused
from krmkit.render.findings.model import PackageReport, Result

_COMMENT = re.compile(r"#[ \t]*krmkit:[ \t]*ignore\b[ \t]*([\w-]*)[ \t]*(?:\(([^)\n]*)\))?")
_RULE = "unused-ignore"
_STOPPING = ("unreadable", "function-failed")


@dataclass(slots=True)
class IgnoreComment:
    """A comment at a place. `rule`: what it hides, "" without a rule and a reason; `line`: what it is about.

    `held`: a finding that it may not hide; `used`: whether it hides one.
    """

    path: str
    place: int
    rule: str
    line: int
    held: bool = False
    used: bool = False


def stops(finding: Result) -> bool:
    """Return whether a finding is an error that stops a render: one of a function, or of reading."""
    return finding.severity == "error" and bool(finding.function or finding.rule in _STOPPING)


def ignore_comments(texts: Mapping[str, str]) -> list[IgnoreComment]:
    """Return the comments in the texts of files by path; several above a line are all about it."""
    found: list[IgnoreComment] = []
    for path, text in texts.items():
        if "krmkit:" not in text:
            continue
        lines = text.split("\n")
        real, about = _comments(text), len(lines) + 1
        comments = []
        for number, line in reversed([*enumerate(lines, 1)]):
            about = about if line.lstrip().startswith("#") else number
            comment = _COMMENT.search(line)
            if comment is not None and real[line[comment.start() :].strip()]:
                rule = comment[1] if (comment[2] or "").strip() else ""
                comments.append(IgnoreComment(path, number, rule, about))
        found += reversed(comments)
    return found


def _comments(text: str) -> Counter[str]:
    """Return the comments of a file, without what looks like one in a value."""
    try:
        documents = split_documents(text, "")
    except Refused:
        documents = [("", text)]
    found: Counter[str] = Counter()
    for separator, body in documents:
        found.update(comments_of(body))
        found.update([separator[separator.index("#") :].strip()] if "#" in separator else [])
    return found


def hide(report: PackageReport, comments: Iterable[IgnoreComment]) -> None:
    """Take the findings that comments hide out of a report, and count them."""
    about: dict[tuple[str, int, str], list[IgnoreComment]] = {}
    for one in comments:
        about.setdefault((one.path, one.line, one.rule), []).append(one)
    kept = []
    for finding in report.results:
        found = about.get((finding.path, finding.line, finding.rule), [])
        is_hidden = bool(found) and not stops(finding)
        for one in found:
            one.used, one.held = one.used or is_hidden, one.held or not is_hidden
        if is_hidden:
            report.hidden += 1
        else:
            kept.append(finding)
    report.results = kept


def unused(comments: Iterable[IgnoreComment]) -> list[Result]:
    """Return a warning for each comment that hides nothing."""
    return [
        Result("warning", _RULE, _reason(one), one.path, one.place, 1) for one in comments if not one.used
    ]


def _reason(comment: IgnoreComment) -> str:
    if not comment.rule:
        return "must name a rule and a reason: # krmkit: ignore RULE (reason)"
    if comment.held:
        return f"cannot hide {comment.rule}: an error that stops a render is always shown"
    return f"hides nothing: there is no finding {comment.rule} on this line or the next; remove it"
