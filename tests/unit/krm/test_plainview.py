"""Edits without a parse say what the parser would have made of them, byte for byte outside of the new line."""

from __future__ import annotations

import pytest

from krmkit.krm import plaintext
from krmkit.krm.fieldpath import Path
from krmkit.krm.itemlines import Block, ItemLines
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map, Scalar

TEXT = """\
kind: Thing
metadata:
  name: a # the name
  labels:
    app: a
spec:
  containers:
  - name: one
    image: "x:1" # pinned
  - image: y
    ports:
    - image: no
  text: |
    containers:
    - image: z
"""


def lazy(text: str = TEXT) -> Resource:
    return Resource(text, lazy=True)


def parts(block: Block | None) -> list[object]:
    """Everything that a block knows."""
    return [getattr(block, name) for name in Block.__slots__]


def is_plainly_absent(text: str, path: Path) -> bool:
    """Whether the lines alone say that there is nothing at a path."""
    return lazy(text)._look_up(path) is None


def seen(item: Resource, *path: str | int) -> str | None:
    """The text of the scalar at a path; None where nothing is. It must be seen without a parse."""
    node = item.read(*path)
    assert item._document is None
    assert node is None or isinstance(node, Scalar)
    return node.text if node is not None else None


def test_new_keys() -> None:
    """A new key comes behind the last line of its map, maps on the way are made, and nothing is parsed."""
    item = lazy()

    item.set(("metadata", "labels", "team"), "yes")
    item.set(("metadata", "annotations", "note"), "b")

    assert item._document is None
    assert item.text == TEXT.replace(
        "    app: a\n", '    app: a\n    team: "yes"\n  annotations:\n    note: b\n'
    )


@pytest.mark.parametrize(
    ("path", "absent"),
    [
        (("metadata", "namespace"), True),
        (("metadata", "name"), False),
        (("spec", "image"), True),
        (("spec", "template", "spec"), True),
        (("spec", "text"), False),
    ],
    ids=str,
)
def test_absent(path: tuple[str, ...], absent: bool) -> None:
    """A word elsewhere in the text does not make a key."""
    assert is_plainly_absent(TEXT, path) is absent


@pytest.mark.parametrize("key", ['"name"', "? name\n  :", "<<", "*x", "!t name"])
def test_keys_in_other_forms(key: str) -> None:
    """A key that may be written in another way is left to the parser."""
    assert not is_plainly_absent(f"metadata:\n  a: b\n  {key}: c\n", ("metadata", "name"))


def test_entries() -> None:
    """Scalars of the entries of a list are seen and set; deeper ones and texts are not meant."""
    item = lazy()

    assert item.size("spec", "containers") == 2
    assert [seen(item, "spec", "containers", at, "image") for at in range(3)] == ["x:1", "y", None]
    assert seen(item, "spec", "containers", 1, "name") is None
    item.set(("spec", "containers", 0, "image"), "x:2")
    item.set(("spec", "containers", 1, "image"), "w")
    item.set(("spec", "containers", 0, "stage"), "prod")

    assert item._document is None
    assert item.text == TEXT.replace('"x:1" # pinned\n', '"x:2" # pinned\n    stage: prod\n').replace(
        "- image: y", "- image: w"
    )


@pytest.mark.parametrize(
    "entries",
    [
        "  - *a\n",
        "  -\n    image: x\n",
        "  - image: y\n  -\n    image: x\n",
        "  - image : x\n",
        "  - image: >\n      x\n",
        "  - 'image': x\n",
        "  [{image: x}]\n",
    ],
    ids=repr,
)
def test_entries_in_other_forms(entries: str) -> None:
    """A list that is not plainly one of block maps is left to the parser."""
    lines = ItemLines(f"spec:\n  containers:\n{entries}", 0)
    path = ("spec", "containers", 0, "image")

    assert lines.scalar(path) is None
    assert not lines.lacks(path)


@pytest.mark.parametrize(
    ("keys", "absent"),
    [
        ("a: '*b'\nc: \\x!\n", True),
        ("a: |\n  <<: {\n  'name': x\n", True),
        ("<<: *b\n", False),
        ("*b : c\n", False),
        ("!!str a: b\n", False),
        ('"n\\x61me": b\n', False),
        ("'name': b\n", False),
        ("? name\n: b\n", False),
        ("names: b\n", True),
    ],
)
def test_absent_keys(keys: str, absent: bool) -> None:
    """A key is plainly absent where no line at its column can be that key, whatever deeper lines and values hold."""
    assert is_plainly_absent(f"kind: Thing\n{keys}", ("name",)) is absent


