"""Lines that move to another column."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.lines import shift


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        pytest.param("a\n  b", 0, 2, "  a\n    b", id="deeper"),
        pytest.param("a\n  b\n", 0, 2, "  a\n    b\n", id="deeper, with a last line break"),
        pytest.param("a\n\n\nb\n", 0, 2, "  a\n\n\n  b\n", id="empty lines stay empty"),
        pytest.param("\na\n", 0, 2, "\n  a\n", id="an empty first line"),
        pytest.param("a\n\n", 0, 2, "  a\n\n", id="an empty last line"),
        pytest.param("a\n \nb", 0, 1, " a\n  \n b", id="a line of blanks"),
        pytest.param("\n", 0, 2, "\n", id="a line break"),
        pytest.param("", 0, 2, "", id="nothing"),
        pytest.param("a\n  b", 2, 2, "a\n  b", id="not at all"),
        pytest.param(
            "    a\n      b\n\n c\n", 4, 2, "  a\n    b\n\nc\n", id="less deep, as far as a line can"
        ),
    ],
)
def test_shift(text: str, old: int, new: int, expected: str) -> None:
    """Every line keeps its distance to the others, and no blanks are added to an empty one."""
    assert shift(text, old, new) == expected
