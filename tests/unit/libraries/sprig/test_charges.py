"""What calls of functions draw on the budget: about a step for 250 ns, for work that stays inside of C, too."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import parse
from krmkit.libraries.yaml import effort

TEXT = "x y-Z_" * 150
VALUES = [{"a": number, "b": [number]} for number in range(30)]  # 121 values
FLOATS = [number / 7 for number in range(60)]

CALLS: dict[str, tuple[str, object, int, int]] = {
    "a value as JSON": ("toJson .", VALUES, 900, 1500),
    "a float as JSON": ("toJson .", FLOATS, 800, 1200),
    "a value as YAML": ("toYaml .", VALUES, 1600, 3000),
    "a short text of YAML": ("fromYaml .", "a", 200, 300),
    "a copied value": ("deepCopy .", VALUES, 360, 600),
    "a value among others": ("uniq .", VALUES, 320, 500),
    "base32": ("b32enc .", TEXT, 450, 600),
    "words in other cases": ("kebabcase .", TEXT, 5400, 7000),
    "a quoted pattern": ("regexQuoteMeta .", TEXT, 225, 400),
    "a duration": ("durationRound .", TEXT, 900, 1000),
    "a date": ('toDate . "x"', TEXT, 1800, 2000),
}


@pytest.mark.parametrize(("call", "given", "least", "most"), CALLS.values(), ids=CALLS.keys())
def test_steps(call: str, given: object, least: int, most: int) -> None:
    """They follow the length of texts and the number of values."""
    template = parse("{{ $_ := " + call + " }}", functions="landscaper")
    assert effort.begin()
    try:
        template.execute(given)
        drawn = effort.DEFAULT - (effort.left() or 0)
    finally:
        effort.end()

    assert least <= drawn <= most