def test_fields_with_a_word() -> None:
    """A field in lists of lists has its path; one in a block scalar is left to the parser."""
    text = "a:\n- name: x\n  deep:\n    - b: 1\n      c: 'd' # mark\n    - c: e # mark\n"
    item = lazy(text)
    found = item._scalars_with("mark")

    assert found is not None
    assert [path for path, _, _ in found] == [("a", 0, "deep", 0, "c"), ("a", 0, "deep", 1, "c")]
    assert [(node.text, node.style, comment) for _, node, comment in found] == [
        ("d", "'", "# mark"), ("e", "", "# mark"),
    ]  # fmt: skip
    assert lazy(text + "t: |\n  a: b # mark\n")._scalars_with("mark") is None


@pytest.mark.parametrize("end", ["", "\n", "\nstatus:\n  a: b\n"], ids=repr)
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("metadata", "name"), "longer-than-it-was"),
        (("metadata", "labels", "app"), ""),
        (("metadata", "labels", "team"), "blue"),
        (("metadata", "site"), "north"),
        (("metadata", "annotations", "a"), "b"),
        (("spec", "template", "metadata", "labels", "app"), "c"),
        (("spec", "template", "image"), "d"),
        (("spec", "more"), "e"),
    ],
    ids=str,
)
def test_blocks_after_an_edit(end: str, path: tuple[str, ...], value: str) -> None:
    """The block mappings that were found before an edit by lines are where a new look finds them."""
    text = (
        "kind: Thing\nmetadata:\n  name: a\n  labels:\n    app: a\n    tier: b\nspec:\n  replicas: 1\n"
        "  template:\n    metadata:\n      labels:\n        app: a"
    )
    item = lazy(text + end)
    for known in (("metadata", "labels"), ("spec", "template", "metadata", "labels"), ("status",)):
        item.has(*known)

    item.set(path, value)

    assert item._lines is not None
    moved = {at: parts(block) for at, block in item._lines.blocks.items() if block is not None}
    fresh = ItemLines(item.text, 0)
    assert moved == {at: parts(fresh.block(at)) for at in moved}
    assert item._lines.columns == fresh.columns
    assert Resource(item.text).get(*path) == value


@pytest.mark.parametrize("value", ["null", "~", "text", "text\n    more", "{}", "- a", "a: {}\n    b: 1", ""])
def test_plain_maps(value: str) -> None:
    """No scalar and no list on lines of its own is taken for a mapping."""
    text = f"kind: Thing\nspec:\n  template:\n    {value}\n"
    is_map = isinstance(Resource(text).node("spec", "template"), Map)

    block = ItemLines(text, 0).block(("spec", "template"))

    assert (block is not None and not block.is_list) == (is_map and value != "{}")
    assert lazy(text).has("spec", "template") == (value not in ("null", "~", ""))


@pytest.mark.parametrize("lazily", [True, False])
def test_what_is_there(lazily: bool) -> None:
    """Lists, maps and what is in the way are the same with and without a parse."""
    item = Resource(TEXT + "gone: null\n", lazy=lazily)

    assert item.keys("metadata") == ["name", "labels"]
    assert item.keys("spec", "containers") == item.keys("none") == []
    assert [item.size(*path) for path in (("metadata",), ("none",), ("gone",))] == [None, 0, 0]
    assert item.obstacle(("metadata", "name", "x")) == ("metadata", "name")
    assert item.obstacle(("spec", "containers", "x")) == ("spec", "containers")
    assert item.obstacle(("metadata", "new", "x")) is None
    assert item.obstacle(("gone", "x")) == ("gone",)
    assert item.obstacle(("gone", "x"), lenient=True) is None


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("a: 1\nb:\n  a: 1\n", True),
        ("a:\n- b: 1\n  c: 2\n- b: 1\n", True),
        ("a: 1\na: 2\n", False),
        ("a: 1\na : 2\n", False),
        ("a:\n- b: 1\n  b: 2\n", False),
        ("a:\n-   b: 1\n    b: 2\n", False),
        ("a:\n- - b: 1\n    b: 2\n", False),
        ("a: {b: 1, b: 2}\n", False),
        ("a: 1 # ${b}\nc: {b: 1, b: 2}\n", False),
        ("a: 1\n'a': 2\n", False),
        ("? a\n: 1\na: 2\n", False),
        ("b:\n  ? a\n  a: 2\nc: 'd'\n", False),
        ("a: 1\n!!str a: 2\n", False),
        ("a: b: c\n", False),
        ("a: 1\n", True),
    ],
)
def test_sound_texts(text: str, sound: bool) -> None:
    """What is plainly sound is read by the parser; a key that stands twice, however it is written, never is."""
    assert plaintext.is_plainly_sound(text) is sound
    try:
        go_data(parse(text).root)
    except YamlError:
        assert not sound
