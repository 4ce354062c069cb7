"""Split the text of a ResourceList into its items without parsing them.

The parts, joined again, are the text byte for byte. Boundaries are proven, never guessed.
The fast way cuts at `\\n<pad>- ` and then shows that each cut is a boundary for every YAML reader:

1. The lines above, and those below the items, are parsed together: one document, one plain `items:` key, on
   the line where the items begin.
2. Every line of the region is blank, a comment, begins with `<pad>- `, or is indented at least two columns
   deeper than `<pad>`. A line that begins with `<pad>- ` ends every block scalar and plain scalar, which need
   deeper lines, so it is a boundary unless a quote or a flow collection is still open there.
3. No quote or flow collection is open at the end of an item. For most items `krmkit.libraries.yaml.lines`
   shows that line by line. Any other item is parsed alone; if that succeeds, everything in it is closed.

Whatever does not fit goes the exact way, by libyaml's events over the whole text
(`krmkit.libraries.yaml.exact`).
"""

from __future__ import annotations

from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.document import AnyAnchor, parse_all
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.lines import ODD_BREAKS, opening, outside_literals
from krmkit.libraries.yaml.tree import Document, Map, Scalar

_TOGETHER = 32  # items
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def split(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks:
    """Split a ResourceList into items. Raises YamlError for other texts, LimitError for one too large."""
    if len(text) > limits.total_size:
        raise LimitError.of("total_size", limits.total_size, f"the text of {len(text)} characters")
    chunks = split_fast(text, limits)
    if chunks is None:
        from krmkit.libraries.yaml.exact import split_exact

        chunks = split_exact(text, limits)
    if chunks.items and len(max(chunks.items, key=len)) > limits.item_size:
        for number, item in enumerate(chunks.items):
            if len(item) > limits.item_size:
                raise LimitError.of(
                    "item_size", limits.item_size, f"item {number + 1} of {len(item)} characters"
                )
    return chunks


def split_fast(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks | None:
    """Cut a block list and prove the cuts; None if the proof fails."""
    if any(character in text for character in ODD_BREAKS) or text[:1] == "\ufeff":
        return None
    key = 0
    if not text.startswith("items:\n"):
        key = text.find("\nitems:\n") + 1
        if key == 0:
            return None
    first, pad = _first_dash(text, key + 7)
    if first < 0:
        return None
    cut = "\n" + " " * pad + "- "
    tail = _tail(text, first, cut)
    commented: set[int] = set()
    items = _items(text, first, tail, cut)
    found = _examine(items, pad)
    if found is None:
        low = _walk(text, first, tail, pad)
        if low is None:
            return None
        tail, commented = low
        tail = _comments_above(text, tail, first)
        items = _items(text, first, tail, cut)
        found = _examine(items, pad, deep=False)
        assert found is not None
    if len(items) > limits.items:
        return None
    head = text[:first]
    envelope = _envelope(head + text[tail:], key, limits)
    if envelope is None:
        return None
    unproven, unverified = found
    margin = " " * (pad + 2)
    if not all(_is_closed(margin + items[number], limits) for number in unproven):
        return None
    return Chunks(head, items, text[tail:], cut[1:], unverified | commented, envelope=envelope)


def _tail(text: str, first: int, cut: str) -> int:
    """Return the probable start of the text after the items: functionConfig or results below a dash."""
    keys = ("\nfunctionConfig:", "\nresults:")
    tail = _first_of(text, text.rfind(cut, first - 1), *keys)
    if tail == len(text):
        tail = _first_of(text, first, *keys)
    return _comments_above(text, tail, first)


def _items(text: str, first: int, tail: int, cut: str) -> list[str]:
    """Return the text after each dash between `first` and `tail`, up to the next dash's line."""
    parts = text.split(cut)
    items = parts[text.count(cut, 0, first - 1) + 1 : len(parts) - text.count(cut, tail - 1)]
    # Only one of the two lists may hold the texts while they get their last line break back.
    del parts
    for number in range(len(items) - 1):
        items[number] += "\n"
    items[-1] = text[text.rfind(cut, first - 1, tail) + len(cut) : tail]
    return items


def _first_dash(text: str, position: int) -> tuple[int, int]:
    """Return start and indentation of the first line with content from `position` on; -1 if no dash."""
    while True:
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        content = line.lstrip(" ")
        if content.startswith("- "):
            return position, len(line) - len(content)
        if end < 0 or (content and content[0] != "#"):
            return -1, 0
        position = end + 1


def _first_of(text: str, start: int, *needles: str) -> int:
    """Return the start of the first line that begins with one of the keys, or the text's length."""
    found = [position + 1 for position in (text.find(needle, start) for needle in needles) if position >= 0]
    return min(found, default=len(text))


def _walk(text: str, first: int, tail: int, pad: int) -> tuple[int, set[int]] | None:
    """Check the lines; return the tail's start, and the items with comments left of their content.

    The tail begins at the first line at column 0 that can only be a key of the root. None if a line is
    neither that nor allowed between items.
    """
    deep = "  " + " " * pad
    dash = " " * pad + "- "
    commented: set[int] = set()
    number = -1
    position = first
    for line in text[first:tail].split("\n"):
        if line.startswith(dash):
            number += 1
        elif not line.startswith(deep):
            content = line.lstrip(" ")
            if content[:1] == "#":
                commented.add(number)
            elif content:
                return (position, commented) if content[0] in _LETTERS and content == line else None
        position += len(line) + 1
    return tail, commented


def _comments_above(text: str, tail: int, first: int) -> int:
    """Return the start of the tail, with the comments at column 0 directly above it."""
    if tail == len(text):
        return tail
    while True:
        above = text.rfind("\n", 0, tail - 1) + 1
        if above <= first or text[above] != "#":
            return tail
        tail = above


def _envelope(text: str, key: int, limits: Limits) -> list[Document] | None:
    """Parse the lines around the items. None unless they are a mapping with a plain key `items` at `key`.

    Its value is empty, because the tail begins with a key at column 0. The list is empty if only the form
    could be read, because a key occurs twice, or an anchor is in an item.
    """
    try:
        documents = found = parse_all(text, limits)
    except YamlError:
        found = []
        try:
            documents = parse_all(text, limits, "keep", AnyAnchor(), shallow=True)
        except YamlError:
            return None
    root = documents[0].root if len(documents) == 1 else None
    if not isinstance(root, Map) or root.flow:
        return None
    keys = [entry.key for entry in root.entries]
    starts = [node.start for node in keys if isinstance(node, Scalar) and node.text == "items"]
    return found if starts == [key] else None


def _examine(items: list[str], pad: int, deep: bool = True) -> tuple[list[int], set[int]] | None:
    """Return the indexes of items that lines could not prove closed, and of unverified ones (see Chunks).

    With `deep`, None if a line that begins no item is neither blank nor two columns deeper than the dashes.
    Many items are checked as one text, which is much faster; all at once would copy the list.
    """
    column = pad + 2
    margin = " " * column
    unproven: list[int] = []
    for place in range(0, len(items), _TOGETHER):
        some = items[place : place + _TOGETHER]
        region = margin + margin.join(some)
        lines = region.split("\n")
        # A non-blank character sorts after a space, so max() finds the least indented line. A tab and the
        # like leave it open.
        if deep and max(lines) >= margin[1:] + "!":
            return None
        found = outside_literals(lines, opening(region, lines))
        if found:
            unproven += [place + other for other in _holders(found, some)]
    unverified = set(unproven)
    letters = _LETTERS
    for number, item in enumerate(items):
        if item[:1] not in letters and not _begins_with_key(item, column):
            unverified.add(number)
    return unproven, unverified


def _holders(numbers: list[int], items: list[str]) -> list[int]:
    """Return the items that contain these lines (sorted numbers over all items)."""
    found: list[int] = []
    end = place = 0
    for item_number, item in enumerate(items):
        end += item.count("\n") + (not item.endswith("\n"))
        if numbers[place] < end:
            found.append(item_number)
            while numbers[place] < end:
                place += 1
                if place == len(numbers):
                    return found
    return found


def _begins_with_key(item: str, column: int) -> bool:
    start = 0
    while item.startswith("#", start):
        end = item.find("\n", start)
        if end < 0:
            return False
        start = end + 1 + column
    return item[start : start + 1] in _LETTERS and item[start - 1 : start] in ("", " ")


def _is_closed(text: str, limits: Limits) -> bool:
    """Return True if an item alone parses as one document, within the limit of nesting."""
    try:
        return len(parse_all(text, limits, "keep", AnyAnchor(), shallow=True)) <= 1
    except YamlError:
        return False
