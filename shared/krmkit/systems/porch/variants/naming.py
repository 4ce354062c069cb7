"""Names that Porch makes: of pipeline functions of a variant, and of the variants of a set."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.numbers import atoi

_PREFIX = "PackageVariant"
_LONGEST = 63
_HASH = 8
_LABEL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def function_name(variant: str, function: str, position: int) -> str:
    """The name of a variant's function in the Kptfile: `PackageVariant.<variant>.<function>.<position in its list>`."""
    return f"{_PREFIX}.{variant}.{function}.{position}"


def is_function_of(variant: str, name: str) -> bool:
    """Return whether the variant added a pipeline function of this name.

    A dot in either name gives more than four parts, and the function is not recognised.
    """
    parts = name.split(".")
    return len(parts) == 4 and parts[0] == _PREFIX and parts[1] == variant and is_atoi(parts[3])


def is_atoi(text: str) -> bool:
    """Return whether Go's strconv.Atoi accepts the text: one sign at most, ASCII digits, within 64 bits."""
    try:
        atoi(text)
    except GoInputError:
        return False
    return True


def variant_identifier(set_name: str, repo: str, package: str) -> str:
    """Return the identity of a variant: its set, downstream repository and downstream package."""
    return f"{set_name}-{repo}-{package}"


def variant_name(identifier: str) -> str:
    """The object's name: the identifier, or from 64 bytes on its first 54 and eight hex digits of its SHA-1."""
    data = identifier.encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST:
        return identifier
    from hashlib import sha1

    digest = sha1(data, usedforsecurity=False).hexdigest()[:_HASH]
    return data[: _LONGEST - _HASH - 1].decode("utf-8", "replace") + "-" + digest


def is_dns_label(name: str) -> bool:
    """Return whether the API server accepts the name for objects and for labels: [a-z0-9-], at most 63, no dash at the ends."""
    return 0 < len(name) <= _LONGEST and name[0] != "-" and name[-1] != "-" and _LABEL.issuperset(name)
