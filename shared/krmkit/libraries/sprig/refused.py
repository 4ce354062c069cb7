"""Functions whose result depends on a clock, on chance, on the network or on fresh keys: they fail, and say why.

A KRM function has to yield the same output for the same input, so none of these can be offered.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoError

_SAME = "and the same input must give the same output"
_RANDOM = f"it is random, {_SAME}; pass the value in as a variable instead"
_KEYS = f"it makes a new key or salt each time, {_SAME}; make it once outside, keep it in a Secret, and pass it in"


def no_clock(reason: str) -> GoError:
    """The error of what needs the current time."""
    return GoError(f"{reason}; there is no clock, {_SAME}: pass the time in as a variable, as int64 seconds or "
                       "through toDate")  # fmt: skip


def now() -> object:
    """now."""
    raise no_clock("it is the current time")


def ago(_: object) -> object:
    """ago."""
    raise no_clock("it is the time that has passed until now")


def random(*_: object) -> object:
    """randInt, randAlpha, randAlphaNum, randAscii, randNumeric, randBytes, uuidv4."""
    raise GoError(_RANDOM)


def shuffle(text: str) -> str:
    """shuffle: only a text whose characters are all the same comes out as it went in."""
    if len(set(text)) > 1:
        raise GoError(_RANDOM)
    return text


def keys(*_: object) -> object:
    """genCA, genCAWithKey, genSelfSignedCert, genSignedCert ..., bcrypt, encryptAES."""
    raise GoError(_KEYS)


def private_key(kind: str) -> str:
    """genPrivateKey: an unknown type is a text, as in sprig."""
    if kind not in ("", "rsa", "dsa", "ecdsa", "ed25519"):
        return f"Unknown type {kind}"
    raise GoError(_KEYS)


def host_by_name(_: object) -> object:
    """getHostByName."""
    raise GoError(f"it asks the network, {_SAME}; pass the address in as a variable instead")
