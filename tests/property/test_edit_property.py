"""Random edits of random documents: the new text says what the edited tree says, and other lines stay."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.yaml.data import go_data
from krmkit.yaml.document import Document, parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.tree import Map, Node, Seq

SCALARS = [
    "1", "x", "'q q'", '"d\\n"', "true", "~", "", "yes # c", "'it''s'", "a b  # cc", "{}", "[]", "{a: 1, b: [x, y]}",
    "[1, {z: 2}]", "{ }", " plain\n{pad}  folded", "|\n{pad}  lit\n{pad}  more\n", "|-\n{pad}  lit\n\n",
    ">\n{pad}  fold\n{pad}  ed\n\n{pad}  xx", "|+\n{pad}  keep\n\n", "&anchor v", "&anchor\n{pad}  m: 1", "*alias",
    '"multi\n{pad}  line"', "|2\n{pad}    indented\n{pad}  less", "!!str 12", "'- # not'",
]  # fmt: skip
VALUES: list[object] = [
    "v", "yes", 1, None, True, {"n": 1}, {"n": {"m": ["x", {"y": "z"}]}}, [], {}, ["p"], [{"q": "r", "s": [1]}],
    "two\nlines\n", "x: y", " lead", "multi\n  ind\n\n", "\tt", "é😀", "a # b",
]  # fmt: skip


class Writer:
    """Writes random YAML, comments in every place, out of one random source."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.count = 0
        self.anchors: list[str] = []

    def text(self) -> str:
        """A document."""
        text = self.comments(0) + self.block(0, self.source.choice([1, 2, 2, 3]))
        if self.source.random() < 0.2:
            text = text.rstrip("\n")
        return text.replace("\n", "\r\n") if self.source.random() < 0.1 else text

    def name(self) -> str:
        """A key that is nowhere else."""
        self.count += 1
        return f"k{self.count}"

    def comments(self, indent: int) -> str:
        """Comment lines, some deeper, with quotes that never close; or a blank line."""
        source = self.source
        lines = [
            " " * (indent + source.choice([0, 0, 2])) + f"# c{source.randint(0, 99)}: 'it\n"
            for _ in range(source.choice([0, 0, 0, 1, 2]))
        ]
        return "".join(lines) + ("\n" if source.random() < 0.1 else "")

    def scalar(self, indent: int) -> str:
        """A value on its key's or dash's line."""
        text = self.source.choice(SCALARS).replace("{pad}", " " * indent)
        if "*alias" in text:
            text = "*" + self.source.choice(self.anchors) if self.anchors else "7"
        if "&anchor" in text:
            self.anchors.append(f"a{len(self.anchors)}")
            text = text.replace("&anchor", "&" + self.anchors[-1])
        return (" " + text if text else "") + "\n"

    def block(self, indent: int, depth: int, behind_dash: bool = False) -> str:
        """A block collection."""
        source = self.source
        mapping = source.random() < 0.66
        text = ""
        for number in range(source.randint(1, 4)):
            if number or not behind_dash:
                text += self.comments(indent) + " " * indent
            if mapping:
                text += self.name() + ":"
                if depth and source.random() < 0.6:
                    text += source.choice(["", " # ec"]) + "\n"
                    text += self.block(indent + source.choice([2, 2, 4]), depth - 1)
                else:
                    text += self.scalar(indent)
            else:
                gap = source.choice([1, 1, 1, 3])
                text += "-"
                if depth and source.random() < 0.5:
                    text += " " * gap + self.block(indent + 1 + gap, depth - 1, behind_dash=True)
                else:
                    text += self.scalar(indent)
        return text


def containers(node: Node) -> list[Map | Seq]:
    """All collections at and below a node, those behind aliases left out."""
    found: list[Map | Seq] = []
    if isinstance(node, Map):
        found.append(node)
        for entry in node.entries:
            found += containers(entry.value)
    elif isinstance(node, Seq):
        found.append(node)
        for item in node.items:
            found += containers(item)
    return found


def edit(document: Document, writer: Writer) -> None:
    """One random edit somewhere."""
    source = writer.source
    assert document.root is not None
    places = containers(document.root)
    if not places:
        return
    place = source.choice(places)
    value = source.choice(VALUES)
    if isinstance(place, Map):
        names = place.keys()
        ways: list[Callable[[], object]] = [
            lambda: place.set(writer.name(), value),
            lambda: place.insert(source.randint(0, len(names)), writer.name(), value),
        ]
        if names:
            name = source.choice(names)
            ways += [lambda: place.set(name, value), lambda: place.remove(name)] * 2
    else:
        size = len(place.items)
        ways = [lambda: place.append(value), lambda: place.insert(source.randint(0, size), value)]
        if size:
            index = source.randrange(size)
            ways += [lambda: place.remove(index), lambda: place.replace(index, value)]
        if size > 1:
            ways.append(lambda: place.reorder(source.sample(range(size), size)))
    source.choice(ways)()


def says(document: Document, wanted: object) -> bool:
    """Asserts that the edited text says what is wanted; False where the edits are refused, for which there is one reason."""
    try:
        rendered = document.render()
    except YamlError as error:
        if "block scalar" not in str(error):
            raise
        return False
    assert go_data(parse(rendered).root) == wanted
    return True


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_text_says_what_the_tree_says(seed: int) -> None:
    """Edits mean in the text what they mean in the tree, or are refused; they never mean something else."""
    writer = Writer(random.Random(seed))
    text = writer.text()
    try:
        document = parse(text)
    except YamlError:
        return  # not everything the writer writes is YAML
    assert document.render() == text
    if document.root is None:
        return
    for _ in range(writer.source.randint(1, 5)):
        edit(document, writer)
    wanted = go_data(document.root)

    if not says(document, wanted):
        return
    edits = document.splices()
    assert all(left[1] <= right[0] for left, right in zip(edits, edits[1:], strict=False))


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_other_lines_stay(seed: int) -> None:
    """A scalar that is replaced takes no other line along."""
    writer = Writer(random.Random(seed))
    try:
        document = parse(writer.text())
    except YamlError:
        return
    places = [place for place in containers(document.root) if isinstance(place, Map)] if document.root else []
    plain = [
        (place, entry)
        for place in places
        for entry in place.entries
        if entry.value.kind == "scalar"
        and "\n" not in document.text[entry.value.start : entry.value.end]
        and not entry.value.anchor
        and not place.flow
    ]
    if not plain:
        return
    place, entry = writer.source.choice(plain)
    line = document.text.count("\n", 0, entry.key.end)
    place.replace(entry, 12345)

    before, after = document.text.split("\n"), document.render().split("\n")

    assert len(before) == len(after)
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [
        line
    ]
