"""Numbers in other bases, and floats with %x and %b, as strconv writes them."""

from __future__ import annotations


def format_number(number: int, base: int, upper: bool = False) -> str:
    """Format a number >= 0 in base 2, 8, 10 or 16."""
    if base == 10:
        return str(number)
    form = {2: "b", 8: "o", 16: "X" if upper else "x"}[base]
    return format(number, form)


def hex_text(number: float, verb: str, precision: int) -> str:
    """Format a finite float by %x (0x1.8p+01), %X (capitals) or %b (6755399441055744p-52)."""
    sign = "-" if str(number)[0] == "-" else ""
    mantissa, exponent = _parts(abs(number))
    if verb == "b":
        return f"{sign}{mantissa}p{exponent:+d}"
    if mantissa == 0:
        digits, power = "0" * max(precision, 0), 0
        lead = 0
    else:
        # One bit in front of the point and 52 behind it.
        while mantissa < 1 << 52:
            mantissa <<= 1
            exponent -= 1
        power = exponent + 52
        if 0 <= precision < 13:
            shift = 52 - 4 * precision
            half = 1 << (shift - 1)
            rest = mantissa & ((1 << shift) - 1)
            mantissa >>= shift
            if rest > half or (rest == half and mantissa & 1):
                mantissa += 1
            mantissa <<= shift
            if mantissa >= 1 << 53:
                mantissa >>= 1
                power += 1
        lead = mantissa >> 52
        digits = f"{mantissa & ((1 << 52) - 1):013x}"
        digits = digits.rstrip("0") if precision < 0 else digits[:precision].ljust(precision, "0")
    point = "." + digits if digits else ""
    text = f"{sign}0x{lead}{point}p{'-' if power < 0 else '+'}{abs(power):02d}"
    return text.upper() if verb == "X" else text


def _parts(number: float) -> tuple[int, int]:
    """Return mantissa and exponent of a float: number == mantissa * 2**exponent."""
    if number == 0:
        return 0, -1074
    mantissa, _, power = number.hex()[2:].partition("p")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction.ljust(13, "0"), 16), int(power) - 52
