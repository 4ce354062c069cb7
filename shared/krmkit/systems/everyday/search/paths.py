"""Match paths and file patterns of search-replace: `spec.**.image`, `spec.ports[*].port`, `app/**/*.yaml`."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.regexp import pattern as patterns
from krmkit.libraries.go.regexp.pattern import Pattern

ANY = "**"
EACH = "*"


class PathPattern:
    """A pattern of field paths: dots divide elements; `*` is one, `**` any number, `[0]`, `[*]` list entries.

    A lone `*` takes an element with its index: `spec.*.image` fits spec.containers[0].image.
    """

    __slots__ = ("elements", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.elements = [tuple(_pieces(element)) for element in text.split(".")]

    @property
    def is_absolute(self) -> bool:
        """Return True if the path selects exactly one field, which may be created."""
        return EACH not in self.text and "[" not in self.text

    @property
    def last_word(self) -> str:
        """Return a key that each matching field has; "" if the pattern ends in an entry or a wildcard."""
        last = self.elements[-1]
        return last[0] if len(last) == 1 and EACH not in last[0] else ""

    def fits(self, path: tuple[str | int, ...]) -> bool:
        """Return True if the pattern matches a field's path; a key with dots is several elements."""
        elements: list[tuple[str, ...]] = []
        for step in path:
            if isinstance(step, int):
                elements[-1] = (*elements[-1], f"[{step}]")
            else:
                elements += [(part,) for part in step.split(".")]
        return _fits(self.elements, elements)


def _pieces(element: str) -> list[str]:
    """Split an element: `["ports", "[0]"]` for `ports[0]`."""
    name, bracket, rest = element.partition("[")
    return [name, *(f"[{part}" for part in rest.split("["))] if bracket else [name]


def _fits(pattern: list[tuple[str, ...]], path: list[tuple[str, ...]]) -> bool:
    """Compare in one pass for each `**`, without backtracking beyond the last one."""
    at, back, mark = 0, -1, 0
    position = 0
    while position < len(path):
        if at < len(pattern) and pattern[at] == (ANY,):
            back, mark = at, position
            at += 1
        elif at < len(pattern) and _same(pattern[at], path[position]):
            at += 1
            position += 1
        elif back >= 0:
            mark += 1
            at, position = back + 1, mark
        else:
            return False
    return all(element == (ANY,) for element in pattern[at:])


def _same(pattern: tuple[str, ...], element: tuple[str, ...]) -> bool:
    if pattern == (EACH,):
        return True
    if len(pattern) != len(element):
        return False
    name_fits = pattern[0] in (EACH, element[0])
    return name_fits and all(
        mine in ("[*]", theirs) for mine, theirs in zip(pattern[1:], element[1:], strict=True)
    )


def glob(text: str) -> Pattern:
    """Compile a file pattern: `*` and `?` in a folder, `**` across, `[a-z]`, `{a,b}`. Raises GoInputError.

    `**` crosses folders if it is a whole name, as in `base/**/a.yaml`; beside other characters it is `*`.
    Source: doublestar, which the original uses.
    """
    parts: list[str] = []
    position, depth = 0, 0
    while position < len(text):
        sign = text[position]
        position += 1
        if sign == "*":
            begins = position == 1 or text[position - 2] in "/{,"
            stars = 1
            while text[position : position + 1] == "*":
                position, stars = position + 1, stars + 1
            following = text[position : position + 1]
            if stars == 2 and begins and following == "/":
                position += 1
                parts.append("(?:.*/)?")
            elif stars == 2 and begins and following in ("", "}", "," if depth else ""):
                if not following and parts and parts[-1] == "/":
                    parts[-1] = "(?:/.*)?"  # the folder itself fits as well
                else:
                    parts.append(".*")
            else:
                parts.append("[^/]*")
        elif sign == "?":
            parts.append("[^/]")
        elif sign == "[":
            end = text.find("]", position + 1)
            if end < 0:
                raise GoInputError("syntax error in pattern")
            inner = text[position:end]
            negated = inner[:1] in ("!", "^")
            inner = inner[1:] if negated else inner
            parts.append("[" + "^" * negated + inner.replace("\\", "\\\\").replace("[", "\\[") + "]")
            position = end + 1
        elif sign == "{":
            depth += 1
            parts.append("(?:")
        elif sign == "}" and depth:
            depth -= 1
            parts.append(")")
        elif sign == "," and depth:
            parts.append("|")
        elif sign == "\\" and position < len(text):
            parts.append(patterns.quote(text[position]))
            position += 1
        else:
            parts.append(patterns.quote(sign))
    if depth:
        raise GoInputError("syntax error in pattern")
    return patterns.compile("(?s)^" + "".join(parts) + "$")
