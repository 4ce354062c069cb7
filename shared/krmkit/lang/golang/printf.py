"""fmt.Sprintf: verbs, flags, widths, argument indexes, and the marks that Go leaves for whatever does not fit."""

from __future__ import annotations

from krmkit.lang.golang import printing
from krmkit.lang.golang.numerals import format_number, hex_text
from krmkit.lang.golang.printing import (
    Budget,
    can_backquote,
    escape,
    format_float,
    go_print_value,
    quote,
    too_deep,
    too_long,
)
from krmkit.lang.golang.values import (
    ABSENT,
    ByteList,
    GoInt,
    GoList,
    GoObject,
    encode,
    sorted_keys,
    type_of,
)
from krmkit.lang.golang.work import charge, charge_text

_TOO_LARGE = 1_000_000
_INTEGER_VERBS = {"v": 10, "d": 10, "b": 2, "o": 8, "O": 8, "x": 16, "X": 16}
_FLOAT_VERBS = frozenset("vbgGxXfFeE")


_Plan = tuple[str, str, tuple[str, ...]]
_plans: dict[str, _Plan | None] = {}


def sprintf(form: str, *values: object) -> str:
    """fmt.Sprintf. Raises GoCallError for a text that would be too long or a value that contains itself."""
    plan = _plans[form] if form in _plans else _plan(form)
    if plan is not None and len(plan[1]) == len(values):
        head, verbs, literals = plan
        out = [head]
        for value, verb, literal in zip(values, verbs, literals, strict=True):
            kind = type(value)
            if kind is str and verb != "d":
                out.append(value)  # type: ignore[arg-type]  # kind says it is a text
            elif kind is int and verb != "s":
                out.append(str(value))
            else:
                break
            out.append(literal)
        else:
            if sum(map(len, out)) > printing.MAX_LENGTH:
                raise too_long()
            return charge_text("".join(out))
    return _Printer(form, values).run()


def _plan(form: str) -> _Plan | None:
    """Text, verbs, and the text behind each verb, of a form with no directives but %s, %d and %v; None for others."""
    head, *rest = form.split("%")
    verbs = "".join([part[:1] or "%" for part in rest])
    plan = None if verbs.strip("sdv") else (head, verbs, tuple([part[1:] for part in rest]))
    if len(form) <= 200:
        if len(_plans) >= 1000:
            _plans.clear()
        _plans[form] = plan
    return plan


