"""The tree of an everyday block text, line by line: several times as fast as from libyaml's events.

Nearly all YAML in packages is keys with values on one line, lists of such, and literal texts. Each line of these can be told
from its own signs and from the columns of the lines above. Whatever is not plainly of this kind ends the attempt: anchors,
tags, escapes, texts over several lines, nested flow collections, anything that might be an error. libyaml reads it then,
and says what is wrong. What is read here both read the same; the property tests hold one against the other.
"""

from __future__ import annotations

from krmkit.yaml.lines import PLAIN
from krmkit.yaml.literal import HEADERS, WIDEST, WINDOW, read_literal, readable
from krmkit.yaml.tree import Entry, Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.yaml.document import Document
    from krmkit.yaml.tree import Node

# libyaml looks 1,024 characters ahead for the colon of a key.
_LONGEST_KEY = 256


def read(document: Document, unique: bool = True) -> bool:
    """Give `document` its root. False where the text is not plain to read, or nested deeper than the document's limits let
    it be; the document is as it was then. `unique`: no mapping may have a key twice.
    """
    text = document.text
    depth = document.limits.depth
    plain = PLAIN
    # The innermost collection that is open, the column of its keys or dashes, its keys, and the same for those around it.
    top: Map | Seq | None = None
    at = -1
    names: set[str] = set()
    outer: list[tuple[Map | Seq | None, int, set[str]]] = []
    key: Scalar | None = None  # waits for its value
    wide: bool | None = None
    node: Node
    size = len(text)
    window = WINDOW
    offset = 4 if text.startswith("---\n") else 0
    while offset < size:
        # A stretch at a time, since what literals say is passed over.
        stop = text.find("\n", offset + window)
        stretch = text[offset : stop if stop >= 0 else size]
        if readable(stretch) is None:
            return False
        window = min(2 * window, WIDEST)
        has_tabs = "\t" in stretch
        for line in stretch.split("\n"):
            start = offset
            offset += len(line) + 1
            if has_tabs and "\t" in line:
                if line.lstrip(" ")[0] != "#":
                    return False
                continue
            # Without an argument it is much faster, and the only blanks that are left are " ".
            content = line.lstrip()
            if not content:
                continue
            first = content[0]
            if first == "#":
                continue
            column = len(line) - len(content)
            is_item = first == "-" and content[1:2] == " "

            # The collection that the line belongs to.
            if key is not None:
                assert isinstance(top, Map)
                if column > at or (is_item and column == at):
                    opened = _opened(document, is_item, start + column)
                    if is_item and wide is None:
                        wide = column > at
                    top.entries.append(Entry(key, opened))
                    outer.append((top, at, names))
                    top, at, names = opened, column, set()
                else:
                    top.entries.append(_without_value(document, key))
                key = None
            elif top is None:
                top = _opened(document, is_item, start + column)
                outer.append((None, -1, names))
                at = column
            while top is not None and (
                column < at or (column == at and not is_item and isinstance(top, Seq))
            ):
                _close(top)
                top, at, names = outer.pop()
            if column != at or len(outer) > depth:
                return False

            # Dashes, each of which may open another collection on the same line.
            while is_item:
                if not isinstance(top, Seq):
                    return False
                content = content[2:].lstrip()
                if not content:
                    return False
                is_item = content.startswith("- ")
                if not is_item and (content[0] in "\"'{[|" or (": " not in content and content[-1] != ":")):
                    break
                column = len(line) - len(content)
                opened = _opened(document, is_item, start + column)
                top.items.append(opened)
                outer.append((top, at, names))
                top, at, names = opened, column, set()
                if len(outer) > depth:
                    return False

            mapping = None
            if isinstance(top, Map):
                mapping = top
                name, sign, value = content.partition(": ")
                if not sign:
                    if name[-1] != ":":
                        return False
                    name = name[:-1]
                if len(name) > _LONGEST_KEY or not (name.isidentifier() or _is_name(name)):
                    return False
                if name in names and unique:
                    return False
                names.add(name)
                key = Scalar(name, "", document, start + at, start + at + len(name))
                content = value.lstrip()
                if not content or content[0] == "#":
                    continue
            place = start + len(line) - len(content)
            content = content.rstrip()
            first = content[0]
            if first in plain or (first == "-" and content[1:2].isalnum()):
                if " #" in content:
                    content = content[: content.index(" #")].rstrip()
                if ": " in content or content[-1] == ":":
                    return False
                node = Scalar(content, "", document, place, place + len(content))
            elif first == '"' or first == "'":
                end = content.find(first, 1)
                if end < 0 or (first == '"' and "\\" in content) or not _is_end(content, end + 1):
                    return False
                node = Scalar(content[1:end], first, document, place, place + end + 1)
            elif content in HEADERS:
                literal = read_literal(document, place, content, offset, at)
                if literal is None:
                    return False
                node = literal
                offset = literal.stop
            else:
                collection = _flow(document, content, place) if len(outer) < depth else None
                if collection is None:
                    return False
                node = collection
            if mapping is not None and key is not None:
                mapping.entries.append(Entry(key, node))
                key = None
            elif isinstance(top, Seq):
                top.items.append(node)
            if offset != start + len(line) + 1:
                window = WINDOW
                break

    if top is None:
        return False
    if key is not None and isinstance(top, Map):
        top.entries.append(_without_value(document, key))
    while top is not None:
        _close(top)
        document.root = top
        top, _, _ = outer.pop()
    if wide is not None:
        document.wide = wide
    document.plain = True
    return True


