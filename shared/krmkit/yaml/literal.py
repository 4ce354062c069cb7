"""Block scalars, and literal ones (`|`) as stretches of lines, whose text is made when somebody asks for it.

Packs and ConfigMaps carry whole files in such texts, most of which no function looks at.
"""

from __future__ import annotations

from krmkit.yaml.tree import UNSET, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.document import Document

HEADERS = ("|", "|-", "|+")
WINDOW = 4096
"""How many characters are looked at at once: few beside what is passed over, and many enough."""

# What may stand anywhere.
_ASCII = bytes(range(0x20, 0x7F)) + b"\n\t"


def is_readable(text: str) -> bool:
    """Whether no sign of the text is an odd line break or one that no reader accepts."""
    try:
        rest = text.encode().translate(None, _ASCII)
    except UnicodeEncodeError:
        return False
    return not rest or rest.decode().isprintable()


class Literal(Scalar):
    """A literal scalar of a text. `stop` is where the line behind its last one starts, or the end of the text."""

    __slots__ = ("_column", "_lines", "header", "stop")

    def __init__(
        self, document: Document, start: int, header: str, lines: list[str], column: int, stop: int
    ) -> None:
        self.style = "|"
        self.source = document
        self.start = start
        self.anchor = None
        self.tag = None
        self.value = UNSET
        self.header = header
        self.stop = stop
        self._lines = lines
        self._column = column
        text = document.text
        self.end = stop - (text[stop - 1] == "\n")
        if header != "|+":
            last = len(lines) - 1
            while not lines[last]:
                last -= 1
            if lines[last][-1] == " ":
                self.end = block_scalar_end(text, start, stop, self.text)
            else:
                self.end -= len(lines) - 1 - last

    def __getattr__(self, name: str) -> str:
        """`text`, which has no value before it is asked for the first time."""
        if name != "text":
            raise AttributeError(name)
        column = self._column
        said = "\n".join([line[column:] for line in self._lines])
        assert self.source is not None
        if self.source.text[self.stop - 1] == "\n":
            said += "\n"
        if self.header != "|+":
            content = said.rstrip("\n")
            said = content + "\n" if self.header == "|" and len(content) < len(said) else content
        self.text = said
        self._lines = []
        return said


def read_literal(document: Document, start: int, header: str, first: int, parent: int) -> Literal | None:
    """The literal whose header (one of HEADERS) stands at `start` and whose first line starts at `first`, below a key or
    dash at column `parent`. None where there is none, or where it is not plain to see what belongs to it."""
    text = document.text
    top = first
    while text.startswith("\n", top):
        top += 1
    end = text.find("\n", top)
    line = text[top:] if end < 0 else text[top:end]
    content = line.lstrip(" ")
    column = len(line) - len(content)
    # Blanks on empty lines above the first content, and a tab before it, may be errors.
    if not content or column <= parent or content[0] == "\t":
        return None
    deep = _deep_lines(text, first, " " * column)
    if deep is None:
        return None
    lines, stop = deep
    # Blanks at the very end of the text are read in a way of their own.
    if lines[-1] and not lines[-1].strip(" "):
        return None
    following = text[stop : text.find("\n", stop) + 1 or len(text)]
    # Between the two columns nothing can stand but comments.
    if len(following) - len(following.lstrip(" ")) > parent:
        return None
    return Literal(document, start, header, lines, column, stop)


def _deep_lines(text: str, start: int, pad: str) -> tuple[list[str], int] | None:
    """The lines from `start` on (where one starts) that are blank or begin with `pad`, and where the next one starts. None
    where some are not readable."""
    size = len(text)
    found: list[str] = []
    while start < size:
        stop = text.find("\n", start + WINDOW)
        if stop < 0:
            stop = size - (text[-1] == "\n")
        stretch = text[start:stop]
        if not is_readable(stretch):
            return None
        lines = stretch.split("\n")
        has_tabs = "\t" in stretch
        if _has_other(lines, pad, has_tabs):
            low, high = 0, len(lines)
            while high - low > 1:
                middle = (low + high) // 2
                if _has_other(lines[low:middle], pad, has_tabs):
                    high = middle
                else:
                    low = middle
            found += lines[:low]
            return found, start + sum(map(len, lines[:low])) + low
        found += lines
        start = stop + 1
    return found, size


def _has_other(lines: list[str], pad: str, has_tabs: bool) -> bool:
    """Whether any line neither is blank nor begins with `pad`.

    Such a line is greater than any that begins with `pad`, for it has another sign where that has a blank; but for a tab.
    """
    if has_tabs:
        return any(not line.startswith(pad) and line.strip(" ") for line in lines)
    greatest = max(lines)
    return not greatest.startswith(pad) and greatest.strip(" ") != ""


def block_scalar_end(text: str, start: int, end: int, value: str) -> int:
    """Where the content of a block scalar ends, without its final newline.

    libyaml's end runs over the blank lines that follow; with keep chomping (`|+`) they are content, else not.
    """
    header = text[start : text.find("\n", start) + 1 or end]
    content = text[start:end]
    if "+" in header.split("#", 1)[0]:
        return end - (2 if content.endswith("\r\n") else 1 if content.endswith("\n") else 0)
    if value.rstrip("\r\n") != value.rstrip():
        # The last line ends in blanks that are content.
        return start + len(content.rstrip("\r\n"))
    stop = start + len(content.rstrip())
    end_of_line = text.find("\n", stop, end)
    if end_of_line < 0:
        end_of_line = end
    return end_of_line - 1 if text[end_of_line - 1] == "\r" else end_of_line
