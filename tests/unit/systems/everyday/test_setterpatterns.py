"""Patterns of setters: what a comment says, and what a text shows."""

from __future__ import annotations

import pytest

from krmkit.systems.everyday.setters.patterns import derived, filled, is_array_pattern, names_in, pattern_of

COMMENTS = [
    ("a pattern", "# kpt-set: ${v}", "${v}"),
    ("blanks around it", "# kpt-set:   ${v}  ", "${v}"),
    ("a second comment is part of it", "# kpt-set: ${v} # and", "${v} # and"),
    ("no blank behind the sign", "#kpt-set: ${v}", ""),
    ("no blank behind the colon", "# kpt-set:${v}", ""),
    ("something in front", "# note kpt-set: ${v}", ""),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(
    ("comment", "pattern"), [case[1:] for case in COMMENTS], ids=[case[0] for case in COMMENTS]
)
def test_pattern_of_a_comment(comment: str, pattern: str) -> None:
    """Only the exact beginning makes a comment a pattern."""
    assert pattern_of(comment) == pattern


def test_values_are_not_looked_through() -> None:
    """A value that looks like a setter stays a text."""
    assert filled("${a}-${b}", {"a": "${b}", "b": "x"}) == "${b}-x"


SHOWN = [
    ("two parts", "${img}:${tag}", "nginx:1.2", {"img": "nginx", "tag": "1.2"}),
    ("the last separator counts", "${x}-${y}", "a-b-c", {"x": "a-b", "y": "c"}),
    ("an empty part", "${img}:${tag}", ":1.2", {}),
    ("no separator", "${img}:${tag}", "nginx", {}),
    ("signs of expressions", "a.${m}*(${n})", "a.b*(c)", {"m": "b", "n": "c"}),
]


@pytest.mark.parametrize(
    ("pattern", "text", "found"), [case[1:] for case in SHOWN], ids=[case[0] for case in SHOWN]
)
def test_what_a_text_shows(pattern: str, text: str, found: dict[str, str]) -> None:
    """All values are there, or none is used."""
    assert derived(pattern, text) == found


def test_names() -> None:
    """Names are anything but a closing brace; a list has one setter alone."""
    assert names_in("a-${x y}-${z") == ["x y"]
    assert is_array_pattern("${x}")
    assert not is_array_pattern("${x}${y}")
