"""New nodes as text, as Go's yaml.v3 writes them in kpt: quoted only if a reader could be misled.

Strings that a reader of YAML 1.1 or 1.2 would take for another type (`yes`, `010`, `12:30`, `null`) get
double quotes; those that cannot be plain, single quotes; strings of several lines become literal blocks;
strings with unprintable characters get double quotes with escapes. Lines are never wrapped.

Values are Python data: None, bool, int, float, str, list, tuple, dict. Differences from Go:

- The key `<<` is quoted, because it would merge.
- U+2028 and U+2029 are escaped, because YAML 1.1 and 1.2 disagree whether they break lines.
- Long keys and keys of several lines stay on one line, where Go writes `? key`.
- After a leading byte order mark, only what must be is escaped.
- A literal block whose text begins with a tab gets an indentation indicator, which all readers, kpt's
  included, require.
"""

from __future__ import annotations

from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import exponential, go_resolve, positional, shortest

# YAML 1.1 booleans that Go reads as text, but quotes for the sake of other readers.
_OLD_BOOLEANS = frozenset("y Y yes Yes YES on On ON n N no No NO off Off OFF".split())
_WORDS = _OLD_BOOLEANS | frozenset("null Null NULL true True TRUE false False FALSE".split())
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SAFE = _LETTERS | frozenset("0123456789-_./")
_FIRST = frozenset("#,[]{}&*!|>'\"%@`")
_FLOW = frozenset(",?[]{}:")
_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}
# A simple key ends within 1024 characters, or readers do not take it for one.
_LONGEST_KEY = 1000
# Keys, and texts, that are remembered while a value is written.
_MOST_KNOWN = 1000


def after_key(value: object, column: int, wide: bool = False) -> str:
    """Return the text after `key:` for a key at `column`: ` x`, or a line break and a block.

    `wide` indents the dashes of lists by two; otherwise they are in their key's column.
    """
    return _after(value, column, wide, False, ({}, {}))


def after_dash(value: object, column: int, wide: bool = False) -> str:
    """Return the text after `-` for a dash at `column`: ` x`, or ` a: 1` and further lines."""
    return _after(value, column, wide, True, ({}, {}))


def document(value: object, wide: bool = False) -> str:
    """Return a whole document, with its final newline."""
    if value and isinstance(value, (dict, list, tuple)):
        return _block(value, 0, wide, ({}, {})) + "\n"
    return scalar(value, 0) + "\n"


def _block(
    value: dict[object, object] | list[object] | tuple[object, ...],
    column: int,
    wide: bool,
    known: tuple[dict[str, str], dict[str, str]],
) -> str:
    """Return a block collection with its children at `column`, the first line unindented.

    `known`: keys and texts of one line that were written before, because thousands of results repeat words.
    """
    keys, texts = known
    lines = []
    if isinstance(value, dict):
        for name, item in value.items():
            head = keys.get(name) if isinstance(name, str) else None
            if head is None:
                head = key(name)
                if isinstance(name, str) and len(keys) < _MOST_KNOWN:
                    keys[name] = head
            text = texts.get(item) if isinstance(item, str) else None
            lines.append(f"{head}:{text or _after(item, column, wide, False, known)}")
    else:
        lines = ["-" + _after(item, column, wide, True, known) for item in value]
    return ("\n" + " " * column).join(lines)


def _after(
    value: object, column: int, wide: bool, is_entry: bool, known: tuple[dict[str, str], dict[str, str]]
) -> str:
    if isinstance(value, str):
        texts = known[1]
        text = texts.get(value)
        if text is None:
            text = " " + scalar(value, column)
            if len(texts) < _MOST_KNOWN and "\n" not in text:
                texts[value] = text
        return text
    if value and isinstance(value, (dict, list, tuple)):
        if is_entry:
            return " " + _block(value, column + 2, wide, known)
        at = column + 2 if wide or isinstance(value, dict) else column
        return "\n" + " " * at + _block(value, at, wide, known)
    return " " + scalar(value, column)


def key(name: object) -> str:
    """Return a mapping's key, quoted if Go would quote it. Raises YamlError if no reader accepts it."""
    if not isinstance(name, str):
        return scalar(name, 0)
    if _is_word(name) and len(name) <= _LONGEST_KEY:
        return name
    if "\n" in name:
        text = double_quoted(name)
    elif name == "<<":
        text = '"<<"'
    else:
        text = scalar(name, 0)
    if len(text) > _LONGEST_KEY:
        raise YamlError(
            f"the key {name[:40]!r}... has {len(name)} characters; readers take no more than {_LONGEST_KEY}"
        )
    return text


