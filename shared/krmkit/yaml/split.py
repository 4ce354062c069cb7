"""Split the text of a ResourceList into its items without parsing them.

Text goes through verbatim: the parts, put together again, are the text. Boundaries are proven, never guessed. The fast
way cuts at `\\n<pad>- ` and then shows that each cut is a boundary for every YAML reader:

1. The lines above, and those below the items, are parsed together: one document, one plain `items:` key, on the line
   where the items begin.
2. Every line of the region is blank, a comment, begins with `<pad>- `, or stands at least two columns deeper than
   `<pad>`. At a line that begins with `<pad>- ` no block scalar and no plain scalar goes on, for both need deeper lines;
   so it is a boundary unless a quote or a flow collection is still open there.
3. None is open at the end of any item. In most items that follows from the places of their quotes and brackets: each
   quoted text begins right behind `: ` or a list's dash, where nothing else can be in progress, and closes at the end of
   its line. Any other item is parsed alone; without error, everything in it is closed.

Whatever does not fit goes the exact way, by libyaml's events over the whole text (`krmkit.yaml.exact`).
"""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.chunks import Chunks
from krmkit.yaml.document import Document
from krmkit.yaml.errors import LimitError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.lines import ODD_BREAKS, first_open
from krmkit.yaml.plain import read
from krmkit.yaml.tree import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.limits import Limits

