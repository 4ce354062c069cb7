"""Literals of templates: Go's quoted strings, character constants and numbers."""

from __future__ import annotations

from krmkit.libraries.go.core.cast import parse_float, parse_integer
from krmkit.libraries.go.core.values import decode, encode
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote

_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_LENGTHS = {"x": 2, "u": 4, "U": 8}
_INT_MIN, _INT_MAX, _UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


def unquote(text: str) -> str:
    """Read a string in double quotes or backquotes, as strconv.Unquote does. Raises GoInputError."""
    if text[0] == "`":
        return text[1:-1].replace("\r", "")
    body = text[1:-1]
    if "\\" not in body:
        return body
    out: list[str] = []
    at = 0
    while at < len(body):
        piece, at = _unquote_char(body, at, '"')
        out.append(piece)
    joined = "".join(out)
    return joined if joined.isascii() else decode(encode(joined))


def _unquote_char(text: str, at: int, mark: str) -> tuple[str, int]:
    """Read a character or an escape; a byte above 127 becomes a surrogate, as in surrogateescape."""
    char = text[at]
    if char == mark:
        raise GoInputError("invalid syntax")
    if char != "\\":
        return char, at + 1
    escape = text[at + 1 : at + 2]
    if escape in _SIMPLE and escape:
        return _SIMPLE[escape], at + 2
    if escape == mark:
        return mark, at + 2
    if escape in _LENGTHS:
        digits = text[at + 2 : at + 2 + _LENGTHS[escape]]
        if len(digits) < _LENGTHS[escape] or not _HEX.issuperset(digits):
            raise GoInputError("invalid syntax")
        code = int(digits, 16)
        at += 2 + len(digits)
        if escape == "x":
            return _byte(code), at
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise GoInputError("invalid syntax")
        return chr(code), at
    digits = text[at + 1 : at + 4]
    if len(digits) == 3 and _OCTAL.issuperset(digits) and int(digits, 8) < 256:
        return _byte(int(digits, 8)), at + 4
    raise GoInputError("invalid syntax")


def _byte(code: int) -> str:
    return chr(code) if code < 128 else chr(0xDC00 + code)


def rune(text: str) -> int:
    """Return the number of a character constant such as 'a'. Raises GoInputError."""
    body = text[1:]
    if body == "'":
        raise GoInputError("invalid syntax")
    char, at = _unquote_char(body, 0, "'")
    if body[at:] != "'":
        raise GoInputError(f"malformed character constant: {text}")
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        # An escaped byte counts as itself, a stray one in the text as what replaces it.
        return code - 0xDC00 if body[0] == "\\" else 0xFFFD
    return code


class Number:
    """A number in each type that can represent it, else None; `text` is its source."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.int: int | None = None
        self.uint: int | None = None
        self.float: float | None = None
        self.complex: complex | None = None

    def ideal(self) -> object:
        """Return an int, float or complex, by the number's form; None if an int overflows."""
        if self.complex is not None:
            return self.complex
        text = self.text
        if (
            self.float is not None
            and text[0] != "'"
            and not _is_hex_int(text)
            and any(char in text for char in ".eEpP")
        ):
            return self.float
        return self.int


def _is_hex_int(text: str) -> bool:
    return len(text) > 2 and text[0] == "0" and text[1] in "xX" and "p" not in text and "P" not in text


def number(text: str, is_char: bool = False, is_complex: bool = False) -> Number:
    """Read a number. Raises GoInputError."""
    found = Number(text)
    if is_char:
        found.int = found.uint = rune(text)
        found.float = float(found.int)
        return found
    if is_complex or text.endswith("i"):
        _set_complex(found, text)
        return found
    whole = parse_integer(text)
    if whole is not None:
        if whole >= 0 and text[0] not in "+-" and whole <= _UINT_MAX or whole == 0:
            found.uint = whole
        if _INT_MIN <= whole <= _INT_MAX:
            found.int = whole
    if found.int is not None:
        found.float = float(found.int)
    elif found.uint is not None:
        found.float = float(found.uint)
    else:
        real = parse_float(text)
        if real is not None:
            if not any(char in text for char in ".eEpP"):
                raise GoInputError(f"integer overflow: {quote(text)}")
            found.float = real
            _set_integers(found, real)
    if found.int is None and found.uint is None and found.float is None:
        raise GoInputError(f"illegal number syntax: {quote(text)}")
    return found


def _set_integers(found: Number, real: float) -> None:
    if real == real // 1 and abs(real) <= 2.0**64:
        if _INT_MIN <= real < 2.0**63:
            found.int = int(real)
        if 0 <= real < 2.0**64:
            found.uint = int(real)


def _set_complex(found: Number, text: str) -> None:
    body = text[:-1]
    split = 0
    for at in range(len(body) - 1, 0, -1):
        if body[at] in "+-" and body[at - 1] not in "eEpP":
            split = at
            break
    real = parse_float(body[:split]) if split else 0.0
    imaginary = parse_float(body[split:])
    if real is None or imaginary is None:
        raise GoInputError(f"illegal number syntax: {quote(text)}")
    found.complex = complex(real, imaginary)
    if imaginary == 0:
        found.float = real
        _set_integers(found, real)
