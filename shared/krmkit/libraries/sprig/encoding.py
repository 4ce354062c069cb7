"""Base64 and base32 with Go's error positions, and checksums. Decoders return an error as text."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import decode, encode
from krmkit.libraries.go.errors import GoInputError

_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BASE32 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_NEWLINES = b"\r\n"
_PAD = ord("=")


def base64_encode(text: str) -> str:
    """Encode a text in base64 with padding (b64enc)."""
    from binascii import b2a_base64

    return b2a_base64(encode(text), newline=False).decode("ascii")


def base64_decode(text: str) -> str:
    """Decode base64; return the error's text, as sprig does, if it is malformed (b64dec)."""
    try:
        return decode(decode_base64(text))
    except GoInputError as error:
        return str(error)


def base32_encode(text: str) -> str:
    """Encode a text in base32 with padding (b32enc)."""
    from base64 import b32encode

    charge(len(text) // 2)
    return b32encode(encode(text)).decode("ascii")


def base32_decode(text: str) -> str:
    """Decode base32; return the error's text, as sprig does, if it is malformed (b32dec)."""
    digits = encode(text).translate(None, _NEWLINES)
    try:
        used = _base32_length(digits)
    except GoInputError as error:
        return str(error)
    from base64 import b32decode

    return decode(b32decode(digits[:used]))


def decode_base64(text: str) -> bytes:
    """Decode as base64.StdEncoding.DecodeString does. Raises GoInputError."""
    from binascii import Error, a2b_base64

    data = encode(text)
    try:
        return a2b_base64(data.translate(None, _NEWLINES), strict_mode=True)
    except Error:
        charge(len(data))
        raise GoInputError(f"illegal base64 data at input byte {_base64_problem(data)}") from None


def _base64_problem(data: bytes) -> int:
    """Return the offset that Go reports: quanta of four, padding only at the end, newlines ignored."""
    at, end, count = 0, len(data), 0
    while at < end:
        byte = data[at]
        at += 1
        if byte in _BASE64:
            count = (count + 1) % 4
        elif byte == _PAD:
            return _padding_problem(data, at, count)
        elif byte not in _NEWLINES:
            return at - 1
    return at - count


def _padding_problem(data: bytes, at: int, count: int) -> int:
    """Check from the first padding sign on; its quantum has `count` digits before it."""
    if count < 2:
        return at - 1
    if count == 2:
        at = _skip_newlines(data, at)
        if at == len(data):
            return at
        if data[at] != _PAD:
            return at - 1
        at += 1
    return _skip_newlines(data, at)


def _skip_newlines(data: bytes, at: int) -> int:
    while at < len(data) and data[at] in _NEWLINES:
        at += 1
    return at


def _base32_length(digits: bytes) -> int:
    """Return how many digits Go decodes: it stops at padding, and ignores what follows its quantum."""
    end = len(digits)
    charge(end)
    for at in range(0, end, 8):
        for index, byte in enumerate(digits[at : at + 8]):
            place = at + index
            if byte == _PAD and index >= 2 and end - place <= 8:
                if end - at < 8:
                    raise _corrupt32(end)
                wrong = next((i for i in range(place + 1, at + 8) if digits[i] != _PAD), 0)
                if wrong:
                    raise _corrupt32(wrong - 1)
                if index in (3, 6):  # whole bytes never end here
                    raise _corrupt32(place)
                return at + 8
            if byte not in _BASE32:
                raise _corrupt32(place)
        if end - at < 8:
            raise _corrupt32(at)
    return end


def _corrupt32(offset: int) -> GoInputError:
    return GoInputError(f"illegal base32 data at input byte {offset}")


def _sum(algorithm: str) -> Callable[[str], str]:
    def sum_of(text: str) -> str:
        import hashlib

        return hashlib.new(algorithm, encode(text), usedforsecurity=False).hexdigest()

    return sum_of


# sha1sum, sha256sum and sha512sum, in hex.
sha1_sum, sha256_sum, sha512_sum = _sum("sha1"), _sum("sha256"), _sum("sha512")


def adler32_sum(text: str) -> str:
    """Return the checksum in decimal."""
    from zlib import adler32

    return str(adler32(encode(text)))
