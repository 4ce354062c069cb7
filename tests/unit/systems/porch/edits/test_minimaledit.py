"""krmkit.systems.porch.edits.minimaledit: edits that leave alone what already says the same."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import same_data
from krmkit.systems.porch.edits.minimaledit import ordered, overwrite, own


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": 1, "b": [1]}, {"b": [1], "a": 1}, True),
        (1, 1.0, False),
        (1, True, False),
        ("1", 1, False),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        (None, None, True),
    ],
)
def test_same(one: object, other: object, equal: bool) -> None:
    """Numbers, truth and texts differ; the order of keys does not."""
    assert same_data(one, other) is equal


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("a: 1 # one\nb: 2\n", {"a": 1, "b": 3}, "a: 1 # one\nb: 3\n"),
        ("a: 1\nb: 2 # two\n", {"b": 2}, "b: 2 # two\n"),
        ("a: {x: 1, y: 2} # c\n", {"a": {"y": 2, "z": 3}}, "a: {y: 2, z: 3} # c\n"),
        (
            "a:\n  b: # deep\n    c: 1 # stays\n    d: 2\n",
            {"a": {"b": {"c": 1, "d": 9}}},
            "a:\n  b: # deep\n    c: 1 # stays\n    d: 9\n",
        ),
        ("a: [1, 2] # c\n", {"a": [1, 2]}, "a: [1, 2] # c\n"),
        ("a: 0x10\n", {"a": 16}, "a: 0x10\n"),
        ("a: 1\n", {"a": "1"}, 'a: "1"\n'),
        ("a: {}\n", {"a": {"b": 1}}, "a:\n  b: 1\n"),
        ("a: x\n", {"a": {}}, "a: {}\n"),
    ],
)
def test_overwrite(before: str, value: dict[str, object], after: str) -> None:
    """Only lines whose data change are touched."""
    indent = "  "
    text = "spec:\n" + "".join(indent + line + "\n" for line in before.splitlines())
    resource = Resource(text)
    overwrite(resource, ("spec",), value)

    assert resource.text == "spec:\n" + "".join(indent + line + "\n" for line in after.splitlines())


def test_own() -> None:
    """A copy takes the place of an alias, and of what a merge key brings, before it is edited."""
    resource = Resource("x: &x {a: {b: 1}}\ny: *x\nz:\n  <<: *x\n")
    for name in ("y", "z"):
        own(resource, name, "a")
        resource.set((name, "a", "b"), 2)

    assert resource.get() == {"x": {"a": {"b": 1}}, "y": {"a": {"b": 2}}, "z": {"a": {"b": 2}}}
    assert own(resource, "x", "none") is None
    assert own(resource, "x", "a", "b", "c") is None


def test_aliases_of_what_is_edited_keep_their_meaning() -> None:
    """A mapping or list with an anchor is edited alone; comments in it stay."""
    text = "x: &x\n  a: 1 # one\ny: *x\nz:\n- *x\n"
    resource = Resource(text)
    overwrite(resource, ("x",), {"a": 1, "b": 2})

    assert resource.get() == {"x": {"a": 1, "b": 2}, "y": {"a": 1}, "z": [{"a": 1}]}
    assert resource.text.startswith("x: &x\n  a: 1 # one\n  b: 2\n")


def test_order_of_fields() -> None:
    """kyaml's well-known fields first, in its order, then the others by name; lists stay as they are."""
    value = {
        "zone": 1,
        "data": {"b": 1, "name": 2, "a": 3},
        "name": "n",
        "list": [{"kind": 1, "apiVersion": 2}, 3],
    }

    assert list(value) != list(ordered(value))  # type: ignore[call-overload]  # ordered gives a map for a map
    assert str(ordered(value)) == str(
        {
            "name": "n",
            "data": {"name": 2, "a": 3, "b": 1},
            "list": [{"apiVersion": 2, "kind": 1}, 3],
            "zone": 1,
        }
    )
