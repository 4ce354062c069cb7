"""Find the forms of a secret text in an output, and replace them.

SecretForms({"hunter22": "(secret a/b)"}).replaced("x-hunter22", str)   # "x-(secret a/b)"
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable

from krmkit.krm.secretwords import is_plain_word, stands_alone
from krmkit.libraries.go.fmt.printing import format_float

SHORTEST = 4
_DIGESTS = ("md5", "sha1", "sha256", "sha512")
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_PLAIN_IN_PATHS = _PLAIN | frozenset(b"$&+,:;=@")
"""What Go's net/url leaves as it is."""
_SHORTEST_INSIDE = 8
"""The fewest bytes of a text that is looked for inside of base64: what a shorter one leaves is too common."""


def forms(value: str) -> set[str]:
    """Return the forms of a text that reveal it: letter case, quoted, base64, hex, digests.

    In base64 of a longer text, the value's first and last characters depend on its position: the part between
    is a form, too.
    """
    found: set[str] = set()
    for one in {value, value.upper(), value.lower()}:
        quoted = json.dumps(one)[1:-1]
        found |= {one, quoted, json.dumps(one, ensure_ascii=False)[1:-1], quoted.replace("'", "''")}
        found.add(quoted.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # Go's JSON
        data = one.encode("utf-8", "surrogateescape")
        whole = b64encode(data).decode()
        plain = {whole, whole.rstrip("=")}
        if len(data) >= _SHORTEST_INSIDE:
            plain |= {_inside(data, before) for before in range(3)}
        found |= {data.hex(), data.hex().upper(), *_in_addresses(data)}
        for name in _DIGESTS:
            digest = hashlib.new(name, data, usedforsecurity=False)
            found |= {digest.hexdigest(), b64encode(digest.digest()).decode()}
        found |= plain | {form.replace("+", "-").replace("/", "_") for form in plain}
    return {one for one in found if len(one) >= SHORTEST}


def number_forms(value: float) -> list[str]:
    """Return a number as YAML, JSON and Go's templates print it: 12345678 is also 1.2345678e+07."""
    found = [str(value), format_float(float(value))] if abs(value) < 1e300 else [str(value)]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e18:
        found.append(str(int(value)))
    return [one for one in dict.fromkeys(found) if len(one) >= SHORTEST]


def _in_addresses(data: bytes) -> set[str]:
    query = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in data)
    path = "".join(chr(byte) if byte in _PLAIN_IN_PATHS else f"%{byte:02X}" for byte in data)
    return {query, query.replace("%20", "+"), path, path.replace("%2F", "/"), query.replace("%2F", "/")}


def _inside(data: bytes, before: int) -> str:
    """Return the base64 characters that these bytes alone determine, after `before` bytes (modulo 3)."""
    coded = b64encode(b"\0" * before + data).decode().rstrip("=")
    first = (before * 8 + 5) // 6
    return coded[first : (before + len(data)) * 8 // 6]


class SecretForms:
    """Texts with placeholders, found in one pass by first character, the longest first."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        lengths: dict[str, set[int]] = {}
        for one in known:
            lengths.setdefault(one[:SHORTEST], set()).add(len(one))
        self._lengths = {start: sorted(sizes, reverse=True) for start, sizes in lengths.items()}

    def replaced(self, value: str, said: Callable[[str], str], message: bool = False) -> str:
        """Replace each secret form by `said(placeholder)`.

        In a message, a short secret is replaced only as a whole word: "blue" stays in "blueprint".
        """
        known, lengths = self.known, self._lengths
        out: list[str] = []
        end = 0
        for at in range(len(value) - SHORTEST + 1) if lengths else ():
            if at >= end and (start := value[at : at + SHORTEST]) in lengths:
                for size in lengths[start]:
                    form = value[at : at + size]
                    if form in known and not (
                        message and is_plain_word(form) and not stands_alone(value, at, at + size)
                    ):
                        out += [value[end:at], said(known[form])]
                        end = at + size
                        break
        return "".join([*out, value[end:]]) if out else value
