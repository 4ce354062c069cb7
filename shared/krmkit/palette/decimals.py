"""Numbers in decimal form, compared exactly and without computing large powers: `12`, `-0.5`, `1e9`."""

from __future__ import annotations

_DIGITS = frozenset("0123456789")
_LARGEST_EXPONENT = 10**18


class Decimal:
    """A decimal number: 0.DIGITS x 10^exponent, `digits` without zeros at either end ("" is zero)."""

    __slots__ = ("digits", "exponent", "negative", "text")

    def __init__(self, text: str, negative: bool, digits: str, exponent: int) -> None:
        self.text = text
        self.negative = negative
        self.digits = digits
        self.exponent = exponent

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        """`[+-]?(d+(.d*)?|.d+)([eE][+-]?d+)?`, or None where the text has another form."""
        if not text or scan(text, 0) != len(text):
            return None
        mantissa, _, exponent = text.replace("E", "e").partition("e")
        negative = mantissa[0] == "-"
        whole, _, part = mantissa.lstrip("+-").partition(".")
        digits = (whole + part).lstrip("0")
        shift = len(digits) - len(part)
        digits = digits.rstrip("0")
        if not digits:
            return cls(text, False, "", 0)
        return cls(text, negative, digits, shift + _exponent(exponent))

    def __str__(self) -> str:
        return self.text

    def __le__(self, other: Decimal) -> bool:
        return not other < self

    def __lt__(self, other: Decimal) -> bool:
        if self._sign() != other._sign():
            return self._sign() < other._sign()
        mine, theirs = (self.exponent, self.digits), (other.exponent, other.digits)
        return theirs < mine if self.negative else mine < theirs

    def _sign(self) -> int:
        return 0 if not self.digits else -1 if self.negative else 1


def scan(text: str, at: int) -> int:
    """The offset behind the number that starts at `at`; `at` itself where none does."""
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


def _exponent(text: str) -> int:
    """Bounded: no two numbers that people write differ beyond."""
    digits = text.lstrip("+-").lstrip("0")
    if not digits:
        return 0
    value = _LARGEST_EXPONENT if len(digits) > 18 else int(digits)
    return -value if text[0] == "-" else value