def _opened(document: Document, is_item: bool, place: int) -> Map | Seq:
    return Seq(document, place) if is_item else Map(document, place)


def _without_value(document: Document, key: Scalar) -> Entry:
    """`key:` with nothing behind it: its value is null, and stands behind the colon."""
    place = key.end + 1
    return Entry(key, Scalar("", "", document, place, place))


def _is_name(text: str) -> bool:
    """Whether a text is a key, or a value within a flow collection, to every reader: letters, digits, and `-_./` within."""
    letters = text.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return letters.isalnum() and text[0] not in "-."


def _is_end(content: str, position: int) -> bool:
    """Whether nothing but a comment stands from `position` on."""
    rest = content[position:]
    return not rest or (rest[0] == " " and rest.lstrip(" ")[0] == "#")


def _close(collection: Map | Seq) -> None:
    """A block collection ends where its last value does."""
    collection.end = (
        collection.entries[-1].value.end if isinstance(collection, Map) else collection.items[-1].end
    )


def _flow(document: Document, content: str, place: int) -> Map | Seq | None:
    """A collection in braces or brackets, of single values, that closes on its line."""
    if content[0] == "{" and content[-1] == "}":
        mapping = Map(document, place, True)
        mapping.end = place + len(content)
        names: set[str] = set()
        for part, start in _parts(content, place):
            name, _, rest = part.partition(": ")
            value = rest.lstrip(" ")
            node = _single(document, value.rstrip(" "), start + len(part) - len(value))
            if node is None or name in names or not _is_name(name) or len(name) > _LONGEST_KEY:
                return None
            names.add(name)
            key = Scalar(name, "", document, start, start + len(name))
            mapping.entries.append(Entry(key, node))
        return mapping
    if content[0] == "[" and content[-1] == "]":
        sequence = Seq(document, place, True)
        sequence.end = place + len(content)
        for part, start in _parts(content, place):
            node = _single(document, part.rstrip(" "), start)
            if node is None:
                return None
            sequence.items.append(node)
        return sequence
    return None


def _parts(content: str, place: int) -> Iterator[tuple[str, int]]:
    """What stands between the commas of a flow collection, and where; none where it is empty."""
    inside = content[1:-1]
    if not inside.strip(" "):
        return
    place += 1
    for part in inside.split(","):
        value = part.lstrip(" ")
        yield value, place + len(part) - len(value)
        place += len(part) + 1


def _single(document: Document, value: str, start: int) -> Scalar | None:
    """A single value in a flow collection; a comma in a quoted one leaves it without its end."""
    quote = value[:1]
    if quote and quote in "\"'":
        if value.find(quote, 1) != len(value) - 1 or "\\" in value:
            return None
        return Scalar(value[1:-1], quote, document, start, start + len(value))
    return Scalar(value, "", document, start, start + len(value)) if value and _is_name(value) else None
