"""Names in a message."""

import pytest

from krmkit.libraries.messages.listed import listed


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more")],
)
def test_the_first_and_how_many_more(names: list[str], text: str) -> None:
    """No more is said where all names fit."""
    assert listed(names, 2) == text
