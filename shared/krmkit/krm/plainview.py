"""A resource as text, lines and tree: a path is read and edited in lines where possible, else in the tree.

Lines are used in line-safe texts only (`krmkit.krm.plaintext`), and before the first parse. Whatever is not
simple is left to the parser and the editor. Line edits stay in `krmkit.krm.itemlines` until the text is read.
Callers never know which of the two was used.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.itemlines import ItemLines
from krmkit.krm.plaintext import is_plainly_sound, plain_text, restyled, stays_safe
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import is_null, lookup
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.lines import may_hide
from krmkit.libraries.yaml.tree import UNSET, Map, Node, Scalar, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.fieldpath import Path
    from krmkit.libraries.yaml.document import Anchors
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.libraries.yaml.tree import Document


_FEW = 64  # facts that are looked through for each new line
_UNSEEN = Scalar("")
_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))


class PlainView:
    """The text of a resource, its tree (parsed on first use), and its lines, once a field was read in them.

    `Resource` inherits it: a separate object in each resource costs a list of 2,000 items 4 to 7 percent of
    its time.
    """

    __slots__ = (
        "_anchors", "_document", "_given", "_is_safe", "_label", "_lines", "_root", "_seen", "changed", "column", "limits",
    )  # fmt: skip

    _given: str  # the text before the edits that are in the lines only
    _is_safe: bool  # whether its lines can be looked at
    _lines: ItemLines | None
    # Scalars that were seen in the lines, by path; None where there is plainly nothing.
    _seen: dict[Path, Scalar | None]
    _document: Document | None
    _root: Map | None
    _anchors: Anchors | None
    column: int
    _label: str
    limits: Limits
    changed: bool

    @property
    def label(self) -> str:
        """Return the name of the resource in messages."""
        return self._label

    # Text and tree

    @property
    def text(self) -> str:
        """Return the resource's text with all edits."""
        if self._is_ahead():
            assert self._document is not None
            from krmkit.libraries.yaml.editing.edit import render

            try:
                self._replace(render(self._document)[self.column :])
            except YamlError as error:
                raise self._named(error) from None
        return self._text

    def _is_ahead(self) -> bool:
        """Return True if the tree has edits that the text lacks."""
        return self.changed and self._document is not None and self._document.changed

    def _named(self, error: YamlError) -> YamlError:
        if error.resource:
            return error  # of another resource, which an alias in this one refers to
        message = f"{self.label}: {error}"
        named = (
            LimitError(message, limit=error.limit) if isinstance(error, LimitError) else YamlError(message)
        )
        named.resource = self.label
        return named

    @property
    def _text(self) -> str:
        lines = self._lines
        if lines is not None and lines.is_edited:
            self._given = lines.text
            lines.is_edited = False
        return self._given

    def _replace(self, text: str) -> None:
        """Replace the text, and drop what is cached of the old one."""
        self._given = text
        self._lines = None
        self._seen = {}
        self._document = None
        self._root = None

    @property
    def document(self) -> Document:
        """Return the tree's document, parsed on first use."""
        if self._document is None:
            self._parse()
        assert self._document is not None
        return self._document

    @property
    def root(self) -> Map:
        """Return the resource's mapping, parsed on first use."""
        if self._root is None:
            self._parse()
        assert self._root is not None
        return self._root

    def _parse(self) -> None:
        text = self._text
        self._lines = None
        if len(text) > self.limits.item_size:
            raise self._named(LimitError.of("item_size", self.limits.item_size, "the size in characters"))
        try:
            document = parse(" " * self.column + text, self.limits, anchors=self._anchors)
        except YamlError as error:
            raise self._named(error) from None
        if not isinstance(document.root, Map):
            kind = {"seq": "a list", "scalar": "a single value", "alias": "an alias"}
            found = kind[document.root.kind] if document.root is not None else "empty"
            raise Refused(
                f"{self.label} is {found}, where a resource (a mapping with apiVersion and kind) must stand"
            )
        self._document = document
        self._root = document.root

    # Reading

    def _forget_lines(self) -> None:
        """Drop the lines, which take several times the memory of the text; text and identity stay."""
        if self._lines is not None and self._document is None and self._is_safe and not self.changed:
            for path in _IDENTITY:
                if path not in self._seen:
                    self._look_up(path)
        self._given = self._text
        self._lines = None

    def _by_lines(self) -> ItemLines | None:
        if self._document is not None or not self._is_safe:
            return None
        return self._lines if self._lines is not None else self._split()

    def _split(self) -> ItemLines:
        lines = self._lines = ItemLines(self._given, self.column)
        return lines

    def _look_up(self, path: Path) -> Scalar | None:
        """Find and remember the scalar at a path, or None if absent; _UNSEEN if the parser is needed."""
        lines = self._lines if self._lines is not None else self._split()
        place = lines.scalar(path) if path else None
        if place is not None:
            return self._scalar(path, lines.written(place))
        if path and lines.lacks(path):
            self._seen[path] = None
            return None
        return _UNSEEN

    def _scalar(self, path: Path, written: str) -> Scalar:
        quote = written[0]
        found = self._seen[path] = Scalar(plain_text(written), quote if quote in "\"'" else "")
        return found

    def read(self, *path: str | int) -> Node | None:
        """Return the node at a path for reading only, or None. A simple scalar costs no parse."""
        if self._document is None and self._is_safe:
            found = self._seen.get(path, _UNSEEN)
            if found is _UNSEEN:
                found = self._look_up(path)
            if found is not _UNSEEN:
                return found
        return self.node(*path)

    def node(self, *path: str | int) -> Node | None:
        """Return the node at a path, aliases followed and merge keys applied; None if it is absent."""
        node: Node | None = self.root
        for step in path:
            node = _child(node, step)
            if node is None:
                break
        return node

    def has(self, *path: str | int) -> bool:
        """Return True if the value at a path exists and is not null."""
        lines = self._by_lines()
        return (lines is not None and lines.block(path) is not None) or not is_null(self.read(*path))

    def size(self, *path: str | int) -> int | None:
        """Return the number of entries of the list at a path: 0 if absent or null, None if not a list."""
        lines = self._by_lines()
        block = lines.block(path) if lines is not None else None
        if block is not None:
            return len(block.children) if block.is_list else None
        node = self.read(*path)
        return len(node.items) if isinstance(node, Seq) else 0 if is_null(node) else None

    def keys(self, *path: str | int) -> list[str]:
        """Return the keys of the map at a path, without merged keys; [] if there is no map."""
        lines = self._by_lines()
        block = lines.block(path) if lines is not None else None
        if block is not None and not block.is_list and not block.is_odd:
            return [str(key) for key in block.children]
        node = self.read(*path)
        return node.names() if isinstance(node, Map) else []

    def obstacle(self, path: Path, lenient: bool = False) -> Path | None:
        """Return the shortest part of a path whose value has the wrong type for the next step, or None.

        `lenient`: null is no obstacle. Example: if spec is a list, ("spec", "replicas", "x") gives ("spec",).
        """
        if self.read(*path) is not None or (self._document is None and path in self._seen):
            return None
        node: Node | None = self.root
        for end, step in enumerate(path):
            if node is None or (lenient and is_null(node)):
                return None
            if not isinstance(node, Map if isinstance(step, str) else Seq):
                return path[:end]
            node = _child(node, step)
        return None

    def _scalars_with(self, word: str) -> list[tuple[Path, Scalar, str]] | None:
        """Return path, scalar and line comment of one-line scalars with a word in scalar or comment.

        None if the tree has to be read.
        """
        lines = self._by_lines()
        if lines is None or may_hide(self._text):
            return None
        from krmkit.krm.plainlines import fields_with  # for the few functions that live from comments

        found = fields_with(lines, word)
        if found is None:
            return None
        lines.places.update({path: place for path, place, _ in found})
        return [(path, self._scalar(path, lines.written(place)), comment) for path, place, comment in found]

    # Editing

    def refuse_unreadable(self) -> None:
        """Raise YamlError, Refused or LimitError if a partly read resource cannot be parsed as a whole.

        Parts can be read even if the text is invalid elsewhere, so this is called before such a resource is
        edited or used. Edited texts need no check, because no edit breaks a text.
        """
        if self._is_safe and not self.changed and self._document is None:
            if is_plainly_sound(" " * self.column + self._given):
                return
            self._parse()
            # The tree is not needed: edits by lines go on.
            self._document = self._root = None

    def _set_plainly(self, path: Path, value: object) -> bool:
        """Set the text of one line at a path without a tree; return False if the parser is needed.

        The edit needs no proof: in a line-safe item the place is a whole plain or quoted scalar of one line,
        and another such scalar there leaves everything around it unchanged.
        """
        text, is_raw = (value, False) if isinstance(value, str) else _fresh(value)
        if text is None or "\n" in text:
            return False
        self.refuse_unreadable()
        if self._document is not None or not self._is_safe:
            return False
        lines = self._lines if self._lines is not None else self._split()
        place = lines.scalar(path) if path else None
        if place is None:
            name = path[-1] if path and not is_raw and lines.lacks(path) else 0
            return isinstance(name, str) and self._add_lines(lines, path[:-1], {name: text})
        old = lines.written(place)
        if is_raw and old[0] in "\"'":
            return False
        new = text if is_raw else restyled(old, text)
        if new != old:
            is_last = place[2] == len(lines.lines[place[0]])
            self._is_safe = stays_safe(old, new, is_last)
            lines.put(place, new)
            lines.places.pop(path, None)
            self.changed = True
            self._seen.pop(path, None)
        return True

    def _add_lines(self, lines: ItemLines, owner: Path, texts: dict[str, Any]) -> bool:
        """Add absent keys to a block mapping by lines; return False if the parser is needed.

        The edit needs no proof: in a line-safe item a line after a block's last line leaves everything around
        it unchanged if it is a key with a scalar of one line. Parent maps are created.
        """
        if not owner:
            return False
        found, name = lines.block(owner), owner[-1]
        if found is None:
            return isinstance(name, str) and self._add_lines(lines, owner[:-1], {name: texts})
        if found.is_list or not lines.can_grow(found):
            return False
        new: list[str] = []
        keys = {}
        for name, value in texts.items():
            written = emit.key(name)
            keys[name] = len(new) if written == name else ~len(new)
            new += f"{' ' * found.column}{written}:{emit.after_key(value, found.column)}".split("\n")
        lines.grow(owner, new, keys)
        self.changed = True
        # Scalars are what they were; of many, looking again costs less.
        seen = self._seen.items() if len(self._seen) < _FEW else ()
        self._seen = {other: known for other, known in seen if known is not None}
        return True


def _child(node: Node | None, step: str | int) -> Node | None:
    if isinstance(node, Map) and isinstance(step, str):
        return lookup(node, step)
    if isinstance(node, Seq) and isinstance(step, int) and -len(node.items) <= step < len(node.items):
        return deref(node.items[step])
    return None


def _fresh(value: object) -> tuple[str | None, bool]:
    """Return the text of a scalar, and True if it never needs quotes; (None, False) for other values."""
    if not isinstance(value, Scalar) or value.source is not None or value.style or value.anchor or value.tag:
        return None, False
    if isinstance(value.value, str):
        return value.value, False
    return (value.text, True) if value.value is UNSET else (None, False)
