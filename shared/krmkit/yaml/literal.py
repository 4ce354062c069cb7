"""Block scalars, and literal ones (`|`) as stretches of lines, whose text is made when somebody asks for it.

Packs and ConfigMaps carry whole files in such texts, most of which no function looks at.
"""

from __future__ import annotations

from io import BytesIO

from krmkit.yaml.tree import UNSET, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.yaml.document import Document

HEADERS = ("|", "|-", "|+")
WINDOW = 512
"""How many characters are looked at first; then four times as many each time, for most texts are short, and long ones very long."""
WIDEST = 8192
"""And no more than that at once: what is looked at behind the end of a literal is looked at in vain."""

# What may stand anywhere.
_ASCII = bytes(range(0x20, 0x7F)) + b"\n\t"


def readable(text: str) -> bytes | None:
    """The text in UTF-8; None where some sign of it is an odd line break or one that no reader accepts."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return None
    rest = encoded.translate(None, _ASCII)
    return encoded if not rest or rest.decode().isprintable() else None


class Literal(Scalar):
    """A literal scalar of a text. `stop` is where the line behind its last one starts, or the end of the text."""

    __slots__ = ("_column", "_first", "header", "stop")

    def __init__(
        self, document: Document, start: int, header: str, first: int, column: int, stop: int
    ) -> None:
        self.style = "|"
        self.source = document
        self.start = start
        self.anchor = None
        self.tag = None
        self.value = UNSET
        self.header = header
        self.stop = stop
        self._first = first
        self._column = column
        text = document.text
        end = stop - (text[stop - 1] == "\n")
        if header != "|+":
            while text[end - 1] == "\n":
                end -= 1
            if text[end - 1] == " ":
                end = block_scalar_end(text, start, stop, self.text)
        self.end = end

    def __getattr__(self, name: str) -> str:
        """`text`, which has no value before it is asked for the first time."""
        if name != "text":
            raise AttributeError(name)
        assert self.source is not None
        deep = slice(self._column, None)
        lines = self.source.text[self._first : self.stop].split("\n")
        said = "\n".join([line[deep] for line in lines])
        if self.header != "|+":
            content = said.rstrip("\n")
            said = content + "\n" if self.header == "|" and len(content) < len(said) else content
        self.text = said
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
    stop = _end(text, first, " " * column)
    if stop is None:
        return None
    # Blanks at the very end of the text are read in a way of their own.
    last = stop - (text[stop - 1] == "\n")
    if text[last - 1] == " " and not text[text.rfind("\n", 0, last) + 1 : last].strip(" "):
        return None
    following = text[stop : text.find("\n", stop) + 1 or len(text)]
    # Between the two columns nothing can stand but comments.
    if len(following) - len(following.lstrip(" ")) > parent:
        return None
    return Literal(document, start, header, first, column, stop)


def _end(text: str, start: int, pad: str) -> int | None:
    """Where the first line from `start` on (where one starts) begins that neither is blank nor begins with `pad`; the end of
    the text where none does. None where some line on the way there is not readable."""
    size = len(text)
    window = WINDOW
    deep = pad.encode()
    while start < size:
        stop = text.find("\n", start + window) + 1 or size
        encoded = readable(text[start:stop])
        if encoded is None:
            return None
        # A tab is less than a blank, but no blank.
        encoded = encoded.replace(b"\t", b"~")
        # Reading lines from bytes is the fastest way to have them.
        if _has_other(BytesIO(encoded), deep):
            lines = BytesIO(encoded).readlines()
            low, high = 0, len(lines)
            while high - low > 1:
                middle = (low + high) // 2
                if _has_other(lines[low:middle], deep):
                    high = middle
                else:
                    low = middle
            return start + len(b"".join(lines[:low]).decode())
        start = stop
        window = min(4 * window, WIDEST)
    return size


def _has_other(lines: Iterable[bytes], pad: bytes) -> bool:
    """Whether any line neither is blank nor begins with `pad`.

    Such a line is greater than any that begins with `pad`, for it has another sign where that has a blank, and all signs
    but line breaks are greater than that.
    """
    greatest = max(lines)
    return not greatest.startswith(pad) and greatest.strip(b" \n") != b""


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
