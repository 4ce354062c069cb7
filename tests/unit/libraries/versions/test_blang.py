"""krmkit.libraries.versions.blang: versions as Cluster API reads and compares them."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.versions.blang import (
    UNORDERED,
    compare_with_build_tags,
    compare_without_prereleases,
    parse,
    parse_tolerant,
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v1.33.1", "1.33.1"),
        (" 1.33 ", "1.33.0"),
        ("1", "1.0.0"),
        ("v1.033.01-rc.1+x", "1.33.1-rc.1+x"),
        ("v00.1.2", "0.1.2"),
    ],
)
def test_tolerant(text: str, version: str) -> None:
    """Blanks, a v, leading zeros and missing numbers do not matter."""
    assert str(parse_tolerant(text)) == version


@pytest.mark.parametrize("text", ["", "v", "1.33-rc.1", "1.x.0", "1.2.3.4", "vv1.2.3"])
def test_no_version(text: str) -> None:
    """What is no version is an error."""
    with pytest.raises(GoInputError):
        parse_tolerant(text)


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("1.33.1", "1.33.0", 1),
        ("1.33.0-rc.1", "1.33.0", -1),
        ("1.33.0+1", "1.33.0+2", -1),
        ("1.33.0+10", "1.33.0+9", 1),
        ("1.33.0+a", "1.33.0+b", UNORDERED),
        ("1.33.0+1", "1.33.0+a", -1),
        ("1.33.0+a", "1.33.0+1", 1),
        ("1.33.0+a.1", "1.33.0+a", 1),
        ("1.33.0+a", "1.33.0+a", 0),
    ],
)
def test_build_tags(a: str, b: str, result: int) -> None:
    """Build tags decide between equal versions; different texts have no order."""
    assert compare_with_build_tags(parse(a), parse(b)) == result


def test_without_prereleases() -> None:
    """Only the three numbers count."""
    assert compare_without_prereleases(parse("1.33.0-rc.1"), parse("1.33.0")) == 0
    assert compare_without_prereleases(parse("1.34.0-rc.1"), parse("1.33.9")) == 1
