"""The text of a resource, and what is seen and changed of it without parsing it, where that is plain to see.

The latter only in line-safe items (`krmkit.krm.identity`), and only before the first parse. Whatever is not plainly simple is
left to the parser and the editor. What is seen is in the lines of the item (`krmkit.krm.itemlines`); edits stay in them until its text is asked for.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.identity import is_plainly_sound, may_hide, plain_text, restyled, stays_safe
from krmkit.krm.itemlines import ItemLines
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.fieldpath import Path
    from krmkit.krm.itemlines import Place
    from krmkit.krm.plainlines import PlainField
    from krmkit.libraries.yaml.document import Anchors
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.libraries.yaml.tree import Document


UNKNOWN = ("", (-1, 0, 0), "")
_FEW = 64  # facts that are looked through for each edit
_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))


class PlainView:
    """The text of a resource, its tree (read on first use), and its lines once something was looked for in them.

    `Resource` inherits it: an object of its own inside of each resource costs a list of 2,000 items 4 to 7 percent of its time.
    """

    __slots__ = (
        "_anchors", "_document", "_given", "_known", "_lines", "_root", "_texts", "changed", "column", "label", "limits",
        "line_safe",
    )  # fmt: skip

    _given: str  # the text before the edits that are in the lines only
    _lines: ItemLines | None
    # Scalars that were read from the lines, by path: as written, with their quotes; their places; their texts, None where
    # the parser has to read them. None where there is plainly nothing.
    _known: dict[Path, tuple[str, Place, str | None] | None]
    # Texts that were read from the tree, by path.
    _texts: dict[Path, str]
    _document: Document | None
    _root: Map | None
    _anchors: Anchors | None
    column: int
    label: str
    limits: Limits
    line_safe: bool
    changed: bool

    # Text and tree

    @property
    def text(self) -> str:
        """The resource's text with all edits."""
        if self._is_ahead():
            assert self._document is not None
            from krmkit.libraries.yaml.editing.edit import render

            try:
                self._replace(render(self._document)[self.column :])
            except YamlError as error:
                raise self._named(error) from None
        return self._text

    def _is_ahead(self) -> bool:
        """Whether the tree has edits that the text has not. A tree that was only read since stays, and so does the text."""
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
        """The text, edits by lines included."""
        lines = self._lines
        if lines is not None and lines.is_edited:
            self._given = lines.text
            lines.is_edited = False
        return self._given

    def _replace(self, text: str) -> None:
        """Have another text, and forget what was known of the one before."""
        self._given = text
        self._lines = None
        self._known = {}
        self._document = None
        self._root = None

    @property
    def document(self) -> Document:
        """The span tree's document, parsed on first use."""
        if self._document is None:
            self._parse()
        assert self._document is not None
        return self._document

    @property
    def root(self) -> Map:
        """The resource's mapping, parsed on first use."""
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
        self._texts = {}

    # Reading without a parse

    def _forget_lines(self) -> None:
        """Keep the text, and who the resource is, without the lines, which take several times as much memory."""
        if self._lines is not None and self._document is None and self.line_safe and not self.changed:
            for path in _IDENTITY:
                if path not in self._known:
                    self._look_up(path)
        self._given = self._text
        self._lines = None

    def _seen(self) -> ItemLines | None:
        """The lines; None where the parser has to look."""
        if self._document is not None or not self.line_safe:
            return None
        return self._lines if self._lines is not None else self._split()

    def _split(self) -> ItemLines:
        lines = self._lines = ItemLines(self._given, self.column)
        return lines

    def is_plain_map(self, path: tuple[str, ...]) -> bool:
        """Whether there is a block mapping at a path, seen without a parse; False also where that is not plain to see."""
        lines = self._seen()
        return lines is not None and lines.block(path) is not None

    def plain_string(self, path: Path) -> str | None:
        """The text at a path, read without a parse; None if it is not a text, or needs a parse."""
        if self._document is not None or not self.line_safe:
            return None
        known = self._known.get(path, UNKNOWN)
        if known is UNKNOWN:
            known = self._look_up(path)
        if known is None:
            return None
        written, _, text = known
        if text is None:
            return None
        return text if len(written) > len(text) or go_resolve(text)[0] == "str" else None

    def is_plainly_absent(self, path: Path) -> bool:
        """Whether there is nothing at a path, seen without a parse; False also where that is not plain to see."""
        if self._document is not None or not self.line_safe:
            return False
        known = self._known.get(path, UNKNOWN)
        if known is not UNKNOWN:
            return known is None
        lines = self._lines if self._lines is not None else self._split()
        if not path or not lines.lacks(path):
            return False
        self._known[path] = None
        return True

    def entry_strings(self, path: tuple[str, ...], key: str) -> list[str | None] | None:
        """The texts under `key` in the entries of a block list, seen without a parse; None where that is not plain to see.

        Example: `entry_strings(("spec", "containers"), "image") == ["nginx:1.25", None]`.
        """
        lines = self._seen()
        places = lines.entries(path, key) if lines is not None and path else None
        if places is None or lines is None:
            return None
        texts = [plain_text(lines.written(place)) if place is not None else None for place in places]
        lost = any(text is None and place is not None for text, place in zip(texts, places, strict=True))
        return None if lost else texts

    def fields_with(self, word: str, in_comments: bool = True) -> list[PlainField] | None:
        """The fields whose line comments hold a word, or else the whole line, seen without a parse; None where that is not plain to see."""
        lines = self._seen()
        if lines is None or may_hide(self._text):
            return None
        from krmkit.krm.plainlines import fields_with  # for the few functions that live from comments

        return fields_with(lines, word, in_comments)

    def written_at(self, place: Place) -> str:
        """A scalar that `fields_with` has found, with its quotes."""
        lines = self._lines if self._lines is not None else self._split()
        return lines.written(place)

    def text_at(self, place: Place) -> str | None:
        """The text of a scalar that `fields_with` has found; None where it needs the parser."""
        return plain_text(self.written_at(place))

    def _look_up(self, path: Path) -> tuple[str, Place, str | None] | None:
        """Look for a scalar in the lines, and remember it, or that there is plainly nothing."""
        lines = self._lines if self._lines is not None else self._split()
        place = lines.scalar(path) if path else None
        if place is not None:
            written = lines.written(place)
            found = self._known[path] = written, place, plain_text(written)
            return found
        if path and lines.lacks(path):
            self._known[path] = None
        return None

    # Editing

    def refuse_unreadable(self) -> None:
        """Raise YamlError, Refused or LimitError if a resource that was read by lines cannot be parsed.

        Lines can be read even if the text is invalid elsewhere, so this is called before such a resource is edited or
        used. Edited texts need no check, because no edit breaks a text.
        """
        if self.line_safe and not self.changed and self._document is None:
            if is_plainly_sound(" " * self.column + self._given):
                return
            self._parse()
            # The tree is not needed: edits by lines go on.
            self._document = self._root = None

    def put_at(self, place: Place, value: str, is_raw: bool) -> None:
        """Put another text of one line in the place of a scalar; `is_raw`: without quotes, so that it can be a number."""
        self.refuse_unreadable()
        is_plain = is_raw and self.written_at(place)[0] not in "\"'"
        self._put(place, value, is_plain)

    def set_entries(self, path: tuple[str, ...], key: str, values: list[str | None]) -> None:
        """Give the entries of the list that `entry_strings` has shown other texts of one line; None leaves one as it is."""
        self.refuse_unreadable()
        lines = self._seen()
        places = lines.entries(path, key) if lines is not None else None
        for value, place in zip(values, places or [], strict=True):
            if value is not None and place is not None:
                self._put(place, value)

    def _set_plainly(self, path: Path, value: str) -> bool:
        """Put a text of one line at a path without a tree; False where that takes the parser.

        It needs no proof: in a line-safe item the place is a whole plain or quoted scalar of one line, and one such scalar in the
        place of another leaves everything around it as it is.
        """
        self.refuse_unreadable()
        if self._document is not None or not self.line_safe:
            return False
        known = self._known.get(path, UNKNOWN)
        if known is UNKNOWN:
            known = self._look_up(path)
        if known is None:
            name = path[-1]
            return path in self._known and isinstance(name, str) and self._add_lines(path[:-1], {name: value})
        self._put(known[1], value)
        return True

    def _put(self, place: Place, value: str, is_raw: bool = False) -> None:
        lines = self._lines if self._lines is not None else self._split()
        old = lines.written(place)
        new = value if is_raw else restyled(old, value, self.column)
        if new != old:
            is_last = place[2] == len(lines.lines[place[0]])
            self.line_safe = self.line_safe and stays_safe(old, new, is_last)
            lines.put(place, new)
            self.changed = True
            # Facts about other lines stay true; of many, looking again costs less.
            self._known = {
                other: known
                for other, known in (self._known.items() if len(self._known) < _FEW else ())
                if known is None or known[1][0] != place[0]
            }

    def _add_lines(self, owner: Path, texts: dict[str, Any]) -> bool:
        """Add keys that are plainly absent, with texts of one line, to a plain block mapping; False where the parser has to look.

        It needs no proof: in a line-safe item a line behind the last line of a block leaves everything around it as it is,
        if that line is a key with a scalar of one line. Maps on the way are made.
        """
        lines = self._lines if self._lines is not None else self._split()
        if not owner or not isinstance(owner[-1], str):
            return False
        found = lines.block(owner)
        if found is None:
            return self._add_lines(owner[:-1], {owner[-1]: texts})
        if not lines.can_grow(found):
            return False
        new: list[str] = []
        keys = {}
        for name, value in texts.items():
            written = emit.key(name)
            keys[name] = len(new) if written == name else -1
            new += f"{' ' * found.column}{written}:{emit.after_key(value, found.column)}".split("\n")
        end = found.end
        lines.grow(owner, new, keys)
        self.changed = True
        # Scalars above the new lines are where they were.
        self._known = {
            other: known
            for other, known in (self._known.items() if len(self._known) < _FEW else ())
            if known is not None and known[1][0] < end
        }
        return True