class _Printer:
    """The flags of one directive, and where its text goes."""

    __slots__ = ("budget", "erroring", "form", "good", "minus", "out", "plus", "precision", "reordered", "sharp",
                 "sharp_v", "space", "values", "width", "zero")  # fmt: skip

    def __init__(self, form: str, values: tuple[object, ...]) -> None:
        self.form = form
        self.values = values
        self.out: list[str] = []
        self.budget = Budget()
        self.reordered = False
        self.erroring = False
        self.clear()

    def run(self) -> str:
        """The whole text."""
        form = self.form
        at = taken = 0
        while True:
            mark = form.find("%", at)
            if mark < 0:
                break
            self.write(form[at:mark])
            at, taken = self.directive(mark + 1, taken)
        self.write(form[at:])
        if taken < len(self.values) and not self.reordered:
            self.extra(taken)
        return charge_text("".join(self.out))

    def clear(self) -> None:
        self.sharp = self.zero = self.plus = self.minus = self.space = self.sharp_v = False
        self.width = self.precision = -1
        self.good = True

    def write(self, text: str) -> None:
        self.out.append(self.budget.take(text))

    # Reading a directive

    def directive(self, at: int, taken: int) -> tuple[int, int]:
        """The directive behind a percent sign at `at`; gives the place behind it and the next argument."""
        form, values = self.form, self.values
        end = len(form)
        self.clear()
        while at < end and form[at] in "#0+- ":
            flag = form[at]
            self.sharp |= flag == "#"
            self.zero |= flag == "0"
            self.plus |= flag == "+"
            self.minus |= flag == "-"
            self.space |= flag == " "
            at += 1
        taken, at, indexed = self._index(taken, at)
        if at < end and form[at] == "*":
            self.width, taken = self._star(taken)
            at += 1
            if self.width is _NO_NUMBER:
                self.write("%!(BADWIDTH)")
                self.width = -1
            elif self.width < 0:
                self.width = -self.width
                self.minus = True
                self.zero = False
            indexed = False
        else:
            self.width, at = _number(form, at, end)
            if indexed and self.width >= 0:
                self.good = False
        if at < end and form[at] == ".":
            at += 1
            if indexed:
                self.good = False
            taken, at, indexed = self._index(taken, at)
            if at < end and form[at] == "*":
                at += 1
                self.precision, taken = self._star(taken)
                if self.precision is _NO_NUMBER or self.precision < 0:
                    self.write("%!(BADPREC)")
                    self.precision = -1
                indexed = False
            else:
                self.precision, at = _number(form, at, end)
                self.precision = max(self.precision, 0)
        if not indexed:
            taken, at, indexed = self._index(taken, at)
        if at >= end:
            self.write("%!(NOVERB)")
            return end, taken
        verb = form[at]
        at += 1
        if "\udc80" <= verb <= "\udcff":
            verb = "\ufffd"
        if verb == "%":
            self.write("%")
        elif not self.good:
            self.write(f"%!{verb}(BADINDEX)")
        elif taken >= len(values):
            self.write(f"%!{verb}(MISSING)")
        else:
            if verb == "v":
                self.sharp_v, self.sharp = self.sharp, False
                self.plus = False
            self.argument(values[taken], verb)
            taken += 1
        return at, taken

    def _index(self, taken: int, at: int) -> tuple[int, int, bool]:
        """An argument index such as [2]."""
        form = self.form
        if at >= len(form) or form[at] != "[":
            return taken, at, False
        self.reordered = True
        close = form.find("]", at + 1)
        if close < 0 or len(form) - at < 3:
            self.good = False
            return taken, at + 1, False
        index, behind = _number(form, at + 1, close)
        if index < 0 or behind != close:
            self.good = False
            return taken, close + 1, False
        if 1 <= index <= len(self.values):
            return index - 1, close + 1, True
        self.good = False
        return taken, close + 1, True

    def _star(self, taken: int) -> tuple[int, int]:
        """A width or precision that is an argument."""
        if taken >= len(self.values):
            return _NO_NUMBER, taken
        value = self.values[taken]
        if isinstance(value, int) and not isinstance(value, bool) and -_TOO_LARGE <= value <= _TOO_LARGE:
            return int(value), taken + 1
        return _NO_NUMBER, taken + 1

    def extra(self, taken: int) -> None:
        """The arguments that no directive took."""
        self.clear()
        self.write("%!(EXTRA ")
        for at, value in enumerate(self.values[taken:]):
            if at:
                self.write(", ")
            if value is None or value is ABSENT:
                self.write("<nil>")
            else:
                self.write(type_of(value) + "=")
                self.argument(value, "v")
        self.write(")")

    # Values

    def argument(self, value: object, verb: str, depth: int = 0) -> None:
        """One value by one verb."""
        if value is None or value is ABSENT:
            if depth:
                self.write("interface {}(nil)" if self.sharp_v else "<nil>")
            elif verb in ("T", "v"):
                self.pad("<nil>")
            else:
                self.bad(verb, value)
        elif verb == "T" and not depth:
            self.text(type_of(value))
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
        """A verb that the value does not know."""
        if value is None or value is ABSENT:
            self.write(f"%!{verb}(<nil>)")
            return
        erroring = self.erroring
        self.erroring = True
        self.write(f"%!{verb}({type_of(value)}=")
        if isinstance(value, complex):
            self.write(go_print_value(value))
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
            raise too_deep()
        charge(1 + len(value) * 4)
        if isinstance(value, ByteList) and verb in "sqxX":
            data = bytes([item & 0xFF for item in value if isinstance(item, int)])
            self.string(data.decode("utf-8", "surrogateescape"), verb)
            return
        if verb == "p":
            self.pad("0x0")
            return
        between = ", " if self.sharp_v else " "
        if self.sharp_v:
            if isinstance(value, GoList) and value.is_nil:
                self.write(f"{type_of(value)}(nil)")
                return
            self.write(type_of(value) + "{")
        else:
            self.write("map[" if isinstance(value, dict) else "[")
        if isinstance(value, dict):
            for at, key in enumerate(sorted_keys(value)):
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

    # Formats

    def pad(self, text: str) -> None:
        """Text padded to the width, in characters."""
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
            if (self.sharp or self.sharp_v) and can_backquote(value) and not self.sharp_v:
                self.pad(f"`{value}`")
            else:
                self.pad(quote(value, self.plus))
        elif verb in ("x", "X"):
            self.hexadecimal(encode(value), verb)
        else:
            self.bad(verb, value)

    def hexadecimal(self, data: bytes, verb: str) -> None:
        """%x of bytes; with a blank between them by the flag."""
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
        """Padded with blanks, whatever the flags say."""
        zero, self.zero = self.zero, False
        self.pad(text)
        self.zero = zero

    def character(self, number: int, verb: str, value: object) -> None:
        """%c, %q and %U of an integer."""
        char = chr(number) if 0 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else "\ufffd"
        if verb == "c":
            self.pad(char)
        elif verb == "q":
            self.pad("'" + escape(char, "'", self.plus) + "'")
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


_NO_NUMBER = -(1 << 30)


def _number(form: str, at: int, end: int) -> tuple[int, int]:
    """Decimal digits as a number, -1 when there are none; too many of them end the directive."""
    start = at
    number = 0
    while at < end and "0" <= form[at] <= "9":
        if number > _TOO_LARGE:
            return -1, end
        number = number * 10 + int(form[at])
        at += 1
    return (number if at > start else -1), at


def float_text(number: float, verb: str, precision: int) -> str:
    """strconv.FormatFloat; precision -1 is the shortest that reads back. Infinities and NaN as Go names them."""
    if not -1.7976931348623157e308 <= number <= 1.7976931348623157e308:
        return "+Inf" if number > 0 else "-Inf" if number < 0 else "NaN"
    if verb in "xXb":
        return hex_text(number, verb, precision)
    if verb in "vgG":
        text = format_float(number) if precision < 0 else f"{number:.{max(precision, 1)}g}"
        return text.upper() if verb == "G" else text
    return f"{number:.{precision}{verb}}"


def sharp_float(body: str, verb: str, precision: int) -> str:
    """The flag #: always a decimal point, and with %g the zeros at the end."""
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
