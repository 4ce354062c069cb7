"""Write new YAML as kyaml does: Go's yaml.v3 emitter with two blanks of indentation, lists at their key's column.

The choice of quotes follows yaml.v3's encoder and emitter: plain where the text reads back as the same string, also
under YAML 1.1 (`yes`, `1:20`), single quotes where indicators forbid plain, double quotes where the text would resolve
to something else or holds characters that need escapes, a literal block for several lines.
"""

from __future__ import annotations

from krmkit.yaml.scalars import go_resolve

_OLD_BOOLS = frozenset("y Y yes Yes YES on On ON n N no No NO off Off OFF".split())
_FIRST = frozenset("#,[]{}&*!|>'\"%@`")
_BREAKS = frozenset("\n\r\x85\u2028\u2029")
_BLANKS = frozenset(" \t\n\r\x85\u2028\u2029\x00")
_ESCAPES = {
    "\x00": "\\0",
    "\x07": "\\a",
    "\x08": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\x0b": "\\v",
    "\x0c": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


def is_printable(text: str) -> bool:
    """Whether yaml.v3 writes every character as it is: no control characters, no BOM, nothing beyond the BMP."""
    if text.isascii() and text.isprintable():
        return True
    for character in text:
        code = ord(character)
        if not (
            code == 0x0A
            or code == 0x09
            or 0x20 <= code <= 0x7E
            or 0xA0 <= code <= 0xD7FF
            or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)
        ):
            return False
    return True


def scalar(value: object, column: int, flow: bool = False) -> str:
    """One scalar below a key or dash at `column`; strings of several lines become a literal block (not in flow)."""
    if isinstance(value, str):
        return _string(value, column, flow)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    raise TypeError(f"YAML has no scalar for a {type(value).__name__}")


def key(text: str) -> str:
    """A mapping key."""
    return _string(text, 0, flow=False, simple_key=True)


def _string(text: str, column: int, flow: bool, simple_key: bool = False) -> str:
    if not text:
        return '""'
    if "\n" in text:
        if flow or simple_key or not _literal_allowed(text):
            return double_quoted(text)
        return literal(text, column, 2)
    if go_resolve(text)[0] not in ("str", "merge") or text in _OLD_BOOLS or _is_base_60(text):
        return double_quoted(text)
    if text == "<<":
        return double_quoted(text)
    plain, single = _analyse(text, flow)
    if plain:
        return text
    return "'" + text.replace("'", "''") + "'" if single else double_quoted(text)


def _analyse(text: str, flow: bool) -> tuple[bool, bool]:
    """Whether plain and whether single-quoted style can carry a text of one line."""
    if "\t" in text or not is_printable(text) or not _BREAKS.isdisjoint(text):
        return False, False
    if text[0] == " " or text[-1] == " " or text[0] in _FIRST or text[:3] in ("---", "..."):
        return False, True
    if text[0] in "-?:" and (len(text) == 1 or text[1] in _BLANKS):
        return False, True
    if ": " in text or text[-1] == ":" or " #" in text:
        return False, True
    if flow and (text[0] in "?:" or any(character in text for character in ",?[]{}:")):
        return False, True
    return True, True


def _literal_allowed(text: str) -> bool:
    if text[-1] == " " or " \n" in text or "\r" in text or not is_printable(text):
        return False
    return not any(character in text for character in "\x85\u2028\u2029")


def literal(text: str, column: int, indent: int) -> str:
    """A literal block below a key or dash at `column`, its lines `indent` columns deeper.

    The caller has made sure that the text is printable; it must hold more than line breaks.
    """
    header = "|"
    if text[0] in " \n\t":
        header += str(indent)
    if not text.endswith("\n"):
        header += "-"
    elif text.endswith("\n\n") or text == "\n":
        header += "+"
    pad = " " * (column + indent)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return header + "\n" + "\n".join([pad + line if line else "" for line in lines])


