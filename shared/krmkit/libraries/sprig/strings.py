"""Strings: trimming, cutting, padding, quoting, joining. Lengths and positions count bytes, as in Go."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import charge, check_items, check_length
from krmkit.libraries.go.core.values import ByteList, StringList, StringMap, decode, encode
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import byte_length, sprint
from krmkit.libraries.go.fmt.printing import quote as go_quote


def hello() -> str:
    """Return sprig's greeting."""
    return "Hello!"


def repeat(count: int, text: str) -> str:
    """Repeat the text `count` times."""
    if count < 0:
        raise GoError("strings: negative Repeat count")
    check_length(count * len(text))
    return text * count


def substr(start: int, end: int, text: str) -> str:
    """Return s[start:end]; s[:end] for a negative start, s[start:] for a negative or too large end."""
    data = encode(text)
    size = len(data)
    if start < 0:
        if end < 0:
            raise GoError(f"runtime error: slice bounds out of range [:{end}]")
        if end > size:
            raise GoError(f"runtime error: slice bounds out of range [:{end}] with length {size}")
        return decode(data[:end])
    if end < 0 or end > size:
        if start > size:
            raise GoError(f"runtime error: slice bounds out of range [{start}:{size}]")
        return decode(data[start:])
    if start > end:
        raise GoError(f"runtime error: slice bounds out of range [{start}:{end}]")
    return decode(data[start:end])


def trunc(count: int, text: str) -> str:
    """Return the first `count` bytes, or the last ones if it is negative."""
    data = encode(text)
    if count < 0:
        return decode(data[count:]) if len(data) + count > 0 else text
    return decode(data[:count])


def abbrev(width: int, text: str) -> str:
    """Cut to `width` bytes with an ellipsis; a width below four changes nothing."""
    return text if width < 4 else _abbreviate(text, 0, width)


def abbrev_both(left: int, right: int, text: str) -> str:
    """Cut at both ends, from offset `left` on to at most `right` bytes (abbrevboth)."""
    if right < 4 or (left > 0 and right < 7):
        return text
    return _abbreviate(text, left, right)


def wrap(width: int, text: str) -> str:
    """Break at blanks into lines of at most `width` bytes; long words stay whole."""
    return _wrap(text, width, "\n", cut_words=False)


def wrap_with(width: int, separator: str, text: str) -> str:
    """Break into lines with another separator, and cut long words (wrapWith)."""
    return _wrap(text, width, separator or "\n", cut_words=True)


def quote(*values: object) -> str:
    """Quote each value except nil with double quotes and Go's escapes."""
    texts = [to_string(value) for value in values if value is not None]
    charge(sum(map(len, texts)) // 4)
    return " ".join(map(go_quote, texts))


def squote(*values: object) -> str:
    """Quote each value except nil with single quotes, without escapes."""
    return " ".join(f"'{sprint(value)}'" for value in values if value is not None)


def cat(*values: object) -> str:
    """Join the values except nil by blanks."""
    return " ".join(sprint(value) for value in values if value is not None)


def indent(spaces: int, text: str) -> str:
    """Indent every line, empty ones too, by `spaces` blanks."""
    if spaces < 0:
        raise GoError("strings: negative Repeat count")
    check_length(len(text) + spaces * (text.count("\n") + 1))
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


def nindent(spaces: int, text: str) -> str:
    """Indent, and put a newline in front."""
    return "\n" + indent(spaces, text)


def replace(old: str, new: str, text: str) -> str:
    """Replace every `old` by `new`; an empty `old` matches between all characters."""
    places = text.count(old)
    check_length(len(text) + places * (len(new) - len(old)))
    return text.replace(old, new)


def plural(one: str, many: str, count: int) -> str:
    """Return `one` for a count of 1, else `many`."""
    return one if count == 1 else many


def to_string(value: object) -> str:
    """Convert to text: bytes by their contents, others as they print (toString)."""
    if isinstance(value, ByteList):
        return decode(bytes(item for item in value if isinstance(item, int)))
    return value if isinstance(value, str) else sprint(value)


def to_strings(value: object) -> StringList:
    """Convert the items except nil to text (toStrings); a single value gives a list, nil an empty one."""
    return value if isinstance(value, StringList) else StringList(_texts(value))


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        charge(len(value) * 2)
        return [to_string(item) for item in value if item is not None]
    return [] if value is None else [to_string(value)]


def join(separator: str, value: object) -> str:
    """Join the items as text by the separator."""
    items = _texts(value)
    check_length(sum(map(len, items)) + len(separator) * max(len(items) - 1, 0))
    return separator.join(items)


def sort_alpha(value: object) -> StringList:
    """Sort the items as text in byte order (sortAlpha)."""
    if not isinstance(value, list):
        return StringList([to_string(value)])
    ordered = sorted(_texts(value), key=encode)
    if isinstance(value, StringList):  # Go sorts a []string where it is
        value[:] = ordered
        return value
    return StringList(ordered)


def split_list(separator: str, text: str) -> StringList:
    """Split a text at each separator into a list (splitList)."""
    return StringList(split_parts(text, separator, -1))


def split(separator: str, text: str) -> StringMap:
    """Split into a map with the keys _0, _1, ..."""
    return _numbered(split_parts(text, separator, -1))


def splitn(separator: str, count: int, text: str) -> StringMap:
    """Split into at most `count` parts, the last with the rest; into all if negative."""
    return _numbered(split_parts(text, separator, count))


def split_parts(text: str, separator: str, count: int) -> list[str]:
    """Split as strings.SplitN does: an empty separator cuts between characters."""
    if count == 0:
        return []
    if separator:
        found = text.count(separator) + 1
        check_items(found if count < 0 else min(found, count))
        return text.split(separator, count - 1 if count > 0 else -1)
    check_items(len(text) if count < 0 else min(len(text), count))
    if 0 < count < len(text):
        return [*text[: count - 1], text[count - 1 :]]
    return list(text)


def _numbered(parts: list[str]) -> StringMap:
    return StringMap({f"_{index}": part for index, part in enumerate(parts)})


def _abbreviate(text: str, offset: int, width: int) -> str:
    size = byte_length(text)
    if size <= width:
        return text
    data = encode(text)
    offset = min(offset, size)
    if size - offset < width - 3:
        offset = size - (width - 3)
    if offset <= 4:
        return decode(data[: width - 3]) + "..."
    if offset + width - 3 < size:
        return "..." + _abbreviate(decode(data[offset:]), 0, width - 3)
    return "..." + decode(data[size - (width - 3) :])


def _wrap(text: str, width: int, separator: str, *, cut_words: bool) -> str:
    width = max(width, 1)
    data = encode(text)
    size = len(data)
    check_length(size + (size // width + data.count(b" ") + 1) * len(separator) if size > width else size)
    out: list[bytes] = []
    offset = 0
    while size - offset > width:
        if data[offset] == 0x20:
            offset += 1
            continue
        space = data.rfind(b" ", offset, offset + width + 1)
        if space < 0:
            if cut_words:
                out.append(data[offset : offset + width])
                offset += width
                continue
            space = data.find(b" ", offset + width)
            if space < 0:
                break
        out.append(data[offset:space])
        offset = space + 1
    out.append(data[offset:])
    return decode(encode(separator).join(out))
