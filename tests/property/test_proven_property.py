"""What a process remembers of earlier lists changes no answer about the next one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.yaml import split as module
from krmkit.yaml.proven import Proven
from krmkit.yaml.split import split_fast
from tests.property.test_split_property import PROFILE, broken_lists

REMEMBERED = Proven(most=1000)
ITEMS = [
    "a: 1",
    "a: 'b'",
    'a: "b\n    c"\n  d: 1',
    "a: {b: c,\n    d: e}",
    "a: |\n    {",
    "a: ['x''",
    "a: 'b",
    "a: 1\n  # c",
    "# c\n  a: 1",
    "- a",
    "a: 1\n# c",
    "a: x\tb",
]


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    module.memory = None


@PROFILE
@given(broken_lists())
def test_same_answer(text: str) -> None:
    """Without memory, with what others left, and when the same list comes again."""
    compare(text)


@PROFILE
@given(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=40), st.sampled_from([0, 2]), st.booleans())
def test_same_items_in_other_places(items: list[str], pad: int, has_end: bool) -> None:
    """What was found out about an item holds wherever it stands, at the end of the text as well."""
    margin = " " * pad
    text = "items:\n" + "".join(margin + "- " + item.replace("\n", "\n" + margin) + "\n" for item in items)
    compare(text if has_end else text[:-1])


def compare(text: str) -> None:
    module.memory = None
    expected = split_fast(text)
    module.memory = REMEMBERED
    for _ in range(2):
        chunks = split_fast(text)
        assert (chunks is None) == (expected is None)
        if chunks is not None and expected is not None:
            assert (chunks.head, chunks.items, chunks.tail) == (expected.head, expected.items, expected.tail)
            assert chunks.doubtful == expected.doubtful
            assert chunks.documents.keys() == expected.documents.keys()
