"""krmkit.systems.palette.packs.keypath: where a key path leads to."""

from __future__ import annotations

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.packs import keypath
from krmkit.systems.palette.packs.keypath import KeyPath


def look(text: str, path: str) -> list[tuple[str, str, str | None]]:
    """(state, place, text of the scalar there) of every match."""
    matches = keypath.find(parse(text).root, KeyPath.parse(path))
    return [(m.state, str(m), m.node.text if isinstance(m.node, Scalar) else None) for m in matches]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param("a: {b: x}", "a.b", [("found", "a.b", "x")], id="plain"),
        pytest.param("a: {b: x}", "a.c", [("missing", "a.c", None)], id="absent"),
        pytest.param("a: {}", "a.b.c", [("missing", "a.b.c", None)], id="absent-parent"),
        pytest.param("a: x", "a.b", [("missing", "a.b", None)], id="through-a-scalar"),
        pytest.param("a: [x]", "a.b", [("missing", "a.b", None)], id="through-a-list"),
        pytest.param("", "a", [("missing", "a", None)], id="empty-document"),
        pytest.param("a: {x.y: 1}", "a.x.y", [("found", 'a."x.y"', "1")], id="key-with-a-dot"),
        pytest.param("a: {x: {y: 1}, x.y: 2}", "a.x.y", [("found", "a.x.y", "1")], id="shortest-first"),
        pytest.param("a: {x: {z: 1}, x.y: 2}", "a.x.y", [("found", 'a."x.y"', "2")], id="what-exists-wins"),
        pytest.param(
            "a.b: {c: {}}\na: {b.c: {d: 1}}", "a.b.c.d", [("found", 'a."b.c".d', "1")], id="back-tracking"
        ),
        pytest.param("x/y@z-w: 1", "x/y@z-w", [("found", "x/y@z-w", "1")], id="signs-are-ordinary"),
        pytest.param('a: {"x.y": 1}', 'a."x.y"', [("found", 'a."x.y"', "1")], id="quoted-segment"),
        pytest.param("a: {x: {y: 1}}", 'a."x.y"', [("missing", 'a."x.y"', None)], id="quoted-is-never-split"),
        pytest.param(
            "a: [x, y]", "a.$[]", [("found", "a[0]", "x"), ("found", "a[1]", "y")], id="every-element"
        ),
        pytest.param(
            "a: [{b: [1]}, {b: []}, {c: 1}]",
            "a.$[].b.$[]",
            [("found", "a[0].b[0]", "1"), ("empty-list", "a[1].b[]", None), ("missing", "a[2].b[]", None)],
            id="repeatedly",
        ),
        pytest.param("[{b: 1}]", "$[].b", [("found", "[0].b", "1")], id="list-at-the-top"),
        pytest.param("b: 1", "a.$[]", [("missing", "a[]", None)], id="absent-list"),
        pytest.param("a:", "a.$[].b", [("missing", "a[].b", None)], id="null-list"),
        pytest.param("a: []", "a.$[]", [("empty-list", "a[]", None)], id="empty-list"),
        pytest.param("a: x", "a.$[]", [("not-list", "a", "x")], id="no-list"),
        pytest.param("a:\n  $[]: 1", 'a."$[]"', [("found", 'a."$[]"', "1")], id="quoted-sign-is-a-key"),
        pytest.param("a: &x {b: 1}\nc: *x", "c.b", [("found", "c.b", "1")], id="alias"),
        pytest.param("a: &x {b: 1}\nc:\n  <<: *x", "c.b", [("found", "c.b", "1")], id="merge-key"),
        pytest.param("a: &x {b: 1}\nc:\n  <<: *x\n  b: 2", "c.b", [("found", "c.b", "2")], id="own-key-wins"),
        pytest.param(
            "x: &x {b: 1}\ny: &y {b: 2, d: 3}\nc:\n  <<: [*x, *y]",
            "c.b",
            [("found", "c.b", "1")],
            id="first-merge-wins",
        ),
        pytest.param(
            'c:\n  "<<": {b: 1}', "c.b", [("missing", "c.b", None)], id="quoted-merge-sign-is-a-key"
        ),
        pytest.param("a: &a\n  <<: *a\n  b: 1", "a.b", [("found", "a.b", "1")], id="merge-of-itself"),
        pytest.param(
            "a: &a\n  self: *a\n  b: 1", "a.self.self.b", [("found", "a.self.self.b", "1")], id="cycle"
        ),
        pytest.param("1: {true: x}", "1.true", [("found", "1.true", "x")], id="keys-by-their-text"),
    ],
)
def test_find(text: str, path: str, expected: list[tuple[str, str, str | None]]) -> None:
    """A path leads to the places it names, or says where it ends."""
    assert look(text, path) == expected


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param('a."b', "quote", id="open-quote"),
        pytest.param('a."b"c', "quote", id="text-after-a-quote"),
        pytest.param(".".join("a" * 257), "256 segments", id="too-many-segments"),
    ],
)
def test_parse_errors(path: str, message: str) -> None:
    """What is not a key path is refused."""
    with pytest.raises(Refused, match=message):
        KeyPath.parse(path)


def test_every_node_is_looked_at_once_for_each_segment() -> None:
    """Shared nodes that fit many readings of a path do not multiply the work."""
    levels = ["n0: &n0 {z: 1}"]
    for level in range(1, 40):
        levels.append(f"n{level}: &n{level} {{a: *n{level - 1}, a.a: *n{level - 1}, a.a.a: *n{level - 1}}}")
    text = "\n".join(levels)

    assert look(text, "n39." + ".".join("a" * 200)) == [("missing", "n39." + ".".join("a" * 200), None)]


def test_matches_are_counted() -> None:
    """A few lists of aliases cannot make a path lead to millions of places."""
    levels = ["n0: &n0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for level in range(1, 7):
        levels.append(f"n{level}: &n{level} [{', '.join([f'*n{level - 1}'] * 10)}]")

    with pytest.raises(LimitError, match="100000 places"):
        look("\n".join(levels), "n6" + ".$[]" * 7)