_TOGETHER = 128  # items
_KEPT = 64  # trees of items; few, because a tree is many times as large as its text
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def split(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks:
    """The items of a ResourceList as text. Raises YamlError on what is no list, LimitError on one that is too large."""
    if len(text) > limits.total_size:
        raise LimitError.of("total_size", limits.total_size, f"the text of {len(text)} characters")
    chunks = split_fast(text, limits)
    if chunks is None:
        from krmkit.yaml.exact import split_exact

        chunks = split_exact(text, limits)
    if chunks.items and len(max(chunks.items, key=len)) > limits.item_size:
        for number, item in enumerate(chunks.items):
            if len(item) > limits.item_size:
                raise LimitError.of(
                    "item_size", limits.item_size, f"item {number + 1} of {len(item)} characters"
                )
    return chunks


def split_fast(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks | None:
    """The parts of a block list, cut and proven; None where the proof fails."""
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
    parts = text.split(cut)
    before = text.count(cut, 0, first - 1) + 1
    count = len(parts) - before - text.count(cut, tail - 1)
    commented: set[int] = set()
    if not _all_deep(text, first, tail, pad, count):
        low = _walk(text, first, tail, pad)
        if low is None:
            return None
        tail, commented = low
        count = len(parts) - before - text.count(cut, tail - 1)
    if count > limits.items:
        return None
    tail = _comments_above(text, tail, first)
    items = parts[before : before + count]
    del parts
    for number in range(count - 1):
        items[number] += "\n"
    items[-1] = text[text.rfind(cut, first - 1, tail) + len(cut) : tail]
    head = text[:first]
    envelope: Document | None = Document(head + text[tail:], limits)
    assert envelope is not None
    if read(envelope):
        if not _has_items(envelope, key):
            return None
    elif _is_envelope(envelope.text, key):
        envelope = None
    else:
        return None
    chunks = Chunks(head, items, text[tail:], cut[1:], exact=False)
    chunks.envelope = envelope
    unproven, chunks.doubtful = _examine(text, first, items, chunks.column)
    chunks.doubtful |= commented
    for number in unproven:
        document = Document(" " * chunks.column + items[number], limits)
        if read(document):
            if len(chunks.documents) < _KEPT:
                chunks.documents[number] = document
        elif not _is_closed(document.text):
            return None
    return chunks


def _tail(text: str, first: int, cut: str) -> int:
    """Start of what most probably follows the items: the functionConfig or results below the last dash, else below some."""
    keys = ("\nfunctionConfig:", "\nresults:")
    tail = _first_of(text, text.rfind(cut, first - 1), *keys)
    return tail if tail < len(text) else _first_of(text, first, *keys)


def _first_dash(text: str, position: int) -> tuple[int, int]:
    """Start and indentation of the first line from `position` on that is neither blank nor a comment; -1 if no dash."""
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
    """Start of the first line that begins with one of the keys; the text's length where there is none."""
    found = [position + 1 for position in (text.find(needle, start) for needle in needles) if position >= 0]
    return min(found, default=len(text))


def _all_deep(text: str, first: int, tail: int, pad: int, count: int) -> bool:
    """Whether every line between `first` and `tail` is blank, begins an item, or is two deeper than the dashes."""
    # Each line is counted by the line break before it; a final break begins no line.
    lines = text.count("\n", first - 1, tail) - (text[tail - 1] == "\n")
    deep = text.count("\n  " + " " * pad, first - 1, tail)
    return lines == deep + count or lines == deep + count + text.count("\n\n", first - 1, tail)


def _walk(text: str, first: int, tail: int, pad: int) -> tuple[int, set[int]] | None:
    """Look at the lines one by one: (start of the tail, numbers of the items with comments left of their content).

    The tail begins at the first line at column 0 that can only be a key of the root; None where some line is neither
    that nor one of those allowed.
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
    """Comments at column 0 right above the first line of the tail belong to it."""
    if tail == len(text):
        return tail
    while True:
        above = text.rfind("\n", 0, tail - 1) + 1
        if above <= first or text[above] != "#":
            return tail
        tail = above


def _has_items(document: Document, key: int) -> bool:
    """Whether the document is one mapping, whose `items` is the plain key at `key`.

    Its value is empty, because the tail begins with a key at column 0.
    """
    root = document.root
    return isinstance(root, Map) and any(
        entry.name == "items" and entry.key.start == key for entry in root.entries
    )


def _is_envelope(text: str, key: int) -> bool:
    """The same of a text that is not plain to read."""
    yaml = _libyaml.backend()
    found = False
    try:
        get_event = yaml.parser(text).get_event
        get_event()
        get_event()
        event = get_event()
        if type(event) is not yaml.mapping_start or event.flow_style:
            return False
        depth = 1
        is_key = True
        while depth:
            event = get_event()
            kind = type(event)
            if kind is yaml.mapping_start or kind is yaml.sequence_start:
                depth += 1
                continue
            if kind is yaml.mapping_end or kind is yaml.sequence_end:
                depth -= 1
            if depth != 1:
                continue
            if is_key and kind is yaml.scalar and event.value == "items":
                if event.start_mark.index != key:
                    return False
                found = True
            is_key = not is_key
        get_event()
        return found and type(get_event()) is yaml.stream_end
    except (yaml.error, UnicodeEncodeError):
        return False


def _examine(text: str, first: int, items: list[str], column: int) -> tuple[list[int], set[int]]:
    """Numbers of the items whose quotes and brackets prove nothing, and of those that are doubtful (see Chunks).

    `first` is where the first dash's line starts. Many items are looked at as one text, which is much less work than one by
    one, but not all at once, which would be another copy of the list.
    """
    unproven: list[int] = []
    for number in range(0, len(items), _TOGETHER):
        some = items[number : number + _TOGETHER]
        end = first + sum(map(len, some)) + column * len(some)
        unproven += [number + other for other in sorted(_unproven(text[first:end], some, column))]
        first = end
    letters = _LETTERS
    doubtful = set(unproven)
    for number, item in enumerate(items):
        if item[:1] not in letters and not _begins_with_key(item, column):
            doubtful.add(number)
    return unproven, doubtful


def _unproven(region: str, items: list[str], column: int) -> set[int]:
    """Numbers of the items whose quotes and brackets prove nothing; `region` is what the items were cut from."""
    unproven: set[int] = set()
    starts: list[int] = []

    def pass_over(position: int, quote: str = "") -> int:
        """Leave the item at `position` unproven; returns where the next one starts."""
        if not starts:
            start = column
            for item in items:
                starts.append(start)
                start += len(item) + column
            starts.append(len(region))
        low, high = 0, len(items)
        while high - low > 1:
            middle = (low + high) // 2
            if starts[middle] <= position:
                low = middle
            else:
                high = middle
        if not quote or not _quotes_close(items[low], quote):
            unproven.add(low)
        return starts[low + 1]

    closed: set[str] = set()
    for sign in "\t{['\"":
        if sign not in region:
            continue
        quote = sign if sign in "'\"" else ""
        if quote and _quotes_close(region, quote):
            continue
        position = 0
        while position >= 0:
            position = (
                region.find(sign, position) if sign == "\t" else first_open(region, sign, position, closed)
            )
            if position >= 0:
                position = pass_over(position, quote)
    return unproven


def _quotes_close(item: str, quote: str) -> bool:
    """Whether each quote in the item opens where a value must begin and closes at the end of the same line.

    Split at quotes, the pieces lie outside and inside in turn. If each outer piece but the last ends where only a
    value can begin, and the next one begins with a line break, then either a reader sees exactly these quoted texts,
    or a whole line is comment or block scalar and its quotes are nothing. No line has more than one such text.
    """
    pieces = item.split(quote)
    if not len(pieces) & 1:
        return False
    inside = pieces[1::2]
    outside = pieces[::2]
    if outside.pop()[:1] not in ("", "\n"):
        return False
    if not all(map(_opens_value, [piece for piece in outside if piece[-2:] != ": "])):
        return False
    if any([piece[:1] != "\n" for piece in outside[1:]]):
        return False
    text = quote.join(inside)
    return "\n" not in text and (quote == "'" or "\\" not in text)


def _opens_value(piece: str) -> bool:
    """Whether a quote after this text opens a value: behind `: `, or with nothing but dashes before it on its line."""
    if piece.endswith(": "):
        return True
    start = piece.rfind("\n") + 1
    marks = piece[start:].split(" ")
    # The item itself begins behind its dash.
    return marks.pop() == "" and all(mark in ("", "-") for mark in marks) and ("-" in marks or start == 0)


def _begins_with_key(item: str, column: int) -> bool:
    """Whether a key comes first at the item's column, after comments."""
    start = 0
    while item.startswith("#", start):
        end = item.find("\n", start)
        if end < 0:
            return False
        start = end + 1 + column
    return item[start : start + 1] in _LETTERS and item[start - 1 : start] in ("", " ")


def _is_closed(text: str) -> bool:
    """Whether an item, parsed alone, is one document without error."""
    yaml = _libyaml.backend()
    try:
        get_event = yaml.parser(text).get_event
        documents = 0
        while True:
            kind = type(get_event())
            if kind is yaml.stream_end:
                return documents <= 1
            if kind is yaml.document_start:
                documents += 1
    except (yaml.error, UnicodeEncodeError):
        return False