def scalar(value: object, column: int, flow: bool = False) -> str:
    """Return one scalar; several lines become a literal block below a key or dash at `column`.

    Empty collections are accepted as well: `{}`, `[]`.
    """
    if isinstance(value, str):
        if _is_word(value):
            return value
        if _LETTERS.issuperset(value[:1]) and _SAFE.issuperset(value) and value not in _WORDS and value:
            return value
        return _string(value, column, flow)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _float(value) if type(value) is float else str(value)
    if not value and isinstance(value, dict):
        return "{}"
    if not value and isinstance(value, (list, tuple)):
        return "[]"
    raise TypeError(f"a {type(value).__name__} is not a scalar of YAML data")


def _is_word(text: str) -> bool:
    """Return True for letters and digits that every reader takes for a string, as most keys are."""
    return text.isidentifier() and text.isascii() and text[0] != "_" and text not in _WORDS


def double_quoted(text: str) -> str:
    """Return the text in double quotes, with Go's escapes: `\\n`, `\\x7F`, `\\uFEFF`, `\\U0001F600`."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return '"' + text + '"'
    parts = ['"']
    for character in text:
        escape = _ESCAPES.get(character)
        if escape is not None:
            parts.append(escape)
        elif _printable(character):
            parts.append(character)
        else:
            parts.append(_numbered(ord(character)))
    parts.append('"')
    return "".join(parts)


def literal(text: str, column: int, step: int = 2) -> str:
    """Return the text as a literal block below a key or dash at `column`, lines `step` deeper.

    The text must be printable; `scalar` decides whether Go would use this style. There is no final newline.
    """
    header = "|"
    if text[:1] in (" ", "\n", "\t"):
        # Without an indicator the first line's spaces, or the first line with content, would decide the
        # depth; and no reader looks for it in front of a tab.
        if not 1 <= step <= 9:
            step = 2
        header += str(step)
    if not text.endswith("\n"):
        header += "-"
        body = text
    else:
        if text == "\n" or text.endswith("\n\n"):
            header += "+"
        body = text[:-1]
    pad = " " * (column + step)
    lines = [pad + line if line else "" for line in body.split("\n")]
    return header + "\n" + "\n".join(lines)


def is_printable(text: str) -> bool:
    """Return True if single quotes or a literal block can hold the text, apart from breaks and tabs."""
    if text.isascii():
        return text.replace("\n", "").replace("\t", "").isprintable()
    return all(_printable(character) or character in "\n\t" for character in set(text))


# Scalars


def _string(text: str, column: int, flow: bool) -> str:
    """Write a string that may need quotes as yaml.v3 does: first by its meaning, then by the syntax."""
    if not is_printable(text):
        return double_quoted(text)
    if "\n" in text:
        # Spaces at the end of a line would be invisible in a literal block.
        if flow or " \n" in text or text.endswith(" "):
            return double_quoted(text)
        return literal(text, column)
    if (
        go_resolve(text)[0] not in ("str", "merge")
        or text in _OLD_BOOLEANS
        or _is_base_60(text)
        or "\t" in text
    ):
        return double_quoted(text)
    if _is_plain(text, flow):
        return text
    return "'" + text.replace("'", "''") + "'"


def _is_plain(text: str, flow: bool) -> bool:
    """Return True if a printable, non-empty text of one line can be written without quotes."""
    first = text[0]
    if first in _FIRST or first == " " or text[-1] in " :" or text.startswith(("---", "...")):
        return False
    if first in "-?:" and text[1:2] in ("", " "):
        return False
    if ": " in text or " #" in text:
        return False
    return not flow or _FLOW.isdisjoint(text)


def _is_base_60(text: str) -> bool:
    """Return True if YAML 1.1 reads the text as a base 60 number, such as `12:30`."""
    if ":" not in text or text[0] not in "+-0123456789":
        return False
    import re  # few texts begin like one

    return re.fullmatch(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?", text) is not None


def _printable(character: str) -> bool:
    """Return True if yaml.v3 writes the character unescaped: up to U+FFFD, no control or byte order mark."""
    code = ord(character)
    if code < 0xA0:
        return 0x20 <= code <= 0x7E
    if 0xD800 <= code < 0xE000 or code > 0xFFFD:
        return False
    return code not in (0x2028, 0x2029, 0xFEFF)


def _numbered(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        # Half of a pair is not a character; Go reads U+FFFD in its place.
        code = 0xFFFD
    if code <= 0xFF:
        return f"\\x{code:02X}"
    if code <= 0xFFFF:
        return f"\\u{code:04X}"
    return f"\\U{code:08X}"


def _whole(value: int) -> str:
    if value.bit_length() > 14_000:
        raise YamlError("a whole number of more than 4,200 digits cannot be written")
    return int.__repr__(value)


def _float(value: float) -> str:
    """Write the shortest digits that parse to the number, with an exponent below 1e-04 and from 1e+06 on."""
    if str(value) == "nan":
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    digits, exponent = shortest(abs(value))
    text = positional(digits, exponent) if -4 <= exponent < 6 else exponential(digits, exponent)
    return "-" + text if str(value).startswith("-") else text
