"""Whatever layout a list has, every function answers as for the plain one, with a list that reads again."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.contract.checks import FUNCTIONS
from tests.property.layouts import cases, problem

EACH = 12


@pytest.mark.parametrize("folder", FUNCTIONS, ids=lambda folder: folder.name)
def test_every_layout_means_the_same(folder: object) -> None:
    """Dashes alone, comments, anchors, brackets, CRLF, tabs, no last line break: items and exit code are the same."""
    said = [
        f"{made.label}: {wrong}"
        for given, made in islice(cases(3, lambda one: one == folder), EACH)
        if (wrong := problem(given, made))
    ]

    assert said == []
