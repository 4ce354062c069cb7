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

    Row = tuple[int, str | Node, str, int]

# libyaml looks 1,024 characters ahead for the colon of a key.
_LONGEST_KEY = 256


class UnreadMap(Map):
    """A mapping of a plain text, whose entries are made when somebody asks for them; then it is a Map like any other. Before,
    it is not to be copied by `copy`, which does not ask.

    rows: by key, where it stands and what its value is: a node, or the text, the style and the place of a scalar.
    """

    __slots__ = ()
    unread = True
    rows: dict[str, Row]

    def __init__(self, source: Document, start: int) -> None:
        # `end` is known when it is closed.
        self.source = source
        self.start = start
        self.anchor = None
        self.tag = None
        self.flow = False
        self.original = None
        self.rows = {}

    def __getattr__(self, name: str) -> list[Entry]:
        """`entries`, which have no value before they are asked for the first time."""
        if name != "entries":
            raise AttributeError(name)
        source = self.source
        self.entries = entries = []
        for key, (start, value, style, place) in self.rows.items():
            if isinstance(value, str):
                end = place + len(value) + (2 if style else 0)
                value = Scalar(value, style, source, place, end)
            entries.append(Entry(Scalar(key, "", source, start, start + len(key)), value))
        del self.rows
        # From now on without the cost that attributes have where there is a __getattr__.
        object.__setattr__(self, "__class__", Map)
        return entries

    def last(self) -> Node:
        """The value of the last entry, without making the others; where it is a scalar, one that is equal to it."""
        _, value, style, place = next(reversed(self.rows.values()))
        return Scalar(value, style, self.source, place, self.end) if isinstance(value, str) else value


def read(document: Document) -> bool:
    """Give `document` its root. False where the text is not plain to read, has a key twice in a mapping, or is nested deeper
    than the document's limits let it be; the document is as it was then.
    """
    text = document.text
    depth = document.limits.depth
    plain = PLAIN
    # The innermost collection that is open, the column of its keys or dashes, what it holds (`rows` of a mapping, None for a
    # sequence), and the same for those around it.
    top: UnreadMap | Seq | None = None
    at = -1
    rows: dict[str, Row] | None = None
    outer: list[tuple[UnreadMap | Seq | None, int, dict[str, Row] | None]] = []
    waiting = ""  # the key that has no value yet
    ready = -1  # the column where the next key of the innermost mapping may stand, if none waits
    last = 0  # where the last value ends
    wide: bool | None = None
    size = len(text)
    window = WINDOW
    offset = 4 if text.startswith("---\n") else 0
    while offset < size:
        # A stretch at a time, since what literals say is passed over.
        stop = text.find("\n", offset + window)
        stretch = text[offset : stop if stop >= 0 else size]
        if readable(stretch) is None:
            return False
        window = min(4 * window, WIDEST)
        has_tabs = "\t" in stretch
        for line in stretch.split("\n"):
            # Without an argument it is much faster, and the only blanks that are left are " ".
            content = line.lstrip()
            if not content or (first := content[0]) == "#":
                if has_tabs and "\t" in line and line.lstrip(" ")[0] != "#":
                    return False
                offset += len(line) + 1
                continue
            if has_tabs and "\t" in line:
                return False
            start = offset
            length = len(line)
            offset = start + length + 1
            column = length - len(content)

            if column != ready or first == "-":
                is_item = first == "-" and content[1:2] == " "
                # The collection that the line belongs to.
                if top is None or (waiting and (column > at or (is_item and column == at))):
                    if is_item and waiting and wide is None:
                        wide = column > at
                    outer.append((top, at, rows))
                    if len(outer) > depth:
                        return False
                    above = rows
                    if is_item:
                        top, rows = Seq(document, start + column), None
                    else:
                        top = mapping = UnreadMap(document, start + column)
                        rows = mapping.rows
                    if above is not None:
                        above[waiting] = (above[waiting][0], top, "", 0)
                    at = column
                waiting = ""
                while column < at or (column == at and not is_item and rows is None):
                    assert top is not None
                    top.end = last
                    top, at, rows = outer.pop()
                if column != at:
                    return False

                # Dashes, each of which may open another collection on the same line.
                while is_item:
                    if rows is not None:
                        return False
                    content = content[2:].lstrip()
                    if not content:
                        return False
                    first = content[0]
                    is_item = first == "-" and content[1:2] == " "
                    if not is_item and (first in "\"'{[|" or (": " not in content and content[-1] != ":")):
                        break
                    outer.append((top, at, rows))
                    if len(outer) > depth:
                        return False
                    at = length - len(content)
                    assert isinstance(top, Seq)
                    items = top.items
                    if is_item:
                        top, rows = Seq(document, start + at), None
                    else:
                        top = mapping = UnreadMap(document, start + at)
                        rows = mapping.rows
                    items.append(top)
                ready = -1 if rows is None else at

            name = ""
            if rows is not None:
                name, sign, value = content.partition(": ")
                if not sign:
                    if name[-1] != ":":
                        return False
                    name = name[:-1]
                if not (name.isidentifier() or _is_name(name)) or name in rows:
                    return False
                if length > _LONGEST_KEY and len(name) > _LONGEST_KEY:
                    return False
                content = value.strip()
                if not content or (first := content[0]) == "#":
                    # The value is null, and stands behind the colon.
                    last = start + at + len(name) + 1
                    rows[name] = (start + at, "", "", last)
                    waiting = name
                    ready = -1
                    continue
                # What has no blanks around it is still the same text.
                place = offset - 1 - len(value if content is value else value.lstrip())
            else:
                place = start + length - len(content)
                content = content.rstrip()

            style = ""
            if first in plain or (first == "-" and content[1:2].isalnum()):
                if "#" in content and " #" in content:
                    content = content[: content.index(" #")].rstrip()
                if ":" in content and (": " in content or content[-1] == ":"):
                    return False
                last = place + len(content)
            elif first == '"' or first == "'":
                end = content.find(first, 1)
                if end < 0 or (first == '"' and "\\" in content):
                    return False
                if end + 1 != len(content) and not _is_end(content, end + 1):
                    return False
                style = first
                content = content[1:end]
                last = place + end + 1
            else:
                literal = read_literal(document, place, content, offset, at) if content in HEADERS else None
                node = literal or (_flow(document, content, place) if len(outer) < depth else None)
                if node is None:
                    return False
                last = node.end
                if rows is not None:
                    rows[name] = (start + at, node, "", place)
                elif isinstance(top, Seq):
                    top.items.append(node)
                if literal is not None:
                    offset = literal.stop
                    window = WINDOW
                    break
                continue
            if rows is not None:
                rows[name] = (start + at, content, style, place)
            elif isinstance(top, Seq):
                top.items.append(Scalar(content, style, document, place, last))

    if top is None:
        return False
    while top is not None:
        top.end = last
        document.root = top
        top, _, _ = outer.pop()
    if wide is not None:
        document.wide = wide
    document.plain = True
    return True


def _is_name(text: str) -> bool:
    """Whether a text is a key, or a value within a flow collection, to every reader: letters, digits, and `-_./` within."""
    letters = text.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return letters.isalnum() and text[0] not in "-."


def _is_end(content: str, position: int) -> bool:
    """Whether nothing but a comment stands from `position` on, where something does."""
    return content[position] == " " and content[position:].lstrip(" ")[0] == "#"


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
