"""Numbers in decimal form, `12`, `-0.5`, `1e9`, as decimal.Decimal, which compares them exactly."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal


_DIGITS = frozenset("0123456789")
_LARGEST_EXPONENT = "9" * 17


def parse_decimal(text: str) -> Decimal | None:
    """`[+-]?(d+(.d*)?|.d+)([eE][+-]?d+)?`, or None where the text has another form."""
    if not is_decimal(text):
        return None
    from decimal import Decimal, InvalidOperation

    try:
        return Decimal(text)
    except InvalidOperation:
        # The exponent is beyond what Decimal holds. No two numbers that people write differ there.
        mantissa, _, exponent = text.replace("E", "e").partition("e")
        return Decimal(f"{mantissa}e{'-' if exponent[0] == '-' else ''}{_LARGEST_EXPONENT}")


def is_decimal(text: str) -> bool:
    """Return whether the whole text is a number in decimal form."""
    return text != "" and scan(text, 0) == len(text)


def scan(text: str, at: int) -> int:
    """Return the offset behind the number that starts at `at`; `at` itself where none does."""
    end = at + (text[at : at + 1] in ("+", "-"))
    whole = _run(text, end)
    stop = whole
    if text[whole : whole + 1] == ".":
        stop = _run(text, whole + 1)
    if stop - end <= (stop > whole):
        return at
    if text[stop : stop + 1] in ("e", "E"):
        digits = stop + 1 + (text[stop + 1 : stop + 2] in ("+", "-"))
        last = _run(text, digits)
        if last > digits:
            return last
    return stop


def _run(text: str, at: int) -> int:
    while at < len(text) and text[at] in _DIGITS:
        at += 1
    return at
