"""Kubernetes quantities (`500m`, `1.5Gi`, `1e9`) in exact integer arithmetic.

The grammar and the smallest unit (1n, finer values round up) are those of k8s.io/apimachinery
`resource.ParseQuantity`. A quantity is an integer number of nano units: of cores for cpu, of bytes for memory
and disk.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError

NANO = 10**9
MILLICORE = 10**6
MEBIBYTE = NANO << 20
GIGABYTE = NANO * 10**9
GIBIBYTE = NANO << 30

LARGEST = (2**63 - 1) * NANO
"""What Kubernetes can hold; more is an error."""
LONGEST = 100
"""Characters of a quantity's text; a longer one is an error."""

# Exponents of ten of the decimal suffixes, and of two of the binary ones.
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS = frozenset("0123456789")


def parse(text: str) -> int:
    """Return the quantity in nano units. Raises GoInputError."""
    if len(text) > LONGEST:
        raise GoInputError(f"a quantity of {len(text)} characters (at most {LONGEST})")
    sign, mantissa, exponent, suffix = _split(text)
    shift = 0
    if suffix in _DECIMAL:
        exponent += _DECIMAL[suffix]
    elif suffix in _BINARY:
        shift = _BINARY[suffix]
    elif suffix[0] in "eE":
        exponent += _exponent(text, suffix[1:])
    else:
        raise GoInputError(f'"{text}" is not a quantity: {_advice(suffix)}')
    return sign * _nano(text, mantissa << shift, exponent + 9)


def from_number(value: int | float) -> int:
    """Return a number (`cpu: 0.5`) in nano units, exact for its shortest decimal form."""
    if isinstance(value, int):
        if abs(value) * NANO > LARGEST:
            raise GoInputError("more than 2^63-1, the most that Kubernetes can hold")
        return value * NANO
    return parse(repr(value))


def in_unit(nano: int, unit: int, up: bool = False) -> str:
    """Write a quantity in a `unit` (MILLICORE, MEBIBYTE, GIGABYTE) with three decimals, cut or rounded up."""
    thousandths, rest = divmod(abs(nano) * 1000, unit)
    if rest and up == (nano > 0):
        thousandths += 1
    whole, part = divmod(thousandths, 1000)
    decimals = f".{part:03d}".rstrip("0").rstrip(".")
    return f"{'-' if nano < 0 and thousandths else ''}{whole}{decimals}"


def _split(text: str) -> tuple[int, int, int, str]:
    """Return sign, digits as an integer, power of ten of the last digit, and suffix."""
    at = 1 if text[:1] in ("+", "-") else 0
    end = _digits(text, at)
    whole = text[at:end]
    part = ""
    if text[end : end + 1] == ".":
        stop = _digits(text, end + 1)
        part = text[end + 1 : stop]
        end = stop
    if not whole and not part:
        raise GoInputError(
            f'"{text}" is not a quantity: it starts with a number, as in 500m (cpu), 0.5, 1Gi (memory), 1e9'
        )
    return -1 if text[0] == "-" else 1, int(whole + part), -len(part), text[end:]


def _digits(text: str, at: int) -> int:
    while at < len(text) and text[at] in _DIGITS:
        at += 1
    return at


def _exponent(text: str, digits: str) -> int:
    unsigned = digits[1:] if digits[:1] in ("+", "-") else digits
    if not unsigned or _digits(unsigned, 0) != len(unsigned):
        raise GoInputError(f'"{text}" is not a quantity: after the e a whole number is expected, as in 1e9')
    return int(digits)


def _nano(text: str, mantissa: int, exponent: int) -> int:
    """Return mantissa x 10^exponent, rounded up, bounded before any large power is computed."""
    if mantissa == 0:
        return 0
    if exponent < -3 * LONGEST:
        return 1
    value = 0
    if exponent < 0:
        value = -(-mantissa // 10**-exponent)
    elif exponent <= len(str(LARGEST)):
        value = mantissa * 10**exponent
    if not 0 < value <= LARGEST:
        raise GoInputError(f'"{text}" is more than 2^63-1, the most that Kubernetes can hold')
    return value


def _advice(suffix: str) -> str:
    known = "n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent"
    near = {known.lower(): known for known in (*_BINARY, "k", "M", "G", "T", "P")}
    lower = suffix.lower()
    for candidate in (lower, lower.removesuffix("b")):
        if candidate in near and near[candidate] != suffix:
            return f'the suffix "{suffix}" is not known; write {near[candidate]} ({known})'
    if suffix.strip() != suffix:
        return "it holds blanks"
    return f'the suffix "{suffix}" is not known ({known})'
