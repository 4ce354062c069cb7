"""A document without its long literal texts, which are read only when they are asked for.

A file of presets is a short list whose entries carry whole YAML texts in literal block scalars (`add: |`), of which one
or two are wanted. The lines below each such header are left out and what remains is parsed. That each header really is
one follows from that parse: up to it both texts are the same to a reader, and the lines left out are just those that the
scalar takes, all of them blank or at least as deep as its first.
"""

from __future__ import annotations

from krmkit.yaml.document import parse
from krmkit.yaml.errors import LimitError, YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.limits import Limits

    # (first line, line behind the last, column of the content) of the lines left out
    Body = tuple[int, int, int]

# What may stand anywhere.
_ASCII = bytes(range(0x20, 0x7F)) + b"\n\t"
_HEADER = ": |"


class Outline:
    """The tree of a text, for reading only: offsets in it are those of the text without the lines left out."""

    __slots__ = ("_bodies", "_lines", "root")

    def __init__(self, root: Node | None, lines: list[str], bodies: dict[int, Body]) -> None:
        self.root = root
        self._lines = lines
        self._bodies = bodies

    def text(self, scalar: Scalar) -> str:
        """What a scalar of this tree says."""
        body = self._bodies.get(scalar.start)
        if body is None:
            return scalar.text
        first, stop, column = body
        lines = [line[column:] for line in self._lines[first:stop]]
        # One line break at the end stays, if there is any.
        last = "" if stop == len(self._lines) and lines[-1] else "\n"
        while not lines[-1]:
            lines.pop()
        return "\n".join(lines) + last


def outline(text: str, limits: Limits = DEFAULT_LIMITS) -> Outline:
    """The one document of `text`. Raises YamlError, LimitError as `krmkit.yaml.document.parse` does."""
    if _HEADER in text and _is_readable(text):
        lines = text.split("\n")
        kept, bodies = _cut(lines)
        try:
            root = parse("\n".join(kept), limits).root
        except LimitError:
            raise
        except YamlError:
            root = None  # the whole text knows the right line
        if root is not None and bodies.keys() <= _literals(root):
            return Outline(root, lines, bodies)
    return Outline(parse(text, limits).root, [], {})


def _is_readable(text: str) -> bool:
    """Whether no sign of the text, also of lines left out, is an odd line break or one that no reader accepts."""
    try:
        rest = text.encode().translate(None, _ASCII)
    except UnicodeEncodeError:
        return False
    return not rest or rest.decode().isprintable()


def _cut(lines: list[str]) -> tuple[list[str], dict[int, Body]]:
    """The lines that remain, and what is left out by the offset of its header's `|` in these."""
    kept: list[str] = []
    bodies: dict[int, Body] = {}
    number = offset = 0
    while number < len(lines):
        line = lines[number]
        kept.append(line)
        number += 1
        offset += len(line) + 1
        if line.endswith(_HEADER):
            body = _body(lines, number, len(line) - len(line.lstrip(" -")))
            if body is not None:
                bodies[offset - 2] = body
                number = body[1]
    return kept, bodies


def _body(lines: list[str], first: int, key: int) -> Body | None:
    """The lines of a literal below a key at column `key`; None where there are none, or not plainly so."""
    number = first
    while number < len(lines) and not lines[number].strip(" "):
        number += 1
    if number == len(lines):
        return None
    column = len(lines[number]) - len(lines[number].lstrip(" "))
    # Deeper blank lines above the first content, and a tab before it, are errors, for the parser to word.
    if (
        column <= key
        or lines[number][column] == "\t"
        or any(len(line) > column for line in lines[first:number])
    ):
        return None
    pad = " " * column
    for stop, line in enumerate(lines[number:], number):
        if line[:column] != pad and (content := line.lstrip(" ")):
            # Between the two columns nothing can stand; that, too, is for the parser.
            return (first, stop, column) if len(line) - len(content) <= key else None
    return first, len(lines), column


def _literals(root: Node) -> set[int]:
    """Where the literals under keys begin whose key is the first thing on its line, dashes aside."""
    found: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Seq):
            stack += node.items
        elif isinstance(node, Map):
            for entry in node.entries:
                value = entry.value
                if not isinstance(value, Scalar):
                    stack.append(value)
                elif value.style == "|" and isinstance(entry.key, Scalar) and value.source is not None:
                    text, start = value.source.text, entry.key.start
                    if not text[text.rfind("\n", 0, start) + 1 : start].strip(" -"):
                        found.add(value.start)
    return found
