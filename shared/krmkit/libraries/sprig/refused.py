"""Functions that need a clock, chance, the network or fresh keys; they fail.

A KRM function must give equal output for equal input.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoError

_SAME = "and the same input must give the same output"
_RANDOM = f"it is random, {_SAME}; pass the value in as a variable instead"
_KEYS = f"it makes a new key or salt each time, {_SAME}; make it once outside, keep it in a Secret, and pass it in"


def no_clock(reason: str) -> GoError:
    """Return the error of a function that needs the current time."""
    return GoError(f"{reason}; there is no clock, {_SAME}: pass the time in as a variable, as int64 seconds or "
                       "through toDate")  # fmt: skip


def now() -> object:
    """Refuse now."""
    raise no_clock("it is the current time")


def ago(_: object) -> object:
    """Refuse ago."""
    raise no_clock("it is the time that has passed until now")


def random(*_: object) -> object:
    """Refuse randInt, randAlpha, randAlphaNum, randAscii, randNumeric, randBytes, uuidv4."""
    raise GoError(_RANDOM)


def shuffle(text: str) -> str:
    """Refuse shuffle, except for a text of one repeated character."""
    if len(set(text)) > 1:
        raise GoError(_RANDOM)
    return text


def keys(*_: object) -> object:
    """Refuse genCA, genCAWithKey, genSelfSignedCert, genSignedCert ..., bcrypt, encryptAES."""
    raise GoError(_KEYS)


def private_key(kind: str) -> str:
    """Refuse genPrivateKey; return sprig's text for an unknown type."""
    if kind not in ("", "rsa", "dsa", "ecdsa", "ed25519"):
        return f"Unknown type {kind}"
    raise GoError(_KEYS)


def host_by_name(_: object) -> object:
    """Refuse getHostByName, which asks a name server."""
    raise GoError(f"it asks the network, {_SAME}; pass the address in as a variable instead")
