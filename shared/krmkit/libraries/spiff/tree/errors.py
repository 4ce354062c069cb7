"""Errors: the issue of a node, the failure of an expression, and the error of a whole run."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

Path = tuple[str, ...]


@dataclass(slots=True, unsafe_hash=True)
class Issue:
    """The reason why a node has no value, with causes, printed in a `sequence` as `... cause`."""

    text: str
    nested: tuple[Issue, ...] = ()
    sequence: bool = False


@dataclass(slots=True, eq=False)
class Info:
    """Properties of an evaluation's value.

    - `redirect`: the value's path in stubs. `replace`: it replaces the whole map or list.
    - `merged`: it comes from a stub. `preferred`: stubs are merged into it instead of replacing it.
    - `undefined`: the entry is absent. `raw`: the value may hold expressions.
    - `failed`: it waits for a node that failed. `issue`: what it waits for.
    """

    issue: Issue | None = None
    failed: bool = False
    key_name: str = ""
    redirect: Path | None = None
    replace: bool = False
    merged: bool = False
    preferred: bool = False
    undefined: bool = False
    raw: bool = False
    source: str = ""
    flags: int = 0

    def join(self, other: Info) -> Info:
        """Return the combination of both; `other` wins where they differ."""
        if self is NOTHING:
            return other
        if other is NOTHING and not self.replace:
            return self
        return Info(
            other.issue or self.issue,
            self.failed or other.failed,
            other.key_name or self.key_name,
            self.redirect if other.redirect is None else other.redirect,
            other.replace,
            self.merged or other.merged,
            self.preferred or other.preferred,
            self.undefined or other.undefined,
            self.raw,
            self.source,
            self.flags | other.flags,
        )

    def without_error(self) -> Info:
        """Return the info without issue, failure and undefined."""
        return replace(self, issue=None, failed=False, undefined=False)


NOTHING = Info()
"""The info of a plain value, which is shared and never changed."""

Result = tuple[Any, Info]


class Failure(Exception):  # noqa: N818 - the reference's word: an evaluation fails
    """An expression without a value that no later pass can give: `(( 1 / 0 ))`."""

    def __init__(self, issue: Issue | str, info: Info | None = None, local: bool = True) -> None:
        self.issue = Issue(issue) if isinstance(issue, str) else issue
        self.info = info or NOTHING
        self.local = local
        super().__init__(self.issue.text)


def fail_if(wrong: object, issue: Issue | str, info: Info | None = None) -> None:
    """Raise Failure if a check failed."""
    if wrong:
        raise Failure(issue, info)


class Waits(Exception):  # noqa: N818 - no error: a structure or a lambda waits for a value
    """A value is not known yet; `chosen` is the node that a control structure selected and waits for."""

    def __init__(self, chosen: Any = None) -> None:
        super().__init__()
        self.chosen = chosen


_SLIPS = (
    (re.compile(r"%!\(EXTRA [^)\n]*\)|: %!s\(MISSING\)|\(%!s\(MISSING\)\)"), ""),
    (re.compile(r"\b(entries must) by (?=maps)"), r"\1 be "),
    (re.compile(r"\breq(?=ires one or two arguments)"), "requ"),
    (re.compile(r"\barument(?= pair)"), "argument"),
)
"""The traces of Go's fmt for a wrong format, and misspelled words. `catch` still sees spiff's own text."""


class SpiffError(Exception):
    """The error that ends a run.

    `message` is the whole text as spiff prints it, without its slips; `unresolved` are its lines about nodes.
    `kind` is unresolved, syntax (invalid YAML) or limit.
    """

    def __init__(self, message: str, kind: str = "unresolved", unresolved: tuple[Line, ...] = ()) -> None:
        for slip, word in _SLIPS:
            message = slip.sub(word, message)
        self.message = message
        self.kind = kind
        self.unresolved = unresolved
        super().__init__(message)


@dataclass(slots=True, eq=False)
class Line:
    """One unresolved node: `(( text ))  in source  path  (original)  mark issue`."""

    text: str
    source: str
    path: str
    original: str
    issue: str

    def __str__(self) -> str:
        end = f"\t{self.issue}" if self.issue else ""
        return f"\t{self.text}\tin {self.source}\t{self.path}\t({self.original}){end}"
