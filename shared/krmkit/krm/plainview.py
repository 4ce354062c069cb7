"""What is seen and changed of a resource without parsing it, where that is plain to see.

Only in line-safe items (`krmkit.krm.identity`), and only before the first parse. Whatever is not plainly simple is left to the
parser and the editor.
"""

from __future__ import annotations

from krmkit.krm.identity import (
    block_in,
    ends_plainly,
    entry_scalars,
    is_plainly_sound,
    lacks_key,
    may_hide,
    plain_text,
    restyled,
    scalar_in,
)
from krmkit.yaml import emit
from krmkit.yaml.scalars import go_resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.fieldpath import Path
    from krmkit.krm.identity import Block
    from krmkit.krm.plainlines import PlainField
    from krmkit.yaml.tree import Document, Map


class PlainView:
    """The text of a resource, and the places of its block mappings that were asked for, by path."""

    __slots__ = ("_blocks", "_document", "_root", "_text", "changed", "column", "line_safe")

    _text: str
    _document: Document | None
    _root: Map | None
    _blocks: dict[tuple[str, ...], Block | None]
    column: int
    line_safe: bool
    changed: bool

    def _parse(self) -> None:
        raise NotImplementedError  # the resource reads its text

    def _replace(self, text: str) -> None:
        raise NotImplementedError  # the resource forgets what it knows of its text

    def is_plain_map(self, path: tuple[str, ...]) -> bool:
        """Whether there is a block mapping at a path, seen without a parse; False also where that is not plain to see."""
        return self._document is None and self.line_safe and self._block(path) is not None

    def plain_string(self, path: Path) -> str | None:
        """The text at a path, seen without a parse: None where it is not text, or not plain to see."""
        span = self._span(path)
        text = plain_text(self._text, span) if span is not None else None
        if text is None or span is None:
            return None
        is_quoted = span[1] - span[0] > len(text)
        return text if is_quoted or go_resolve(text)[0] == "str" else None

    def is_plainly_absent(self, path: Path) -> bool:
        """Whether there is nothing at a path, seen without a parse; False also where that is not plain to see."""
        names = self._plain_names(path)
        if not names:
            return False
        found = self._block(names[:-1])
        if found is not None:
            return lacks_key(self._text, found, names[-1])
        return len(names) > 1 and self.is_plainly_absent(names[:-1])

    def entry_strings(self, path: tuple[str, ...], key: str) -> list[str | None] | None:
        """The texts under `key` in the entries of a block list, seen without a parse; None where that is not plain to see.

        Example: `entry_strings(("spec", "containers"), "image") == ["nginx:1.25", None]`.
        """
        spans = self._entry_spans(path, key)
        if spans is None:
            return None
        texts = [plain_text(self._text, span) if span is not None else None for span in spans]
        lost = any(text is None and span is not None for text, span in zip(texts, spans, strict=True))
        return None if lost else texts

    def _entry_spans(self, path: tuple[str, ...], key: str) -> list[tuple[int, int] | None] | None:
        found = self._block(path[:-1]) if self._plain_names(path) else None
        return entry_scalars(self._text, found, path[-1], key) if found is not None else None

    def fields_with(self, word: str, in_comments: bool = True) -> list[PlainField] | None:
        """The fields whose line comments hold a word, or else the whole line, seen without a parse; None where that is not plain to see."""
        if self._document is not None or not self.line_safe or may_hide(self._text):
            return None
        from krmkit.krm.plainlines import fields_with  # for the few functions that live from comments

        return fields_with(self._text, self.column, word, in_comments)

    def text_at(self, span: tuple[int, int]) -> str | None:
        """The text of a scalar that `fields_with` has found; None where it needs the parser."""
        return plain_text(self._text, span)

    def put_at(self, span: tuple[int, int], value: str, is_raw: bool) -> None:
        """Put another text of one line in the place of a scalar; `is_raw`: without quotes, so that it can be a number."""
        self.refuse_unreadable()
        if is_raw and self._text[span[0]] not in "\"'":
            self._splice(*span, value)
        else:
            self._set_span(span, value)

    def _plain_names(self, path: Path) -> tuple[str, ...]:
        """The keys of a path; () where the parser has to look for it."""
        if self._document is not None or not self.line_safe:
            return ()
        names = tuple([step for step in path if isinstance(step, str)])
        return names if len(names) == len(path) else ()

    def _span(self, path: Path) -> tuple[int, int] | None:
        """The span of the scalar at a path, if that is plain to see without a parse."""
        names = self._plain_names(path)
        return self._plain_span(names) if names else None

    def _plain_span(self, names: tuple[str, ...]) -> tuple[int, int] | None:
        """The same for a path without positions of lists."""
        if self._document is not None or not self.line_safe:
            return None
        found = self._block(names[:-1])
        return scalar_in(self._text, found, names[-1]) if found is not None else None

    def _block(self, path: tuple[str, ...]) -> Block | None:
        if path not in self._blocks:
            # By way of the mapping around it, which other fields need as well.
            outer = self._block(path[:-1]) if path else (0, len(self._text), self.column)
            self._blocks[path] = (
                block_in(self._text, outer, path[-1]) if path and outer is not None else outer
            )
        return self._blocks[path]

    def _add_line(self, path: Path, value: str | dict[str, str]) -> bool:
        """Add a key with a text of one line to a plain block mapping; False where the parser has to look.

        It needs no proof: in a line-safe item a line behind the last line of a block leaves everything around it as it is,
        if that line is a key with a scalar of one line. Maps on the way are made.
        """
        names = self._plain_names(path)
        if len(names) < 2 or not self.is_plainly_absent(path):
            return False
        found = self._block(names[:-1])
        if found is None:
            return isinstance(value, str) and self._add_line(path[:-1], {names[-1]: value})
        text, (_, end, column) = self._text, found
        if not ends_plainly(text, found):
            return False
        # A literal that ends the text without a line break would get one as a part of its value.
        if not text.endswith("\n") and ("|" in text or ">" in text):
            return False
        line = f"{' ' * column}{emit.key(names[-1])}:{emit.after_key(value, column)}"
        self._splice(end, end, f"{line}\n" if text[end - 1] == "\n" else f"\n{line}", names[:-1])
        return True

    # Editing

    def refuse_unreadable(self) -> None:
        """Raise YamlError, ListError or LimitError where a resource that was seen by its lines cannot be read.

        Lines are seen in a text that is no YAML elsewhere, too. Who edits such a resource, or takes data from it, vouches for it.
        What was edited needs no look, because no edit breaks a text.
        """
        if self.line_safe and not self.changed and self._document is None:
            if is_plainly_sound(" " * self.column + self._text):
                return
            self._parse()
            # The tree is not needed: edits by lines go on.
            self._document = self._root = None

    def _set_plainly(self, path: Path, value: str) -> bool:
        """Put a text of one line at a path without a tree; False where that takes the parser.

        It needs no proof: in a line-safe item the span is a whole plain or quoted scalar of one line, and one such scalar in the
        place of another leaves everything around it as it is.
        """
        self.refuse_unreadable()
        span = self._span(path)
        if span is not None:
            self._set_span(span, value)
            return True
        return self._add_line(path, value)

    def _splice(self, start: int, end: int, new: str, owner: tuple[str, ...] = ()) -> None:
        """Put a text in the place of another; the blocks that were found already move along.

        The text is a scalar of one line, or a line at the end of the block at `owner`, which becomes its last.
        """
        known, more = self._blocks, len(new) - (end - start)
        self._replace(self._text[:start] + new + self._text[end:])
        self.changed = True
        for path, block in known.items():
            if block is None:
                continue  # it may be there now
            first, last, column = block
            if start == end == last and path != owner[: len(path)]:
                continue  # the new line may be below it: it is looked for again
            self._blocks[path] = (first + more * (first >= end), last + more * (last >= end), column)

    def set_entries(self, path: tuple[str, ...], key: str, values: list[str | None]) -> None:
        """Give the entries of the list that `entry_strings` has shown other texts of one line; None leaves one as it is."""
        self.refuse_unreadable()
        spans = self._entry_spans(path, key) or []
        for value, span in reversed(list(zip(values, spans, strict=True))):
            if value is not None and span is not None:
                self._set_span(span, value)

    def _set_span(self, span: tuple[int, int], value: str) -> None:
        text, (start, end) = self._text, span
        new = restyled(text, span, value, self.column)
        if new == text[start:end]:
            return
        self._splice(start, end, new)
        # Still line-safe where the kind of scalar stays: plain, or quoted up to the end of its line; or where nothing follows.
        self.line_safe = (
            new[0] == text[start] or text[end : end + 1] == "\n" or not {new[0], text[start]} & {"'", '"'}
        )
