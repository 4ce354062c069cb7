"""A YAML text as nodes in the text's order, with the edits recorded on them.

A node of a text has its document and its `start`: a code point offset into `source.text`, anchor and tag
included. `end` is set for scalars, aliases and flow collections, else -1. A node made by an edit has
`source = None`. The first edit of a collection stores the text's children in `original`;
`krmkit.libraries.yaml.editing.edit` turns the difference into text.
"""

from __future__ import annotations

from abc import abstractmethod

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.lines import given_offsets, line_fed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from krmkit.libraries.yaml.limits import Limits


class Document:
    """One YAML document: `given` is the original text, `text` its `line_fed` form, in which offsets count.

    `root` is None for an empty document. `limits` are the reader's. `changed`: an edit has been recorded.
    """

    __slots__ = ("aliases", "changed", "given", "limits", "root", "text")

    def __init__(self, given: str, limits: Limits = DEFAULT_LIMITS, text: str | None = None) -> None:
        self.given = given
        self.text = line_fed(given) if text is None else text
        self.limits = limits
        self.root: Node | None = None
        self.changed = False
        self.aliases: list[Alias] = []

    @property
    def newline(self) -> str:
        """Return the line end of most lines of the text, used for new ones."""
        given = self.given
        return "\r\n" if "\r" in given and 2 * given.count("\r\n") >= given.count("\n") else "\n"

    def given_offsets(self, offsets: list[int]) -> list[int]:
        """Return the offsets in `given` of sorted offsets in `text`."""
        return given_offsets(self.given, self.text, offsets)


class Node:
    """The base of all nodes: document, place, anchor and explicit tag (in short form, `!!str`)."""

    __slots__ = ("anchor", "end", "source", "start", "tag")
    kind = "node"

    def __init__(
        self,
        source: Document | None = None,
        start: int = -1,
        end: int = -1,
        anchor: str | None = None,
        tag: str | None = None,
    ) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.anchor = anchor
        self.tag = tag


class Scalar(Node):
    """A scalar: `text` is the decoded content, `style` one of "" (plain), ', ", | and >.

    A scalar of an edit has a Python value, and the style of an edit that it replaces; a scalar of a text has
    UNSET (see yaml.data).
    """

    __slots__ = ("style", "text", "value")
    kind = "scalar"

    def __init__(
        self,
        text: str,
        style: str = "",
        source: Document | None = None,
        start: int = -1,
        end: int = -1,
        anchor: str | None = None,
        tag: str | None = None,
    ) -> None:
        self.text = text
        self.style = style
        self.source = source
        self.start = start
        self.end = end
        self.anchor = anchor
        self.tag = tag
        self.value: object = UNSET


UNSET = object()


class Alias(Node):
    """A reference `*name`; `target` is the anchored node."""

    __slots__ = ("name", "target")
    kind = "alias"

    def __init__(
        self, name: str, target: Node, source: Document | None = None, start: int = -1, end: int = -1
    ) -> None:
        super().__init__(source, start, end)
        self.name = name
        self.target = target


class Entry:
    """One `key: value` of a mapping. `first_key` and `first_value` are the text's own."""

    __slots__ = ("first_key", "first_value", "key", "value")

    def __init__(self, key: Node, value: Node) -> None:
        self.key = key
        self.first_key = key
        self.value = value
        self.first_value = value

    @property
    def name(self) -> str | None:
        """Return the key's text, None for a key that is not a scalar."""
        key = self.key
        if type(key) is Scalar:
            return key.text
        key = deref(key)
        return key.text if isinstance(key, Scalar) else None


class Collection(Node):
    """A mapping or a sequence. `flow`: it is written in brackets.

    `original`: the text's children, stored at the first edit. `replaced`: replaced items of the text, by the
    id of the new one.
    """

    __slots__ = ("flow", "original", "replaced")

    def __init__(
        self,
        source: Document | None = None,
        start: int = -1,
        flow: bool = False,
        anchor: str | None = None,
        tag: str | None = None,
    ) -> None:
        super().__init__(source, start, -1, anchor, tag)
        self.flow = flow
        self.original: Sequence[Entry | Node] | None = None
        self.replaced: dict[int, Node] | None = None

    @abstractmethod
    def children(self) -> Sequence[Entry | Node]:
        """Return the current entries or items."""

    def in_text(self) -> Sequence[Entry | Node]:
        """Return the text's own entries or items, regardless of edits."""
        return self.children() if self.original is None else self.original

    def origins(self) -> list[int]:
        """Return each child's position in the text, or its predecessor's; -1 for a new one."""
        replaced = self.replaced or {}
        positions = {id(child): index for index, child in enumerate(self.in_text())}
        return [positions.get(id(replaced.get(id(child), child)), -1) for child in self.children()]

    def touch(self) -> None:
        """Store the text's children before the first edit."""
        if self.original is None:
            self.original = self.children()[:]
            if self.source is not None:
                self.source.changed = True

    def __len__(self) -> int:
        return len(self.children())


_FEW = 32  # entries that are gone through for each name


