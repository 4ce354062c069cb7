"""Read JSON as encoding/json decodes it into an interface{}: numbers are float64, errors have Go's words."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.text import runes
from krmkit.libraries.go.errors import GoError, GoInputError

_BLANK = " \t\n\r"
_END = "unexpected end of JSON input"
# The cost of reading a JSON text, in steps. The characters are those between values, counted anywhere.
_SIGNS = ",:[{"
_CALL = 20
_SIGN = 4
_CHARACTERS = 16  # of them, for one step
_EXPLAINED = 2  # steps that a character costs which is read again to word an error


def read_json(text: str) -> object:
    """Return nil, bool, float, str, list or dict. Raises GoInputError, and GoError for too deep nesting."""
    import json

    charge(_CALL + _SIGN * sum(map(text.count, _SIGNS)) + len(text) // _CHARACTERS)
    try:
        try:
            data = json.loads(
                text,
                parse_int=_number,
                parse_float=_number,
                parse_constant=_constant,
                object_pairs_hook=_pairs,
            )
        except GoInputError:
            raise
        except ValueError:
            charge(len(text) * _EXPLAINED)
            raise GoInputError(_explain(text)) from None
        return _clean_items(data)
    except RecursionError:
        raise GoError("the JSON text is nested too deeply") from None


def _number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise GoInputError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return number


def _constant(name: str) -> object:
    raise ValueError(name)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    return {runes(key): _clean_items(value) for key, value in pairs}


def _clean_items(value: object) -> object:
    """Clean a string or a list of strings; dict keys and values are cleaned when the dict is made."""
    if isinstance(value, str):
        return runes(value)
    if isinstance(value, list):
        value[:] = [_clean_items(item) for item in value]
    return value


def _explain(text: str) -> str:
    try:
        at = _skip(text, _value(text, _skip(text, 0)))
    except GoInputError as error:
        return str(error)
    return _unexpected(text, at, "after top-level value") if at < len(text) else _END


def _unexpected(text: str, at: int, where: str) -> str:
    if at >= len(text):
        return _END
    char = text[at]
    shown = {"'": "'\\''", '"': "'\"'"}.get(char)
    if shown is None:
        printable = " " <= char < "\x7f"
        shown = f"'{char}'" if printable and char != "\\" else "'\\\\'" if char == "\\" else _quoted(char)
    return f"invalid character {shown} {where}"


def _quoted(char: str) -> str:
    """Quote a character's first byte as a rune, because Go's scanner reads bytes."""
    from krmkit.libraries.go.fmt.printing import quote

    byte = char.encode("utf-8", "surrogateescape")[:1].decode("latin-1")
    return "'" + quote(byte)[1:-1] + "'"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _fail(text: str, at: int, where: str) -> GoInputError:
    return GoInputError(_unexpected(text, at, where))


def _value(text: str, at: int) -> int:
    """Return the offset after the value at `at`. Raises GoInputError at the first fault."""
    char = text[at : at + 1]
    if char == '"':
        return _string(text, at + 1)
    if char in ("[", "{"):
        return _members(text, at, "]" if char == "[" else "}")
    for word in ("true", "false", "null"):
        if char == word[0]:
            for index, expected in enumerate(word):
                if text[at + index : at + index + 1] != expected:
                    raise _fail(text, at + index, f"in literal {word} (expecting '{expected}')")
            return at + len(word)
    if char == "-" or "0" <= char <= "9":
        return _digits(text, at)
    raise _fail(text, at, "looking for beginning of value")


def _digits(text: str, at: int) -> int:
    if text[at] == "-":
        at += 1
        if not "0" <= text[at : at + 1] <= "9":
            raise _fail(text, at, "in numeric literal")
    at = at + 1 if text[at] == "0" else _run(text, at)
    if text[at : at + 1] == ".":
        if not "0" <= text[at + 1 : at + 2] <= "9":
            raise _fail(text, at + 1, "after decimal point in numeric literal")
        at = _run(text, at + 1)
    if text[at : at + 1] in ("e", "E"):
        at += 2 if text[at + 1 : at + 2] in ("+", "-") else 1
        if not "0" <= text[at : at + 1] <= "9":
            raise _fail(text, at, "in exponent of numeric literal")
        at = _run(text, at)
    return at


def _run(text: str, at: int) -> int:
    while "0" <= text[at : at + 1] <= "9":
        at += 1
    return at


def _string(text: str, at: int) -> int:
    while at < len(text):
        char = text[at]
        if char == '"':
            return at + 1
        if char == "\\":
            at += 1
            if text[at : at + 1] == "u":
                for index in range(at + 1, at + 5):
                    if text[index : index + 1] not in tuple("0123456789abcdefABCDEF"):
                        raise _fail(text, index, "in \\u hexadecimal character escape")
            elif text[at : at + 1] not in tuple('"\\/bfnrt'):
                raise _fail(text, at, "in string escape code")
        elif char < " ":
            raise _fail(text, at, "in string literal")
        at += 1
    raise GoInputError(_END)


def _members(text: str, at: int, closing: str) -> int:
    at = _skip(text, at + 1)
    if text[at : at + 1] == closing:
        return at + 1
    while True:
        if closing == "}":
            if text[at : at + 1] != '"':
                raise _fail(text, at, "looking for beginning of object key string")
            at = _skip(text, _string(text, at + 1))
            if text[at : at + 1] != ":":
                raise _fail(text, at, "after object key")
            at = _skip(text, at + 1)
        at = _skip(text, _value(text, at))
        if text[at : at + 1] == closing:
            return at + 1
        if text[at : at + 1] != ",":
            raise _fail(text, at, "after array element" if closing == "]" else "after object key:value pair")
        at = _skip(text, at + 1)
