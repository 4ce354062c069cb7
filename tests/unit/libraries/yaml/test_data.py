"""Python data from a span tree: Go's rules, YAML 1.2 core, merges, aliases."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.data import changed_keys, core_data, go_data, lookup
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.tree import Map, Scalar


def test_go_and_core_read_differently() -> None:
    """What the two schemas make of the same plain text."""
    root = parse("[yes, 010, 0o10, 1_000, 2001-12-14, ~, '1', !!str 1, 1e3, .5]").root

    assert go_data(root) == ["yes", 8, 8, 1000, "2001-12-14", None, "1", "1", 1000.0, 0.5]
    assert core_data(root) == ["yes", 10, 8, "1_000", "2001-12-14", None, "1", "1", 1000.0, 0.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("base: &b {x: 1, y: 2}\nd:\n  <<: *b\n  y: 3\n", {"y": 3, "x": 1}),
        ("b: &b {x: 1}\nc: &c {x: 2, z: 3}\nd:\n  <<: [*b, *c]\n", {"x": 1, "z": 3}),
        ('d:\n  "<<": 1\n', {"<<": 1}),
    ],
)
def test_merge_keys(text: str, expected: object) -> None:
    """The mapping's own keys win, then the merged mappings in their order; a quoted << is a plain key."""
    data = go_data(parse(text).root)

    assert isinstance(data, dict)
    assert data["d"] == expected


def test_lookup_applies_merges() -> None:
    """One key can be found without building the data."""
    root = parse("b: &b {x: 1}\nd: {<<: *b, y: 2}\n").root
    assert isinstance(root, Map)
    inner = root.get("d")
    assert isinstance(inner, Map)

    found = lookup(inner, "x")

    assert isinstance(found, Scalar)
    assert found.text == "1"
    assert lookup(inner, "z") is None


def test_alias_bomb_ends_by_counting() -> None:
    """A few hundred bytes that would grow into gigabytes end in an error."""
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10)]
    text = "l0: &l0 [x]\n" + "\n".join(levels)

    with pytest.raises(LimitError, match="--limit aliases=N"):
        go_data(parse(text).root)

    assert len(text) < 1024
    assert go_data(parse("a: &a [1]\nb: *a\n").root, Limits(aliases=2)) == {"a": [1], "b": [1]}


@pytest.mark.parametrize("text", ["a: !!int x\n", "? [1]\n: 2\n", "a: {<<: 1}\n"])
def test_what_cannot_be_data(text: str) -> None:
    """A wrong tag, a collection as a key, a merge of a scalar: errors with a place."""
    with pytest.raises(YamlError) as caught:
        go_data(parse(text).root)

    assert caught.value.line == 1


def test_changed_keys() -> None:
    """Keys with other values, gone ones and new ones; 1 and true differ, and NaN equals itself."""
    before = {"same": [1], "gone": None, "type": 1, "nan": float("nan")}
    after = {"same": [1], "new": None, "type": True, "nan": float("nan")}

    assert changed_keys(before, after) == {"gone", "new", "type"}
