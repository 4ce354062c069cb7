"""Random edits of random documents: the new text says what the edited tree says, and other lines and comments stay."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Document, Entry, Map, Node, Scalar, Seq

SCALARS = [
    "1", "x", "'q q'", '"d\\n"', "true", "~", "", "yes #@", "'it''s'", "a b  #@", "{}", "[]", "{a: 1, b: [x, y]}",
    "[1, {z: 2}]", "{ }", " plain\n{pad}  folded", "|\n{pad}  lit\n{pad}  more\n", "|-\n{pad}  lit\n\n",
    ">\n{pad}  fold\n{pad}  ed\n\n{pad}  xx", "|+\n{pad}  keep\n\n", "&anchor v", "&anchor\n{pad}  m: 1", "*alias",
    '"multi\n{pad}  line"', "|2\n{pad}    indented\n{pad}  less", "!!str 12", "'- # not'",
    # What trials found: comments in flow collections, signs directly behind a value, properties on lines of their own.
    "[ #@,\n{pad}  x, #@: y\n{pad}  #@\n{pad}  {z: 1 #@, w\n{pad}  , v: [q: 1]}]", "{ #@\n{pad}  p: 1,\n{pad}  q: two\n{pad}  words}",
    "{p: 1,\n{pad}   #@\n{pad}   q,\n{pad}   'r': 2 #@\n{pad}  }", '"1"#@', "[]#@", "{}#@", "\n{pad}  #@\n{pad}  below #@", "\n{pad}  'below'",
    "\n{pad}  &anchor\n{pad}  m: 1", "\n{pad}  !!map\n{pad}  m: 1 #@\n{pad}  n: 2", "&anchor #@\n{pad}  - 1", "é ☃ #@ ü", "x\n \t",
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
        self.remarks = 0
        self.anchors: list[str] = []

    def text(self) -> str:
        """A document."""
        text = self.comments(0) + self.block(0, self.source.choice([1, 2, 2, 3]))
        if self.source.random() < 0.2:
            text = text.rstrip("\n")
        if self.source.random() < 0.1:
            text = "\ufeff" + text
        if self.source.random() < 0.05:
            at = text.find(" ", self.source.randrange(len(text) or 1)) + 1
            text = text[:at] + self.source.choice("\u2028\u2029\x85\r") + text[at:]
        if self.source.random() < 0.15:
            return text.replace("\n", "\r\n")
        return text.replace("\n", "\r\n", 3) if self.source.random() < 0.05 else text

    def name(self) -> str:
        """A key that is nowhere else."""
        self.count += 1
        return f"k{self.count}"

    def comments(self, indent: int) -> str:
        """Comment lines, some deeper, with quotes that never close; or a blank line."""
        source = self.source
        lines = [
            " " * (indent + source.choice([0, 0, 2])) + f"{self.comment()}: 'it\n"
            for _ in range(source.choice([0, 0, 0, 1, 2]))
        ]
        return "".join(lines) + ("\n" if source.random() < 0.1 else "")

    def comment(self) -> str:
        """A comment that is nowhere else."""
        self.remarks += 1
        return f"# c{self.remarks}."

    def scalar(self, indent: int) -> str:
        """A value on its key's or dash's line."""
        text = self.source.choice(SCALARS).replace("{pad}", " " * indent)
        first, *others = text.split("#@")
        text = first + "".join(self.comment() + other for other in others)
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
                    text += source.choice(["", " " + self.comment()]) + "\n"
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
        names = place.names()
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


REASONS = (
    "is a line break to some readers",
    "would be no YAML",
    "would say something else at",
    "write the key plainly",
)


def refused(error: YamlError) -> None:
    """Asserts that an edit was refused for one of the known reasons."""
    if not any(reason in str(error) for reason in REASONS):
        raise error


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
    assert render(document) == text
    if document.root is None:
        return
    for _ in range(writer.source.randint(1, 5)):
        edit(document, writer)
    wanted = go_data(document.root)

    try:
        rendered = render(document)
    except YamlError as error:
        refused(error)
        return

    assert go_data(parse(rendered).root) == wanted
    assert rendered.startswith("\ufeff") == text.startswith("\ufeff")


def remarks(text: str) -> list[str]:
    """The comments of a text, each of which is there once."""
    return re.findall(r"# c\d+\.", text)


def nodes(node: Node) -> list[Node]:
    """All written nodes in the order of the text."""
    if isinstance(node, Map):
        return [
            below for entry in node.entries for child in (entry.key, entry.value) for below in nodes(child)
        ]
    if isinstance(node, Seq):
        return [below for item in node.items for below in nodes(item)]
    return [node]


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_other_lines_and_comments_stay(seed: int) -> None:
    """One edit changes what stands between the nodes before and behind it, and no comment elsewhere is lost or doubled."""
    writer = Writer(random.Random(seed))
    text = writer.text()
    try:
        document = parse(text)
    except YamlError:
        return
    if document.root is None or "*" in text:
        return  # where an anchor goes, its aliases elsewhere are written out
    places = [place for place in containers(document.root) if place.source is document and len(place)]
    if not places:
        return
    place = writer.source.choice(places)
    index = writer.source.randrange(len(place))
    child = place.entries[index] if isinstance(place, Map) else place.items[index]
    value = child.value if isinstance(child, Entry) else child
    inside = {id(node) for node in nodes(value)}
    if isinstance(child, Entry):
        inside.add(id(child.key))
    everything = nodes(document.root)
    numbers = [number for number, node in enumerate(everything) if id(node) in inside]
    if not numbers:
        return
    first, last = numbers[0], numbers[-1]
    low = everything[first - 1].start if first else 0
    high = everything[last + 1].start if last + 1 < len(everything) else len(document.text)
    low, high = document.given_offsets([low, high])

    if isinstance(place, Map):
        name = place.names()[index]
        place.set(name, "new") if writer.source.random() < 0.5 else place.remove(name)
    elif writer.source.random() < 0.5:
        place.replace(index, "new")
    else:
        place.remove(index)
    try:
        rendered = render(document)
    except YamlError as error:
        refused(error)
        return

    found = remarks(rendered)
    assert len(found) == len(set(found)), "a comment is doubled"
    # The comment on the line of the node before is not the child's.
    kept = remarks(text[: text.find("\n", low) + 1] if first else text[:low]) + remarks(text[high:])
    assert set(kept) <= set(found), "a comment is lost"
    if "\r\n" in text and "\n" in text.replace("\r\n", ""):
        return  # lines of a flow collection that is written anew all end alike
    above = text[:low].split("\n")[:-1]
    assert rendered.split("\n")[: len(above)] == above
    below = text[text.find("\n", high) + 1 :] if "\n" in text[high:] else ""
    assert rendered.endswith(below)


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_a_scalar_takes_no_line_along(seed: int) -> None:
    """A scalar of one line that is replaced changes its own line only, and keeps its comment."""
    writer = Writer(random.Random(seed))
    text = writer.text()
    try:
        document = parse(text)
    except YamlError:
        return
    places = [place for place in containers(document.root) if isinstance(place, Map)] if document.root else []
    plain = [
        (place, entry)
        for place in places
        for entry in place.entries
        if isinstance(entry.value, Scalar)
        and "\n" not in entry.value.text
        and entry.value.style in ("", "'")
        and entry.value.text
        and document.text[entry.value.start :].startswith((entry.value.text, "'"))
        and document.text[: entry.value.start].rpartition("\n")[2].lstrip(" -").startswith("k")
        and "*" not in text
    ]
    if not plain:
        return
    place, entry = writer.source.choice(plain)
    start = entry.value.start
    assert isinstance(entry.value, Scalar)
    if "\n" in document.text[start : start + len(entry.value.text)]:
        return
    place.replace(entry, 12345)
    try:
        after = render(document).split("\n")
    except YamlError as error:
        refused(error)
        return

    before = text.split("\n")
    if len(before) == len(after):
        changed = [
            number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]
        ]
        assert changed == [document.text.count("\n", 0, start)]
    assert remarks("\n".join(after)) == remarks(text)
