"""The line of a file that a line of a pack's text is: a text stands as a block scalar inside an item of the file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource

# The annotations that kpt and kustomize add to an item are no lines of its file.
_ADDED = (
    "config.kubernetes.io/index:",
    "config.kubernetes.io/path:",
    "config.k8s.io/id:",
    "internal.config.kubernetes.io/",
    "internal.config.k8s.io/",
)


class LineIndex:
    """Lines and columns of offsets in one text: `LineIndex("a\\nbc").at(3)` is (2, 2)."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        from bisect import bisect_right

        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def block_place(text: str, column: int, path: tuple[str, str]) -> tuple[int, int] | None:
    """Where a block scalar's first line stands in an item: (line from 1, indentation); None for other scalars.

    `column` is the indentation of all lines of the item but the first.

        block_place("kind: ConfigMap\\ndata:\\n  a.yaml: |\\n    x: 1\\n", 0, ("data", "a.yaml")) == (4, 4)
    """
    lines = text.split("\n")
    parent, key = path
    starts = tuple(f"{quote}{key}{quote}:" for quote in ("", '"', "'"))
    inside = False
    wanted = 0
    for number, line in enumerate(lines):
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#":
            continue
        indent = len(line) - len(bare) + (column if number == 0 else 0)
        if indent == column:
            inside = bare.split(" #")[0].rstrip() == f"{parent}:"
            wanted = 0
        elif inside:
            wanted = wanted or indent
            if indent == wanted and bare.startswith(starts):
                return _content(lines, number, indent, bare.partition(":")[2].strip())
    return None


def _content(lines: list[str], number: int, indent: int, header: str) -> tuple[int, int] | None:
    if header[:1] not in ("|", ">"):
        return None
    digits = [sign for sign in header[:3] if sign.isdecimal()]
    if digits:
        return number + 2, indent + int(digits[0])
    for line in lines[number + 1 :]:
        if line.strip():
            return number + 2, len(line) - len(line.lstrip(" "))
    return number + 2, indent


def file_line(resource: Resource, line: int) -> int | None:
    """The line of the resource's file that `line` of its text is, both from 1; None where nothing tells.

    Before a document that is not the first of its file other documents stand, whose lines an orchestrator does not tell; and
    what an earlier function changed is not what the file says.
    """
    location = resource.location
    if location is not None:
        return location.line + line - 1 if location.line and not resource.changed else None
    if not resource.path or resource.index != 0:
        return None
    above = resource.text.split("\n", line)[: line - 1]
    return line - sum(entry.lstrip(" -").startswith(_ADDED) for entry in above)


def said_place(line: int, column: int = 0) -> str:
    """`line 3, column 5`, or `line 3` where no column is known."""
    return f"line {line}, column {column}" if column else f"line {line}"
