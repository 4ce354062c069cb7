"""The lines of a resource: where its block mappings, keys and scalars are, and edits of them, without a parse.

For line-safe items only (`krmkit.krm.identity`): no quote and no flow collection is open at the end of any line, the texts of
literal blocks aside. Then a line that begins at the column of a mapping's keys is a key line, or a dash of the list behind one,
because block scalars and continued plain scalars must stand deeper. Whatever is not plainly simple (anchors, tags, aliases, block
scalars, continued lines, a duplicate key) is left to the parser: the answer is None.
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
    """Whether a key is written as a word, such as `example.com/path`."""
    sign = name[:1]
    return (sign.isalnum() or sign in _KEY_STARTS) and " #" not in name and name[-1] != " "


def _is_word_at_least(name: str, keys: dict[str, int]) -> bool:
    """Whether a key that is not written as a word is one all the same: in quotes, or with blanks before its colon. It is noted."""
    quote, inner = name[:1], name[1:-1]
    word = name.rstrip(" ")
    if len(name) > 1 and quote in _QUOTES and name[-1] == quote and quote not in inner and "\\" not in inner:
        keys[inner] = -1
        return True
    if word[:1].isalnum() and " #" not in name:
        keys[word] = -1
        return True
    return False


class Block:
    """A block mapping: its lines from `first` up to `end`, and the column of its keys.

    `keys`: the line of each key; -1 where it is there twice, or written in another way than as a word. `is_odd`: whether there
    are keys that only the parser can read.
    """

    __slots__ = ("column", "end", "first", "is_odd", "keys")

    def __init__(self, first: int, end: int, column: int, keys: dict[str, int], is_odd: bool) -> None:
        self.first = first
        self.end = end
        self.column = column
        self.keys = keys
        self.is_odd = is_odd

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )


class ItemLines:
    """A text as lines, each with the column of its first sign, and the block mappings that were asked for, by path.

    Edits change the lines; `text` is what they say now. The first line of the text is at `column`, as all its keys are.
    """

    __slots__ = ("_ends", "blocks", "column", "columns", "is_edited", "lines")

    def __init__(self, text: str, column: int) -> None:
        self.column = column
        self.lines = (" " * column + text).split("\n")
        # The text after a final line break is not a line.
        self._ends = len(self.lines) > 1 and not self.lines[-1]
        if self._ends:
            self.lines.pop()
        self.columns: list[int] = []
        self.blocks: dict[Path, Block | None] = {}
        self.is_edited = False

    @property
    def text(self) -> str:
        return "\n".join([*self.lines, ""] if self._ends else self.lines)[self.column :]

    def measure(self) -> None:
        """Find the column of each line's first sign: for all that looks for a place, while a known one needs none."""
        if not self.columns:
            self.columns = [
                len(line) - len(content) if (content := line.lstrip(" ")) else BLANK for line in self.lines
            ]

    # Reading

    def block(self, path: Path) -> Block | None:
        """The block mapping at a path; None where it is absent or not plainly one."""
        try:
            return self.blocks[path]
        except KeyError:
            pass
        if not path:
            self.measure()
            found = self._read(0, len(self.lines), -1)
        else:
            # By way of the mapping around it, which other fields need as well.
            outer = self.block(path[:-1])
            number = self._bare(outer, path[-1]) if outer is not None else -1
            found = (
                self._read(number + 1, outer.end, outer.column) if outer is not None and number >= 0 else None
            )
        self.blocks[path] = found
        return found

    def scalar(self, path: Path) -> Place | None:
        """The place of the scalar at a path; None where it is absent or not plainly one of one line."""
        found = self.block(path[:-1])
        if found is None:
            return None
        name = path[-1]
        if not isinstance(name, str):
            return None
        number = found.keys.get(name, -1)
        if number < 0:
            return None
        return self.value(number, found.column + len(name) + 1, found.column, found.end)

    def lacks(self, path: Path) -> bool:
        """Whether there is plainly nothing at a path; False also where that is not plain to see."""
        found = self.block(path[:-1])
        if found is not None:
            return isinstance(path[-1], str) and not found.is_odd and path[-1] not in found.keys
        return len(path) > 1 and self.lacks(path[:-1])

    def value(self, number: int, start: int, column: int, end: int) -> Place | None:
        """The place of the scalar behind a colon that ends at `start`, for a key at `column`; None where it is not plainly one of one line."""
        line = self.lines[number]
        content = line[start:].lstrip(" ")
        if not content or content[0] in _OPENERS or line[start] != " ":
            return None
        # A deeper line below, also one behind blank lines, would continue the scalar (or be a comment; the parser knows).
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
        """A scalar, with its quotes."""
        return self.lines[place[0]][place[1] : place[2]]

    def entries(self, path: Path, key: str) -> list[Place | None] | None:
        """The places of the scalars under `key` in the entries of the block list at a path, None for an entry without.

        The whole is None where that is not plain to see: the list is absent, or holds anything but block mappings.
        """
        found = self.block(path[:-1])
        number = self._bare(found, path[-1]) if found is not None else -1
        if found is None or number < 0:
            return None
        places: list[Place | None] = []
        dash = inside = -1
        for each in range(number + 1, found.end):
            at, line = self.columns[each], self.lines[each]
            if at == BLANK or line[at] == "#":
                continue
            is_entry = line.startswith("- ", at)
            if dash < 0 and is_entry and at >= found.column:
                dash = at
            if at < dash or (at == dash and not is_entry):
                if line[at:] == "-":
                    return None  # an entry that begins on the next line
                break
            if dash < 0:
                return None
            if at == dash:
                inner = line[at + 2 :].lstrip(" ")
                inside = at = len(line) - len(inner)
                content = inner.partition(" #")[0]
                if not content[:1].isalpha() or (": " not in content and not content.endswith(":")):
                    return None  # not a mapping: `- nginx:1.25` is a text
                places.append(None)
            elif at < inside:
                return None
            elif at > inside:
                continue
            if line.startswith(key, at):
                rest = line[at + len(key) :]
                if rest[:1] == ":":
                    place = self.value(each, at + len(key) + 1, inside, found.end)
                    if place is None or places[-1] is not None:
                        return None
                    places[-1] = place
                elif rest.lstrip(" ")[:1] == ":":
                    return None
            elif not line[at].isalpha() and line[at] != "-":
                return None
        return places

    def _bare(self, found: Block, name: str | int) -> int:
        """The line of a key with nothing behind its colon; -1 where there is none."""
        number = found.keys.get(name, -1) if isinstance(name, str) else -1
        if number < 0 or len(self.lines[number]) > found.column + len(str(name)) + 1:
            return -1
        return number

    def _read(self, first: int, end: int, outer: int) -> Block | None:
        """The block mapping that begins at a line, below a key at the column `outer`; None where none is plainly there."""
        lines, keys = self.lines, dict[str, int]()
        column = BLANK - 1
        is_odd = False
        for number, at in enumerate(self.columns[first:end], first):
            if at > column:
                continue
            line = lines[number]
            if line[at] == "#":
                if at <= outer:
                    return self._read(first, self._end(first, outer, end), -1)
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
            if name.isidentifier() or _is_word(name):
                keys[name] = -1 if name in keys else number
            elif not line.startswith("- ", column) and line[column:] != "-":
                is_odd = not _is_word_at_least(name, keys) or is_odd
        if column == BLANK - 1 or (is_odd and not keys):
            return None  # nothing, or a scalar on a line of its own
        return Block(first, end, column, keys, is_odd)

    def _end(self, first: int, column: int, end: int) -> int:
        """End of the lines from `first` on that belong to a key at `column`.

        A comment at `column` or left of it ends nothing: what is deeper behind it belongs to the key still.
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
        """Put another scalar of one line in the place of one."""
        number, start, end = place
        line = self.lines[number]
        self.lines[number] = line[:start] + new + line[end:]
        self.is_edited = True

    def can_grow(self, found: Block) -> bool:
        """Whether another key can follow the last line of a block mapping: the line is neither blank nor a comment.

        Whatever it is, a key at the mapping's own column ends it: no quote and no flow collection is open there. But a
        literal that ends the text without a line break would get one as a part of its value.
        """
        last = found.end - 1
        at = self.columns[last]
        if at == BLANK or self.lines[last][at] == "#":
            return False
        return self._ends or not any("|" in line or ">" in line for line in self.lines)

    def grow(self, path: Path, new: list[str], keys: dict[str, int]) -> None:
        """Put lines that hold new keys behind the last line of the block mapping at `path`; the blocks move along.

        `keys`: the number in `new` of the line of each key; -1 where it is not written as a word.
        """
        owner = self.block(path)
        assert owner is not None
        at, more, depth = owner.end, len(new), len(path)
        self.lines[at:at] = new
        self.columns[at:at] = [len(line) - len(line.lstrip(" ")) for line in new]
        self.is_edited = True
        gone = []
        for other, found in self.blocks.items():
            if found is None:
                if other[:depth] == path and other[depth:] and other[depth] in keys:
                    gone.append(other)  # it may be there now
            elif found.first >= at:
                found.first += more
                found.end += more
                found.keys = {key: line + more if line >= 0 else line for key, line in found.keys.items()}
            elif found.end == at and other == path[: len(other)]:
                found.end += more
            elif found.end > at:
                found.end += more
                for key, line in found.keys.items():
                    if line >= at:
                        found.keys[key] = line + more
        for other in gone:
            del self.blocks[other]
        owner.keys |= {name: at + line if line >= 0 else -1 for name, line in keys.items()}
