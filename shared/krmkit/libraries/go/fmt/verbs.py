"""Print a value by one verb of fmt.Sprintf, with flags, width and precision."""

from __future__ import annotations

from krmkit.libraries.go.core import values
from krmkit.libraries.go.core.values import ABSENT, GoInt, GoObject
from krmkit.libraries.go.core.work import charge
from krmkit.libraries.go.fmt import printing
from krmkit.libraries.go.fmt.numerals import format_number, hex_text

_INTEGER_VERBS = {"v": 10, "d": 10, "b": 2, "o": 8, "O": 8, "x": 16, "X": 16}
_FLOAT_VERBS = frozenset("vbgGxXfFeE")


class ValuePrinter:
    """Print values with one directive's flags; `out` collects the text, `budget` limits it."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.budget = printing.Budget()
        self.erroring = False
        self.clear()

    def clear(self) -> None:
        """Reset flags, width and precision."""
        self.sharp = self.zero = self.plus = self.minus = self.space = self.sharp_v = False
        self.width = self.precision = -1
        self.good = True

    def write(self, text: str) -> None:
        self.out.append(self.budget.take(text))

    def argument(self, value: object, verb: str, depth: int = 0) -> None:
        """Write one value by one verb."""
        if value is None or value is ABSENT:
            if depth:
                self.write("interface {}(nil)" if self.sharp_v else "<nil>")
            elif verb in ("T", "v"):
                self.pad("<nil>")
            else:
                self.bad(verb, value)
        elif verb == "T" and not depth:
            self.text(values.type_of(value))
        elif isinstance(value, str):
            self.string(value, verb)
        elif isinstance(value, bool):
            if verb in ("t", "v"):
                self.pad("true" if value else "false")
            else:
                self.bad(verb, value)
        elif isinstance(value, int):
            self.integer(int(value), verb, value, isinstance(value, GoInt) and not value.signed)
        elif isinstance(value, float):
            self.floating(value, verb, value)
        elif verb == "w" and isinstance(value, (list, dict, GoObject)):
            self.bad(verb, value)  # %w is for errors alone, and refuses a list as a whole
        elif isinstance(value, (list, dict)):
            self.composite(value, verb, depth)
        elif isinstance(value, GoObject):
            self.go_object(value, verb)
        elif isinstance(value, complex) and verb in _FLOAT_VERBS:
            plus = self.plus
            self.write("(")
            self.floating(value.real, verb, value)
            self.plus = True
            self.floating(value.imag, verb, value)
            self.plus = plus
            self.write("i)")
        else:
            self.bad(verb, value)

    def bad(self, verb: str, value: object) -> None:
        """Write Go's mark for a verb that does not fit the value."""
        if value is None or value is ABSENT:
            self.write(f"%!{verb}(<nil>)")
            return
        erroring = self.erroring
        self.erroring = True
        self.write(f"%!{verb}({values.type_of(value)}=")
        if isinstance(value, complex):
            self.write(printing.go_print_value(value))
        else:
            self.argument(value, "v")
        self.write(")")
        self.erroring = erroring

    def go_object(self, value: GoObject, verb: str) -> None:
        if verb in "vsxXq" and not (self.erroring and hasattr(value, "__int__")):
            self.string(value.go_string(), "s" if verb == "v" else verb)
        elif hasattr(value, "__int__"):
            self.integer(int(value), verb, value, False)
        elif self.erroring:
            self.write(value.go_string())
        else:
            self.bad(verb, value)

    def composite(self, value: list[object] | dict[str, object], verb: str, depth: int) -> None:
        if depth >= printing.MAX_DEPTH:
            raise printing.too_deep()
        charge(1 + len(value) * 4)
        if isinstance(value, values.ByteList) and verb in "sqxX":
            data = bytes([item & 0xFF for item in value if isinstance(item, int)])
            self.string(data.decode("utf-8", "surrogateescape"), verb)
            return
        if verb == "p":
            self.pad("0x0")
            return
        between = ", " if self.sharp_v else " "
        if self.sharp_v:
            if isinstance(value, values.GoList) and value.is_nil:
                self.write(f"{values.type_of(value)}(nil)")
                return
            self.write(values.type_of(value) + "{")
        else:
            self.write("map[" if isinstance(value, dict) else "[")
        if isinstance(value, dict):
            for at, key in enumerate(values.sorted_keys(value)):
                if at:
                    self.write(between)
                self.string(key, verb)
                self.write(":")
                self.argument(value[key], verb, depth + 1)
        else:
            for at, item in enumerate(value):
                if at:
                    self.write(between)
                self.argument(item, verb, depth + 1)
        self.write("}" if self.sharp_v else "]")

    def pad(self, text: str) -> None:
        """Write a text, padded to the width in characters."""
        missing = self.width - len(text)
        if missing <= 0:
            self.write(text)
        elif self.minus:
            self.write(text + " " * missing)
        else:
            self.write(("0" if self.zero else " ") * missing + text)

    def text(self, text: str) -> None:
        self.pad(text[: self.precision] if self.precision >= 0 else text)

    def string(self, value: str, verb: str) -> None:
        if verb == "s" or (verb == "v" and not self.sharp_v):
            self.text(value)
        elif verb in ("q", "v"):
            if verb == "q" and self.precision >= 0:
                value = value[: self.precision]
            if (self.sharp or self.sharp_v) and printing.can_backquote(value) and not self.sharp_v:
                self.pad(f"`{value}`")
            else:
                self.pad(printing.quote(value, self.plus))
        elif verb in ("x", "X"):
            self.hexadecimal(values.encode(value), verb)
        else:
            self.bad(verb, value)

    def hexadecimal(self, data: bytes, verb: str) -> None:
        """Write bytes by %x, with a blank between them if the flag says so."""
        if self.precision >= 0:
            data = data[: self.precision]
        prefix = "0" + verb if self.sharp else ""
        digits = data.hex()
        if verb == "X":
            digits = digits.upper()
        if self.space:
            pairs = [prefix + digits[at : at + 2] for at in range(0, len(digits), 2)]
            text = " ".join(pairs)
        else:
            text = prefix + digits if digits else ""
        missing = self.width - len(text)
        fill = ("0" if self.zero and not self.minus else " ") * max(missing, 0)
        self.write(text + fill if self.minus else fill + text)

    def integer(self, number: int, verb: str, value: object, unsigned: bool) -> None:
        base = _INTEGER_VERBS.get(verb)
        if base is None:
            self.character(number, verb, value)
            return
        if verb == "v" and self.sharp_v and unsigned:
            self.write(f"{number:#x}")
            return
        precision = self.precision
        if precision == 0 and number == 0:
            self.write(" " * max(self.width, 0))
            return
        if precision < 0 and self.zero and not self.minus:
            precision = self.width - (number < 0 or self.plus or self.space)
        digits = format_number(abs(number), base, verb == "X").rjust(precision, "0")
        if self.sharp:
            if base == 2:
                digits = "0b" + digits
            elif base == 8 and digits[0] != "0":
                digits = "0" + digits
            elif base == 16:
                digits = "0" + verb + digits
        if verb == "O":
            digits = "0o" + digits
        sign = "-" if number < 0 else "+" if self.plus else " " if self.space else ""
        self.unzeroed(sign + digits)

    def unzeroed(self, text: str) -> None:
        """Write a text padded with blanks, regardless of the flag 0."""
        zero, self.zero = self.zero, False
        self.pad(text)
        self.zero = zero

    def character(self, number: int, verb: str, value: object) -> None:
        """Write an integer by %c, %q or %U."""
        char = chr(number) if 0 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else "\ufffd"
        if verb == "c":
            self.pad(char)
        elif verb == "q":
            self.pad("'" + printing.escape(char, "'", self.plus) + "'")
        elif verb == "U":
            code = number & 0xFFFFFFFFFFFFFFFF
            text = f"U+{code:0{max(self.precision, 4)}X}"
            if self.sharp and code <= 0x10FFFF and chr(code).isprintable():
                text += f" '{chr(code)}'"
            self.unzeroed(text)
        else:
            self.bad(verb, value)

    def floating(self, number: float, verb: str, value: object) -> None:
        if verb not in _FLOAT_VERBS:
            self.bad(verb, value)
            return
        precision = self.precision
        if verb in "fFeE" and precision < 0:
            precision = 6
        text = float_text(number, verb, precision)
        sign = "-" if text[0] == "-" else "+"
        body = text.lstrip("+-")
        if self.space and sign == "+" and not self.plus:
            sign = " "
        shown = sign if self.plus or sign != "+" else ""
        if body[0] in "IN":
            if body == "Inf" and number > 0 and not shown:
                shown = "+"
            self.unzeroed(shown + body)
            return
        if self.sharp and verb != "b":
            body = sharp_float(body, verb, precision)
        missing = self.width - len(body) - len(shown)
        if shown and self.zero and not self.minus and missing > 0:
            self.write(shown + "0" * missing + body)
        else:
            self.pad(shown + body)


def float_text(number: float, verb: str, precision: int) -> str:
    """strconv.FormatFloat; precision -1 gives the shortest digits that read back to the number."""
    if not -1.7976931348623157e308 <= number <= 1.7976931348623157e308:
        return "+Inf" if number > 0 else "-Inf" if number < 0 else "NaN"
    if verb in "xXb":
        return hex_text(number, verb, precision)
    if verb in "vgG":
        text = printing.format_float(number) if precision < 0 else f"{number:.{max(precision, 1)}g}"
        return text.upper() if verb == "G" else text
    return f"{number:.{precision}{verb}}"


def sharp_float(body: str, verb: str, precision: int) -> str:
    """Apply the flag #: always a decimal point, and for %g the trailing zeros."""
    digits = (6 if precision < 0 else precision) if verb in "vgGx" else 0
    tail = ""
    for at, char in enumerate(body):
        if char in "pP" or (char in "eE" and verb not in "xX"):
            body, tail = body[:at], body[at:]
            break
    significant = body.replace(".", "").lstrip("0")
    digits -= len(significant)
    if "." not in body:
        if body == "0":
            digits -= 1
        body += "."
    return body + "0" * max(digits, 0) + tail