def double_quoted(text: str) -> str:
    """A double-quoted scalar on one line, with yaml.v3's escapes."""
    if text.isascii() and text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    parts = ['"']
    for character in text:
        escape = _ESCAPES.get(character)
        if escape is not None:
            parts.append(escape)
        elif is_printable(character):
            parts.append(character)
        else:
            code = ord(character)
            if code <= 0xFF:
                parts.append(f"\\x{code:02X}")
            elif code <= 0xFFFF:
                parts.append(f"\\u{code:04X}")
            else:
                parts.append(f"\\U{code:08X}")
    parts.append('"')
    return "".join(parts)


def _is_base_60(text: str) -> bool:
    """Sexagesimal numbers of YAML 1.1, such as `1:20` and `190:20:30.15`."""
    if ":" not in text or not (text[0] in "+-" or text[0].isdigit()):
        return False
    parts = text.lstrip("+-").split(":") if text[0] in "+-" else text.split(":")
    first = parts[0]
    if not first[:1].isdigit() or not first.replace("_", "").isdigit() or len(text) - len(":".join(parts)) > 1:
        return False
    last, point, fraction = parts[-1].partition(".")
    middle = [*parts[1:-1], last]
    if not all(part.isdigit() and (len(part) == 1 or (len(part) == 2 and part[0] in "012345")) for part in middle):
        return False
    return not point or all(character.isdigit() or character == "_" for character in fraction)


def _float(value: float) -> str:
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    # strconv.FormatFloat(value, 'g', -1, 64): an exponent below 1e-4 and from 1e21 on.
    text = repr(value)
    if "e" not in text:
        return text[:-2] if text.endswith(".0") and abs(value) < 1e21 else text
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa.removesuffix(".0")
    if 0 < int(exponent) < 21:
        return str(int(value))
    return f"{mantissa}e{exponent[0]}{exponent[1:].zfill(2)}"


def after_key(value: object, column: int, wide: bool = False) -> str:
    """What follows `key:`, where `column` is the key's: ` x`, or a line break and a block without final newline."""
    if isinstance(value, dict) and value:
        return "\n" + _mapping(value, column + 2, wide)
    if isinstance(value, (list, tuple)) and value:
        return "\n" + _sequence(value, column + 2 if wide else column, wide)
    return " " + (_empty(value) or scalar(value, column))


def after_dash(value: object, column: int, wide: bool = False) -> str:
    """What follows `-`, where `column` is the dash's."""
    if isinstance(value, dict) and value:
        return " " + _mapping(value, column + 2, wide)[column + 2 :]
    if isinstance(value, (list, tuple)) and value:
        return " " + _sequence(value, column + 2, wide)[column + 2 :]
    return " " + (_empty(value) or scalar(value, column))


def _empty(value: object) -> str:
    if isinstance(value, dict):
        return "{}"
    return "[]" if isinstance(value, (list, tuple)) else ""


def _mapping(value: dict[str, object], column: int, wide: bool) -> str:
    pad = " " * column
    return "\n".join([f"{pad}{key(name)}:{after_key(item, column, wide)}" for name, item in value.items()])


def _sequence(value: list[object] | tuple[object, ...], column: int, wide: bool) -> str:
    pad = " " * column
    return "\n".join([f"{pad}-{after_dash(item, column, wide)}" for item in value])


def flow(value: object) -> str:
    """The one-line flow form: `{a: 1, b: [x, "y"]}`."""
    if isinstance(value, dict):
        return "{" + ", ".join([f"{scalar(name, 0, True)}: {flow(item)}" for name, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([flow(item) for item in value]) + "]"
    return scalar(value, 0, True)


def document(value: object, wide: bool = False) -> str:
    """A whole document with its final newline."""
    if isinstance(value, dict) and value:
        return _mapping(value, 0, wide) + "\n"
    if isinstance(value, (list, tuple)) and value:
        return _sequence(value, 0, wide) + "\n"
    return (_empty(value) or scalar(value, -2)) + "\n"
