"""The types of a schema template's format, `${ipv4}`: one row for each in TYPES."""

from __future__ import annotations

from krmkit.systems.palette.constraints.decimals import is_decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RANGE, OPTIONS = "a range", "options"


class FormatType:
    """A row of TYPES: what values of a type are, and what may follow the colon of a token.

    words: the values, for a message. fits: whether a text is one. native: the kind of scalars that always
    fit. only_text: whether other scalars than texts never fit. pattern: whether `/.../` may follow. brackets:
    what `[...]` holds, RANGE or OPTIONS.
    """

    def __init__(
        self,
        words: str,
        fits: Callable[[str], bool] = bool,
        *,
        native: str = "",
        only_text: bool = False,
        pattern: bool = False,
        brackets: str = "",
    ) -> None:
        self.words = words
        self.fits = fits
        self.native = native
        self.only_text = only_text
        self.pattern = pattern
        self.brackets = brackets


def is_ipv4(text: str) -> bool:
    """Four decimal octets without leading zeros."""
    if len(text) > 15:
        return False
    octets = text.split(".")
    if len(octets) != 4:
        return False
    for octet in octets:
        if not (octet.isascii() and octet.isdigit()) or len(octet) > 3 or (octet[0] == "0" and octet != "0"):
            return False
        if int(octet) > 255:
            return False
    return True


def is_version(text: str) -> bool:
    """Semantic versioning 2.0 with its three numbers; a `v` may come before them."""
    text, plus, build = text.removeprefix("v").partition("+")
    if plus and not _identifiers(build, numbers_plain=False):
        return False
    release, dash, prerelease = text.partition("-")
    if dash and not _identifiers(prerelease, numbers_plain=True):
        return False
    numbers = release.split(".")
    return len(numbers) == 3 and all(_is_number(number) for number in numbers)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text[0] != "0" or text == "0")


def _identifiers(text: str, numbers_plain: bool) -> bool:
    for part in text.split("."):
        if not (part.isascii() and part.replace("-", "0").isalnum()):
            return False
        if numbers_plain and part.isdigit() and not _is_number(part):
            return False
    return True


TYPES = {
    "string": FormatType("a string", only_text=True, pattern=True),
    "number": FormatType("a number", is_decimal, pattern=True, brackets=RANGE),
    "boolean": FormatType(
        "true or false", lambda text: text in ("true", "false"), native="bool", only_text=True
    ),
    "password": FormatType("a string", only_text=True, pattern=True),
    "list": FormatType("one of its options", brackets=OPTIONS),
    "ipv4": FormatType("an IPv4 address (10.0.0.1)", is_ipv4),
    "version": FormatType("a semantic version (1.2.3)", is_version),
}
"""The types of a format. A new type is a new row."""


def listing(names: list[str]) -> str:
    """Return "string, number and password" for `["string", "number", "password"]`."""
    return f"{', '.join(names[:-1])} and {names[-1]}"
