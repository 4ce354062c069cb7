"""Scalars and keys as spiff's YAML reader takes them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import SpiffError
from krmkit.libraries.spiff.tree.embedded import embedded, interpolated, unescape
from krmkit.libraries.spiff.tree.reading import plain_documents, resolve

SCALARS: dict[str, Any] = {
    "": None, "~": None, "NULL": None, "yes": True, "Off": False, "y": True, "yet": "yet", "12": 12, "-3": -3, "+4": 4,
    "1_000": 1000, "017": 15, "0o17": 15, "0x1F": 31, "08": "08", ".5": 0.5, "1e3": 1000.0, "1.0": 1.0, ".inf": float("inf"),
    "1.2.3": "1.2.3", "2020-01-01": "2020-01-01", "12:30": "12:30", "--": "--", "-": "-", "9223372036854775808": "9223372036854775808",
    "0x": "0x", "1e": "1e", "text": "text", "<<": "<<",
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS.items(), ids=SCALARS.keys())
def test_scalars(text: str, value: Any) -> None:
    """A plain scalar has its value and its type."""
    found = resolve(text)

    assert (found, type(found)) == (value, type(value))


def test_merge_keys_are_plain() -> None:
    """`<<` merges nothing, and a key that stands twice has its last value."""
    assert plain_documents("a: {<<: {b: 1}, c: 1, c: 2}", "x") == [{"a": {"<<": {"b": 1}, "c": 2}}]


@pytest.mark.parametrize(("text", "key"), [("yes: 1", "true"), ("1: a", "1"), ("~: a", "<nil>")])
def test_keys_are_strings(text: str, key: str) -> None:
    """A key that is no string is an error; in quotes it is one."""
    with pytest.raises(SpiffError, match=f"map key must be a string: {key}"):
        plain_documents(text, "x")
    assert plain_documents('"yes": 1', "x") == [{"yes": 1}]


EMBEDDED = {
    "(( a ))": " a ", "(())": "", "((!a))": None, " (( a ))": None, "(( a )) ": None, "((a)": None, "x": None,
}  # fmt: skip


@pytest.mark.parametrize(("text", "inner"), EMBEDDED.items(), ids=EMBEDDED.keys())
def test_embedded(text: str, inner: str | None) -> None:
    """An expression fills its string."""
    assert embedded(text, False) == inner


def test_interpolated() -> None:
    """Texts around expressions become strings of one expression."""
    assert interpolated('a (( b ")" )) c')[1] == '"a " ( b ")" ) " c"'
    assert interpolated("a (( b")[1] is None


def test_unescape() -> None:
    """One ! goes."""
    assert unescape("((!!x))", False) == "((!x))"
    assert unescape("a ((!x)) b", True) == "a ((x)) b"


def test_tags() -> None:
    """`!!float` makes a float of an int, `!!int` keeps it, and other tags make texts."""
    (found,) = plain_documents("[!!float 1, !!int 5, !!bool yes, !!str 7]", "x")

    assert [(value, type(value)) for value in found] == [(1.0, float), (5, int), (True, bool), ("7", str)]
