"""The line of a file that a line of a pack's text is: a text is a block scalar inside an item of the file."""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

# The annotations that kpt and kustomize add to an item are not lines of its file.
_ADDED = (
    "config.kubernetes.io/index:",
    "config.kubernetes.io/path:",
    "config.k8s.io/id:",
    "internal.config.kubernetes.io/",
    "internal.config.k8s.io/",
)


class LineIndex:
    """Lines and columns of offsets in one text: `LineIndex("a\\nbc").at(3)` is (2, 2)."""

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
    """Return (line from 1, indentation) of a block scalar's first line in an item; None for other scalars.

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


class FileLines:
    """Lines of files, for the resources of one list: which line of its file a line of a resource is."""

    def __init__(self, items: ResourceList | None = None) -> None:
        self._items = items
        self._added: dict[int, tuple[str, list[int]]] = {}
        self._files: dict[tuple[str, str], dict[int, Resource]] = {}

    def of(self, resource: Resource, line: int) -> int | None:
        """Return the line of the resource's file for a `line` of its text, both from 1; None if unknown.

        The file counts as it was when the list was made: with what earlier functions changed, and without the
        lines that kpt adds. A document that is not the first comes after the others of its file, each with a
        line `---`.
        """
        if not resource.path:
            return None
        before: list[Resource] = []
        if resource.index:
            siblings = self._siblings(resource)
            before = [siblings[index] for index in range(resource.index) if index in siblings]
            if len(before) < resource.index:
                return None
        location = resource.location
        if location is not None and location.line and not any(other.changed for other in before):
            return location.line + line - 1
        lines = sum(self._own_lines(other) for other in before)
        return lines + len(before) + self._own_lines(resource, line)

    def _own_lines(self, resource: Resource, line: int = 0) -> int:
        """`line` of a resource, 0 for the last one, less the lines above it that kpt and kustomize add."""
        from bisect import bisect_left

        text = resource.text
        known, added = self._added.get(id(resource), ("", []))
        if known is not text:
            # Found once for each text: a pack may have thousands of findings.
            added = _added_lines(text)
            self._added[id(resource)] = (text, added)
        line = line or text.count("\n")
        return line - bisect_left(added, line)

    def _siblings(self, resource: Resource) -> dict[int, Resource]:
        """Return the resources of the same file, by index."""
        if not self._files and self._items is not None:
            for item in self._items.items:
                if item.path:
                    self._files.setdefault((item.package_path, item.path), {})[item.index] = item
        return self._files.get((resource.package_path, resource.path or ""), {})


def _added_lines(text: str) -> list[int]:
    """Return the numbers of the lines that kpt and kustomize add, from 1."""
    lines = enumerate(text.split("\n"), 1)
    return [number for number, line in lines if line.lstrip(" ").startswith(_ADDED)]


def said_place(line: int, column: int = 0) -> str:
    """`line 3, column 5`, or `line 3` where no column is known."""
    return f"line {line}, column {column}" if column else f"line {line}"
