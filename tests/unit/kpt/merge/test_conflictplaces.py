"""krmkit.kpt.merge.conflictplaces: the lines that conflicts have in merged files."""

from __future__ import annotations

import pytest

from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.conflictplaces import placed

ITEM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{mark}data:\n  plain: a\n  list:\n  - x: 1\n  text: |\n    one: 1\n    two:\n      three: 3\n"
MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|b'\n"
FILE = ITEM.format(name="a", mark="") + "---\n" + ITEM.format(name="mine", mark=MARK)
B = 13  # lines above the second resource


@pytest.mark.parametrize(
    ("resource", "path", "line", "expected"),
    [
        ("ConfigMap a", (), 0, (1, 1)),
        ("ConfigMap a", ("data", "plain"), 0, (6, 3)),
        ("ConfigMap a", ("data", "gone"), 0, (5, 1)),
        ("ConfigMap a", ("data", "text"), 0, (9, 3)),
        ("ConfigMap a", ("data", "text"), 2, (11, 5)),
        ("ConfigMap a", ("data", "text", "two", "three"), 0, (12, 7)),
        ("ConfigMap a", ("data", "plain", "inner"), 0, (6, 3)),
        ("ConfigMap mine", ("data", "plain"), 0, (B + 8, 3)),
        pytest.param("ConfigMap b", ("data", "plain"), 0, (B + 8, 3), id="by the mark"),
        pytest.param("ConfigMap no", ("data", "plain"), 0, (1, 1), id="no such resource"),
    ],
)
def test_places_in_a_resource(
    resource: str, path: tuple[str, ...], line: int, expected: tuple[int, int]
) -> None:
    """The field's own line, that of what holds an absent one, and inside a text that of its field or line."""
    [found] = placed([ResourceConflict("f.yaml", resource, path, "m", line=line)], {"f.yaml": FILE.encode()})

    assert (found.line, found.column) == expected


@pytest.mark.parametrize(
    ("file", "content", "path", "line", "expected"),
    [
        ("values.yaml", b"a: 1\nb:\n  c: 2\n", ("b", "c"), 0, (3, 3)),
        ("values.json", b'{"a": 1,\n "b": 2}', ("b",), 0, (2, 2)),
        ("note.md", b"a: 1\nb: 2\n", ("b",), 7, (7, 1)),
        ("note.md", b"x\n", (), 0, (1, 1)),
        ("values.yaml", b"a: [", ("a",), 0, (1, 1)),
        ("values.yaml", b"\xff", ("a",), 0, (1, 1)),
    ],
)
def test_places_in_a_file_without_resources(
    file: str, content: bytes, path: tuple[str, ...], line: int, expected: tuple[int, int]
) -> None:
    """A path in YAML or JSON, a line in other texts; the first line where neither can be found."""
    [found] = placed([ResourceConflict(file, "", path, "m", line=line)], {file: content})

    assert (found.line, found.column) == expected


def test_a_file_that_is_gone() -> None:
    """It has no places."""
    [found] = placed([ResourceConflict("f.yaml", "", ("a",), "m")], {})

    assert (found.line, found.column) == (0, 0)
