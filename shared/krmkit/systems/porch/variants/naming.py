"""Make Porch's names: for a variant's pipeline functions, and for a set's variants."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi

_PREFIX = "PackageVariant"
_LONGEST = 63
_HASH = 8


def function_name(variant: str, function: str, position: int) -> str:
    """Return a function's name: `PackageVariant.<variant>.<function>.<position in its list>`."""
    return f"{_PREFIX}.{variant}.{function}.{position}"


def is_function_of(variant: str, name: str) -> bool:
    """Return whether a pipeline function of this name was added by the variant.

    A dot in either name gives more than four parts, and the function is not recognised. The last part must be
    a number for Go's Atoi.
    """
    parts = name.split(".")
    if len(parts) != 4 or parts[:2] != [_PREFIX, variant]:
        return False
    try:
        atoi(parts[3])
    except GoInputError:
        return False
    return True


def variant_identifier(set_name: str, repo: str, package: str) -> str:
    """Return the identity of a variant: its set, downstream repository and downstream package."""
    return f"{set_name}-{repo}-{package}"


def variant_name(identifier: str) -> str:
    """Return the identifier as an object's name; from 64 bytes on, 54 of them and 8 hex digits of SHA-1."""
    data = identifier.encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST:
        return identifier
    from hashlib import sha1

    digest = sha1(data, usedforsecurity=False).hexdigest()[:_HASH]
    return data[: _LONGEST - _HASH - 1].decode("utf-8", "replace") + "-" + digest
