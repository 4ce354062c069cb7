"""What a process remembers of earlier lists changes no answer about the next one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from krmkit.yaml import split as module
from krmkit.yaml.proven import Proven
from krmkit.yaml.split import split_fast
from tests.property.test_split_property import PROFILE, broken_lists

REMEMBERED = Proven(most=1000)


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    module.memory = None


@PROFILE
@given(broken_lists())
def test_same_answer(text: str) -> None:
    """Without memory, with what others left, and when the same list comes again."""
    module.memory = None
    expected = split_fast(text)
    module.memory = REMEMBERED
    for _ in range(2):
        chunks = split_fast(text)
        assert (chunks is None) == (expected is None)
        if chunks is not None and expected is not None:
            assert (chunks.head, chunks.items, chunks.tail) == (expected.head, expected.items, expected.tail)
            assert chunks.doubtful == expected.doubtful
