"""Tests of krmkit.libraries.go.regexp.size: what a pattern becomes with its repeats written out."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.go.regexp.size import written_out
from krmkit.libraries.yaml import effort

PATTERNS = {
    "characters": ("abc", (3, 0)),
    "a group that is repeated": ("(a?b){3}", (6, 3)),
    "a range": ("a{1,1000}", (1000, 999)),
    "at least": ("a{5,}", (5, 0)),
    "repeats of repeats": ("(a{2}){3}", (6, 0)),
    "never": ("a{0}", (0, 0)),
    "a class with brackets and braces": ("[]a{2}]{2}", (2, 0)),
    "a class with a name": ("[[:alpha:]{3}]{4}", (4, 0)),
    "an escaped group": (r"\({3}", (3, 0)),
    "a code point": (r"\x{41}{2}", (2, 0)),
    "a class of Unicode": (r"\p{Greek}{3}", (3, 0)),
    "a quoted group": (r"\Q)\E{3}", (15, 0)),
    "braces that are characters": ("a{,3}", (5, 0)),
    "a group that does not end": ("((a?", (1, 1)),
    "a group that does not begin": ("a?)b", (2, 1)),
}


@pytest.mark.parametrize(("text", "expected"), PATTERNS.values(), ids=PATTERNS.keys())
def test_written_out(text: str, expected: tuple[int, int]) -> None:
    """Atoms, and parts that may be left out; a quoted text counts with its marks."""
    assert written_out(text) == expected


@pytest.mark.parametrize("text", ["(" * 5000 + "a" + "){1000}" * 5000, "[[:" * 50_000, r"\Q" + "(" * 50_000])
def test_hostile(text: str) -> None:
    """Numbers stay small, and no part of a text is searched again and again."""
    atoms, optional = written_out(text)

    assert 0 <= atoms < 10**10
    assert optional == 0


LARGE = {"atoms": ("a{1000}" * 251, "MAX_ATOMS"), "optional parts": ("a{0,1000}" * 21, "MAX_OPTIONAL")}


@pytest.mark.parametrize(("text", "limit"), LARGE.values(), ids=LARGE.keys())
def test_the_engine_never_sees_it(text: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """RE2 would take seconds and gigabytes to find out, so it is not asked."""
    engine = pattern._load()
    monkeypatch.setattr(engine, "RE2", None)

    with pytest.raises(
        pattern.PatternError, match=rf"too large.*krmkit\.libraries\.go\.regexp\.pattern\.{limit}"
    ):
        pattern.compile(text)


COSTS = {
    "plain": ("^[a-z]+$", 0, 20),
    "parts that may be left out": ("a{0,1000}" * 10, 500_000, 600_000),
    "classes of Unicode": (r"(?:\PL{0})" * 100, 80_000, 90_000),
    "a text that is wrong": ("[a-z]" * 1000 + "(", 40_000, 50_000),
    "a program that is too large": ("[^a]{1000}" * 240, 700_000, 800_000),
}


@pytest.mark.parametrize(("text", "least", "most"), COSTS.values(), ids=COSTS.keys())
def test_compiling_draws_on_the_budget(text: str, least: int, most: int) -> None:
    """What RE2 takes beside its instructions, before it is asked or when it refuses; what was compiled before costs as much."""
    drawn = []
    for _ in range(2):
        assert effort.begin()
        try:
            pattern.compile(text)
        except pattern.PatternError:
            pass
        finally:
            drawn.append(effort.DEFAULT - (effort.left() or 0))
            effort.end()

    assert least <= drawn[0] <= most
    assert drawn[0] == drawn[1]
