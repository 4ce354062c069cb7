"""What is changed by lines is what the parser and the editor would have made of it, whatever else the resource holds."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from tests.property.plainedits import (
    CONFIGS,
    HEAD,
    cases,
    difference,
    edit_difference,
    pipeline_difference,
    unreadable,
)

BUDGET = 150  # lists for each seed
SEEDS = [pytest.param(seed, marks=() if seed < 2 else pytest.mark.slow) for seed in range(8)]


@pytest.mark.parametrize("seed", SEEDS)
def test_by_lines_as_by_the_parser(seed: int) -> None:
    """One function; what the parser cannot read stays as it is."""
    dice = random.Random(seed)
    for number, items in enumerate(islice(cases(seed), BUDGET)):
        said = difference(list(CONFIGS)[number % len(CONFIGS)], items, dice)
        assert not said, f"{items}\n{said}"


@pytest.mark.parametrize("seed", SEEDS)
def test_pipelines_by_lines_as_by_the_parser(seed: int) -> None:
    """Functions one behind the other, also where the list holds the lines of hardly an item."""
    dice = random.Random(seed)
    names = [name for name in CONFIGS if name != "apply-replacements"]
    for items in islice(cases(seed + 1000), BUDGET // 3):
        said = pipeline_difference(
            dice.choices(names, k=dice.choice((2, 3, 4))), items, dice.choice((1, 40, 5000)), dice
        )
        assert not said, f"{items}\n{said}"


@pytest.mark.parametrize("seed", SEEDS)
def test_edits_of_edited_fields(seed: int) -> None:
    """A field gets the quotes of what an earlier edit has put there, whoever writes it."""
    dice = random.Random(seed)
    for items in islice(cases(seed + 2000), BUDGET):
        said = edit_difference(items, dice)
        assert not said, f"{items}\n{said}"


def test_the_lists_are_read() -> None:
    """Most of the lists that are compared can be read; else little would be compared."""
    read = [not unreadable(HEAD + items) for items in islice(cases(0), 200)]

    assert sum(read) > 60
