"""krmkit.systems.landscaper.apinames and hashes: names of scoped objects, and what marks their content."""

from __future__ import annotations

import pytest

from krmkit.systems.landscaper.apinames import index_key, object_name
from krmkit.systems.landscaper.items.hashes import data_hash, target_hash


@pytest.mark.parametrize(
    ("context", "key", "name"),
    [
        ("", "settings", "settings"),
        ("", "site.v2", "site.v2"),
        ("", "Settings", "pn53ix2vaydr3h3c3xv65ch3chuw2fsu"),
        ("Inst.shop", "#site", "site"),
        ("", "#site", "site"),
        ("Inst.shop", "settings", "cextscr3tuwn2f57v2jzrdmg7vsyu6ci"),
    ],
)
def test_object_name(context: str, key: str, name: str) -> None:
    """A root key stands for itself, `#` leaves every scope, all else is hashed with its context."""
    assert object_name(context, key) == name


def test_scopes_share_no_name() -> None:
    """The same key means different objects in the scopes of two installations."""
    names = {object_name(context, "database") for context in ("", "Inst.one", "Inst.two")}

    assert len(names) == 3


def test_elements_have_keys_of_their_own() -> None:
    """An element of a list or map is named by its index or key."""
    assert (index_key("zones", 0), index_key("zones", "blue")) == ("zones[0]", "zones[blue]")


def test_hashes_are_of_go_json() -> None:
    """Keys are sorted and HTML signs escaped, so that two forms of the same data have one hash."""
    assert data_hash({"b": 1, "a": "<x>"}) == data_hash({"a": "<x>", "b": 1.0})
    assert data_hash({"a": 1}) != data_hash({"a": 2})
    assert target_hash({"type": "t", "config": {"a": 1}}) == target_hash({"type": "u", "config": {"a": 1}})
    assert target_hash({"secretRef": {"name": "a"}}) != target_hash({"config": {"name": "a"}})
