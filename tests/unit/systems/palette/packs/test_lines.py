"""krmkit.systems.palette.packs.lines: the line of the file for a line of a text inside an item."""

from __future__ import annotations

import pytest

from krmkit.kpt.source import SourceFile
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.palette.packs.lines import FileLines, LineIndex, block_place

ITEM = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  pack.json: |
    values.yaml: |
  # values.yaml: |
  values.yaml: |

    a: 1
"""

PLACES: list[tuple[str, str, int, tuple[int, int] | None]] = [
    ("a literal block", ITEM, 0, (10, 4)),
    ("folded, with a comment", ITEM.replace("values.yaml: |\n\n", "values.yaml: >- # x\n"), 0, (10, 4)),
    ("a quoted key", ITEM.replace("  values.yaml: |\n\n", '  "values.yaml": |\n'), 0, (10, 4)),
    ("an indentation said", ITEM.replace("  values.yaml: |\n\n", "  values.yaml: |1-\n"), 0, (10, 3)),
    ("an empty block", ITEM[: ITEM.index("\n    a:")], 0, (10, 2)),
    ("in quotes", ITEM.replace("values.yaml: |\n\n    a: 1", 'values.yaml: "a: 1"'), 0, None),
    ("absent", ITEM.replace("  values.yaml: |\n\n    a: 1\n", ""), 0, None),
    ("behind another key", ITEM.replace("\n  values", "\nother:\n  values"), 0, None),
    ("in a list", ITEM.replace("\n", "\n  "), 2, (10, 6)),
]


@pytest.mark.parametrize(
    ("text", "column", "expected"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES]
)
def test_block_place(text: str, column: int, expected: tuple[int, int] | None) -> None:
    """The first line of the block and its indentation; None where the text is no block scalar."""
    assert block_place(text, column, ("data", "values.yaml")) == expected


def test_line_index() -> None:
    """Lines and columns count from 1."""
    lines = LineIndex("ab\n\nc")

    assert [lines.at(offset) for offset in range(5)] == [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]


def test_line_of_a_file_on_disk() -> None:
    """Each document of a file knows where it begins, and moves with what a function adds to one before it."""
    text = f"# head\n{ITEM}--- # next\n{ITEM}---\n# nothing\n---\n{ITEM}"
    items = SourceFile("a.yaml", text, "", "a.yaml").items
    resources = ResourceList.of([*items], None)

    assert [FileLines(resources).of(item, 2) for item in items] == [2, 15, 29]
    items[0].set(("metadata", "namespace"), "b")
    assert [FileLines(resources).of(item, 2) for item in items[:2]] == [2, 16]


ANNOTATIONS = """\
- kind: A
  metadata:
    annotations:
      config.kubernetes.io/index: '{index}'
      config.kubernetes.io/path: 'a.yaml'
      config.kubernetes.io/local-config: "true"
      internal.config.kubernetes.io/path: 'a.yaml'
  spec: {{}}
"""


@pytest.mark.parametrize(
    ("indexes", "expected"),
    [([0], [5]), ([1], [None]), ([0, 1], [5, 11]), ([1, 0], [11, 5]), ([0, 2], [5, None])],
)
def test_line_of_a_list_item(indexes: list[int], expected: list[int | None]) -> None:
    """The lines that kpt adds are none of the file's; a later document stands behind those before it."""
    resources = ResourceList.parse(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        + "".join(ANNOTATIONS.format(index=index) for index in indexes)
    )

    assert [FileLines(resources).of(item, 8) for item in resources.items] == expected


def test_line_without_a_file() -> None:
    """An item of no file has no line in one."""
    assert FileLines().of(Resource("kind: A\n"), 1) is None
