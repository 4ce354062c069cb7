"""krmkit.kpt.merge.lines: texts merged by lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.kpt.merge.lines import merge_lines
from krmkit.kpt.merge.policy import unresolved_line
from krmkit.kpt.merge.threeway import LOCAL
from krmkit.krm.errors import Refused

CASES = {
    "apart": (b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n", b"A\nb\nC\n", b"A\nb\nC\n"),
    "the same on both sides": (b"a\n", b"b\n", b"b\n", b"b\n", b"b\n"),
    "in conflict": (b"a\nb\n", b"a\nu\n", b"a\nl\n", b"a\nu\n", b"a\nl\n"),
    "in conflict without a final line break": (b"a\nb", b"a\nu", b"a\nl", b"a\nu", b"a\nl"),
    "with carriage returns": (b"a\r\nb\r\n", b"a\r\nu\r\n", b"a\r\nl\r\n", b"a\r\nu\r\n", b"a\r\nl\r\n"),
    "with markers of others": (b"<<<<<<< x\n=\nb\n", b"<<<<<<< x\n=\nu\n", b"<<<<<<< y\n=\nb\n", b"<<<<<<< y\n=\nu\n", b"<<<<<<< y\n=\nu\n"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("base", "upstream", "local", "theirs", "ours"), list(CASES.values()), ids=list(CASES)
)
def test_lines(base: bytes, upstream: bytes, local: bytes, theirs: bytes, ours: bytes) -> None:
    """What both sides changed is taken from one of them; everything else from where it changed."""
    merged, kept = merge_lines(base, upstream, local), merge_lines(base, upstream, local, LOCAL)

    assert merged is not None and kept is not None
    assert (merged.value, kept.value) == (theirs, ours)
    assert bool(merged.conflicts) == (theirs != ours)


def test_a_conflict_has_its_line() -> None:
    """Counted in the merged text."""
    merged = merge_lines(b"a\nb\nc\nd\n", b"a\nb\nc\nu\n", b"new\na\nb\nc\nl\n")

    assert merged is not None
    assert [(one.line, one.upstream, one.local) for one in merged.conflicts] == [(5, "u\n", "l\n")]


def test_what_is_no_text() -> None:
    """A version with NUL cannot be merged by lines."""
    assert merge_lines(b"a\n", b"\0\n", b"b\n") is None


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what is missing; no other result is made up."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Refused, match="not on PATH"):
        merge_lines(b"a\n", b"b\n", b"c\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\n", 0),
        ("<<<<<<< ours\n", 0),
        ("<<<<<<< ours\na\n=======\nb\n", 0),
        ("<<<<<<< ours\na\n>>>>>>> theirs\n", 0),
        ("x\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", 2),
        ("x\n<<<<<<< ours\r\n=======\r\n>>>>>>> theirs\r\n", 2),
        ("<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n", 2),
        ("  <<<<<<< ours\n=======\n>>>>>>> theirs\n", 0),
        (">>>>>>> x\n=======\n<<<<<<< y\n", 0),
    ],
)
def test_a_conflict_that_nobody_decided(text: str, line: int) -> None:
    """All three lines make one, in their order; the first is told."""
    assert unresolved_line(text) == line
