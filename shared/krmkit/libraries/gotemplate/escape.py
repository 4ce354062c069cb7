"""The escaping functions html, js and urlquery. They escape what print writes; nil is <no value>."""

from __future__ import annotations

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.go.core.work import charge, charge_text
from krmkit.libraries.go.fmt import printing

_HTML = {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
_QUERY_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_QUERY = [
    chr(code) if code in _QUERY_SAFE else "+" if code == 0x20 else f"%{code:02X}" for code in range(256)
]


def _text(values: tuple[object, ...]) -> str:
    return printing.sprint(*["<no value>" if value is None else value for value in values])


def _bounded(text: str) -> str:
    if len(text) > printing.MAX_LENGTH:
        raise printing.too_long()
    return charge_text(text)


def escape_html(*values: object) -> str:
    """Escape for HTML, inside quotes as well."""
    text = _text(values)
    charge(len(text) // 4)
    return _bounded(text.translate({ord(char): to for char, to in _HTML.items()}))


def escape_js(*values: object) -> str:
    """Escape for a JavaScript string."""
    text = _text(values)
    charge(len(text))
    return _bounded("".join(map(_js_char, text)))


def _js_char(char: str) -> str:
    known = _JS.get(char)
    if known is not None:
        return known
    if " " <= char <= "~":
        return char
    if "\udc80" <= char <= "\udcff":
        return char  # a stray byte stays
    if char <= "\x7f":
        return char if char == "\x7f" else f"\\u{ord(char):04X}"
    return char if char.isprintable() else f"\\u{ord(char):04X}"


def escape_query(*values: object) -> str:
    """Escape for the query of a URL; a blank becomes +."""
    text = _text(values)
    charge(len(text) // 4)
    return _bounded("".join([_QUERY[code] for code in encode(text)]))