class Map(Collection):
    """A mapping: entries in the order of the text, without duplicates. Call `touch` before moving any."""

    __slots__ = ("_known", "_seen", "entries")
    kind = "map"

    def __init__(self, *place: Any, **more: Any) -> None:
        super().__init__(*place, **more)
        self.entries: list[Entry] = []
        self._seen = 0  # so many of them are in `_known`, by name

    def touch(self) -> None:
        super().touch()
        self._seen = 0

    def children(self) -> list[Entry]:
        return self.entries

    def entry(self, name: str) -> Entry | None:
        """Return the entry whose key's text is `name`; merge keys are not followed."""
        entries = self.entries
        if len(entries) > _FEW:
            return self._found(name)
        for entry in entries:
            key = entry.key
            if (key.text if type(key) is Scalar else entry.name) == name:
                return entry
        return None

    def _found(self, name: str) -> Entry | None:
        """Return the entry from an index, for a mapping of many entries."""
        if not self._seen:
            self._known: dict[str | None, Entry] = {}
        for entry in self.entries[self._seen :]:
            self._known.setdefault(entry.name, entry)
        self._seen = len(self.entries)
        return self._known.get(name)

    def get(self, name: str) -> Node | None:
        """Return the value under `name`, aliases followed; None if the key is absent."""
        entry = self.entry(name)
        return deref(entry.value) if entry is not None else None

    def names(self) -> list[str]:
        return [name for name in (entry.name for entry in self.entries) if name is not None]

    def set(self, name: str, value: object) -> Node:
        """Set the value of `name`, in its place, or at the end for a new key; return the value's node."""
        entry = self.entry(name)
        return self.insert(len(self.entries), name, value) if entry is None else self.replace(entry, value)

    def replace(self, entry: Entry, value: object) -> Node:
        """Give an entry another value; return the value's node."""
        super().touch()
        entry.value = node = to_node(value)
        return node

    def insert(self, index: int, name: str, value: object) -> Node:
        """Put a new entry before position `index` (as list.insert)."""
        super().touch()
        self._seen = self._seen if index >= self._seen else 0
        node = to_node(value)
        self.entries.insert(index, Entry(to_node(name), node))
        return node

    def append_entry(self, entry: Entry) -> None:
        """Append an entry of another document, with its key and comments."""
        super().touch()
        self.entries.append(entry)

    def remove(self, name: str) -> bool:
        """Remove `name`; return False if it is absent."""
        entry = self.entry(name)
        if entry is None:
            return False
        super().touch()
        self.entries.remove(entry)
        if self._seen and self._known.pop(name, None) is entry and len(self._known) == self._seen - 1:
            self._seen -= 1
        else:
            self._seen = 0  # another entry may have that name
        return True


class Seq(Collection):
    """A sequence: items in the order of the text."""

    __slots__ = ("items",)
    kind = "seq"

    def __init__(self, *place: Any, **more: Any) -> None:
        super().__init__(*place, **more)
        self.items: list[Node] = []

    def children(self) -> list[Node]:
        return self.items

    def append(self, value: object) -> Node:
        """Add an item at the end; return its node."""
        return self.insert(len(self.items), value)

    def insert(self, index: int, value: object) -> Node:
        """Put an item before position `index` (as list.insert); return its node."""
        self.touch()
        node = to_node(value)
        self.items.insert(index, node)
        return node

    def replace(self, index: int, value: object) -> Node:
        """Replace the item at `index`; return the new node."""
        self.touch()
        node = to_node(value)
        old = self.items[index]
        if self.replaced is None:
            self.replaced = {}
        self.replaced[id(node)] = self.replaced.get(id(old), old)
        self.items[index] = node
        return node

    def remove(self, index: int) -> None:
        """Remove the item at `index`."""
        self.touch()
        del self.items[index]

    def reorder(self, order: list[int]) -> None:
        """Keep the items at the positions of `order`, in that order (each at most once)."""
        self.touch()
        self.items = [self.items[position] for position in order]


def deref(node: Node) -> Node:
    """Return the node, or an alias's target."""
    while isinstance(node, Alias):
        node = node.target
    return node


def to_node(value: object) -> Node:
    """Return a node for data (None, bool, int, float, str, list, tuple, dict); a node stays itself."""
    if isinstance(value, Node):
        return value
    if isinstance(value, dict):
        mapping = Map()
        for key, item in value.items():
            mapping.entries.append(Entry(to_node(str(key)), to_node(item)))
        return mapping
    if isinstance(value, (list, tuple)):
        sequence = Seq()
        sequence.items = [to_node(item) for item in value]
        return sequence
    if value is None or isinstance(value, (bool, int, float, str)):
        scalar = Scalar(value if isinstance(value, str) else emit.scalar(value, 0))
        # A float without a fraction is written as Go does, and reads as a whole number then.
        is_whole = type(value) is float and scalar.text.lstrip("-").isdecimal()
        scalar.value = int(scalar.text) if is_whole else value
        return scalar
    raise TypeError(f"YAML has no form for a {type(value).__name__}")
