"""The lines of a resource: its block collections and scalars, and edits of them, without a parse.

For line-safe items only (`krmkit.krm.plaintext`): no quote and no flow collection is open at the end of any
line, except in literal blocks. Then a line that begins at the column of a mapping's keys is a key line, or a
dash of the list behind one, because block scalars and continued plain scalars must stand deeper. Whatever is
not plainly simple (anchors, tags, aliases, block scalars, continued lines, a duplicate key) is left to the
parser: the answer is None.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.fieldpath import Path

    Place = tuple[int, int, int]
    """Where a scalar is: the number of its line, and its start and end in that line."""

BLANK = 1 << 30
"""The column of a line without content: deeper than any."""

_OPENERS = frozenset("&*!|>{[@`%?\t")
_QUOTES = "'\""
_KEY_STARTS = frozenset("_./")  # beside letters and digits


def _is_word(name: str) -> bool:
    """Return True for an unquoted key such as `example.com/path`."""
    sign = name[:1]
    return (sign.isalnum() or sign in _KEY_STARTS) and " #" not in name and name[-1] != " "


def _other_key(name: str) -> str | None:
    """Return a quoted key, or one with blanks before its colon; None if the text is no key."""
    quote, inner = name[:1], name[1:-1]
    word = name.rstrip(" ")
    if len(name) > 1 and quote in _QUOTES and name[-1] == quote and quote not in inner and "\\" not in inner:
        return inner
    return word if word[:1].isalnum() and " #" not in name else None


class Block:
    """A block mapping or list: lines `first` to `end`, the column of its keys or dashes, and `children`.

    `children`: the line of each key or list position. A duplicate or quoted key is stored as `~line`, and a
    key that only the parser can read under its line number, with `is_odd` True.
    """

    __slots__ = ("children", "column", "end", "first", "is_list", "is_odd")

    def __init__(
        self,
        first: int,
        end: int,
        column: int,
        children: dict[str | int, int],
        is_list: bool,
        is_odd: bool = False,
    ) -> None:
        self.first = first
        self.end = end
        self.column = column
        self.children = children
        self.is_list = is_list
        self.is_odd = is_odd


class ItemLines:
    """A text as lines, the column of each line's content, and its block collections by path, on demand.

    Edits change the lines and so `text`. All keys of the root are at `column`, also the one on the first
    line.
    """

    __slots__ = ("_ends", "blocks", "column", "columns", "is_edited", "lines", "places")

    def __init__(self, text: str, column: int) -> None:
        self.column = column
        self.lines = (" " * column + text).split("\n")
        # The text after a final line break is not a line.
        self._ends = len(self.lines) > 1 and not self.lines[-1]
        if self._ends:
            self.lines.pop()
        self.columns: list[int] = []
        self.blocks: dict[Path, Block | None] = {}
        self.places: dict[Path, Place] = {}  # of scalars that were found by a word in their lines
        self.is_edited = False

    @property
    def text(self) -> str:
        return "\n".join([*self.lines, ""] if self._ends else self.lines)[self.column :]

    def measure(self) -> None:
        """Find the column of each line's content. Only the first search for an unknown place needs it."""
        if not self.columns:
            self.columns = [
                len(line) - len(content) if (content := line.lstrip(" ")) else BLANK for line in self.lines
            ]

    # Reading

    def block(self, path: Path) -> Block | None:
        """Return the block mapping or list at a path; None if it is absent or needs the parser."""
        try:
            return self.blocks[path]
        except KeyError:
            pass
        found = None
        if not path:
            self.measure()
            found = self._mapping(0, len(self.lines), -1)
        else:
            # By way of the collection around it, which other fields need as well.
            outer, step = self.block(path[:-1]), path[-1]
            number = outer.children.get(step, -1) if outer is not None else -1
            if outer is not None and number >= 0:
                if outer.is_list:
                    assert isinstance(step, int)
                    line = self.lines[number]
                    inside = len(line) - len(line[outer.column + 1 :].lstrip(" "))
                    end = outer.children.get(step + 1, outer.end)
                    found = self._mapping(number, end, outer.column, inside)
                elif len(self.lines[number]) == outer.column + len(str(step)) + 1:
                    found = self._mapping(number + 1, outer.end, outer.column)
                    if found is None:
                        found = self._list(number + 1, outer.end, outer.column)
        self.blocks[path] = found
        return found

    def scalar(self, path: Path) -> Place | None:
        """Return the place of the one-line scalar at a path; None if it is absent or needs the parser."""
        known = self.places.get(path)
        if known is not None:
            return known
        found, step = self.block(path[:-1]), path[-1]
        number = found.children.get(step, -1) if found is not None else -1
        if found is None or number < 0:
            return None
        start = found.column + (1 if found.is_list else len(str(step)) + 1)
        return self.value(number, start, found.column, found.end)

    def lacks(self, path: Path) -> bool:
        """Return True if a path is certainly absent; False if it exists or only the parser can tell."""
        found, step = self.block(path[:-1]), path[-1]
        if found is not None:
            fits = isinstance(step, int) and step >= 0 if found.is_list else isinstance(step, str)
            return fits and not found.is_odd and step not in found.children
        return len(path) > 1 and self.lacks(path[:-1])

    def value(self, number: int, start: int, column: int, end: int) -> Place | None:
        """Return the place of the scalar after the colon that ends at `start`, for a key at `column`.

        Return None if it is not a simple scalar of one line.
        """
        line = self.lines[number]
        content = line[start:].lstrip(" ")
        if not content or content[0] in _OPENERS or line[start] != " ":
            return None
        # A deeper line below, also one behind blank lines, would continue the scalar, or be a comment.
        columns, below = self.columns, number + 1
        while below < end and columns[below] > column:
            if columns[below] != BLANK:
                return None
            below += 1
        start, quote = len(line) - len(content), content[0]
        if quote in _QUOTES:
            # The quote closes on this line, and at most a comment follows.
            close = line.find(quote, start + 1) + 1
            while quote == "'" and close and line[close : close + 1] == quote:
                close = line.find(quote, close + 1) + 1
            if close == 0 or (quote == '"' and "\\" in line[start:close]):
                return None
            rest = line[close:].lstrip(" ")
            return (number, start, close) if not rest or rest[0] == "#" else None
        if quote == "#" or (quote == "-" and content[1:2] in ("", " ")):
            return None
        content = content.partition(" #")[0].rstrip(" ")
        if ": " in content or content[-1] == ":":
            return None
        return number, start, start + len(content)

    def written(self, place: Place) -> str:
        """Return a scalar, with its quotes."""
        return self.lines[place[0]][place[1] : place[2]]

    def _mapping(self, first: int, end: int, outer: int, inside: int = -1) -> Block | None:
        """Return the block mapping at a line, below a key or dash at column `outer`, or None.

        `inside`: the column of the first key, if it follows a dash.
        """
        lines, keys = self.lines, dict[str | int, int]()
        column = BLANK - 1
        odd = 0
        columns = self.columns[first:end]
        if inside >= 0:
            columns[0] = inside
        for number, at in enumerate(columns, first):
            if at > column:
                continue
            line = lines[number]
            if line[at] == "#":
                if at <= outer:
                    return self._mapping(first, self._end(first + (inside >= 0), outer, end), -1, inside)
                continue
            if at < column:
                if at <= outer:
                    end = number
                    break
                if column < BLANK - 1 or not line[at].isalpha():
                    return None
                column = at
            key, colon, _ = line.partition(": ")
            name = key[column:] if colon else key[column:-1] if key[-1] == ":" else ""
            # Most keys are words of letters, which the first test sees.
            if (name.isidentifier() or _is_word(name)) and name not in keys:
                keys[name] = number
            elif name in keys or not (line.startswith("- ", column) or line[column:] == "-"):
                known = name if name in keys else _other_key(name)
                odd += known is None
                key_of = number if known is None else known
                keys.pop(key_of, None)
                keys[key_of] = ~number
        if column == BLANK - 1 or len(keys) == odd:
            return None  # nothing, or a scalar on a line of its own
        return Block(first, end, column, keys, False, odd > 0)

    def _list(self, first: int, end: int, outer: int) -> Block | None:
        """Return the block list at a line, below a key at column `outer`, or None."""
        entries = dict[str | int, int]()
        column = -1
        for number, at in enumerate(self.columns[first:end], first):
            line = self.lines[number]
            if at == BLANK or at > column >= 0 or line[at] == "#":
                continue
            is_entry = line.startswith("- ", at)
            if column < 0 and is_entry and at >= outer:
                column = at
            if at != column or not is_entry:
                if column < 0 or line[at:] == "-":
                    return None  # no list, or an entry that begins on the next line
                end = number
                break
            entries[len(entries)] = number
        return Block(first, end, column, entries, True) if entries else None

    def _end(self, first: int, column: int, end: int) -> int:
        """Return the end of the lines from `first` on that belong to a key at `column`.

        Comments end nothing, at any column: deeper lines after them still belong to the key.
        """
        comments = -1  # the end if only comments and blank lines follow
        lines, columns = self.lines, self.columns
        for number in range(first, end):
            at = columns[number]
            if at > column:
                if comments >= 0 and at != BLANK and lines[number][at] != "#":
                    comments = -1
            elif lines[number][at] == "#":
                comments = number if comments < 0 else comments
            else:
                return number if comments < 0 else comments
        return end if comments < 0 else comments

    # Editing

    def put(self, place: Place, new: str) -> None:
        """Replace a scalar of one line."""
        number, start, end = place
        line = self.lines[number]
        self.lines[number] = line[:start] + new + line[end:]
        self.is_edited = True

    def can_grow(self, found: Block) -> bool:
        """Return True if a key can follow the last line of a block mapping: not after blanks or comments.

        A key at the mapping's column ends any line, because no quote or flow collection is open there. But a
        literal at the end of the text without a line break would get one as part of its value.
        """
        last = found.end - 1
        at = self.columns[last]
        if at == BLANK or self.lines[last][at] == "#":
            return False
        return self._ends or not any("|" in line or ">" in line for line in self.lines)

    def grow(self, path: Path, new: list[str], keys: dict[str, int]) -> None:
        """Insert lines with new keys after the last line of the block mapping at `path`; shift later blocks.

        `keys`: the index in `new` of each key's line, `~index` for a quoted key.
        """
        owner = self.block(path)
        assert owner is not None
        at, more, depth = owner.end, len(new), len(path)
        self.lines[at:at] = new
        self.places.clear()
        self.columns[at:at] = [len(line) - len(line.lstrip(" ")) for line in new]
        self.is_edited = True
        gone = []
        for other, found in self.blocks.items():
            if found is None:
                if other[:depth] == path and other[depth:] and other[depth] in keys:
                    gone.append(other)  # it may be there now
            elif found.end == at and found.first < at and other == path[: len(other)]:
                found.end += more
            elif found.end > at:
                found.first += more if found.first >= at else 0
                found.end += more
                for key, line in found.children.items():
                    if (line if line >= 0 else ~line) >= at:
                        found.children[key] = line + (more if line >= 0 else -more)
        for other in gone:
            del self.blocks[other]
        owner.children |= {name: line + at if line >= 0 else line - at for name, line in keys.items()}
