"""fmt.Sprintf: verbs, flags, widths, argument indexes, and Go's marks for wrong arguments."""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT, type_of
from krmkit.libraries.go.core.work import charge_text
from krmkit.libraries.go.fmt import printing
from krmkit.libraries.go.fmt.printing import too_long
from krmkit.libraries.go.fmt.verbs import ValuePrinter

_TOO_LARGE = 1_000_000

_Plan = tuple[str, str, tuple[str, ...]]
_plans: dict[str, _Plan | None] = {}


def sprintf(form: str, *values: object) -> str:
    """fmt.Sprintf. Raises GoError for a text that would be too long or a value that contains itself."""
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
    """Return the first text, the verbs, and the texts after them; None for verbs besides %s, %d and %v."""
    head, *rest = form.split("%")
    verbs = "".join([part[:1] or "%" for part in rest])
    plan = None if verbs.strip("sdv") else (head, verbs, tuple([part[1:] for part in rest]))
    if len(form) <= 200:
        if len(_plans) >= 1000:
            _plans.clear()
        _plans[form] = plan
    return plan


class _Printer(ValuePrinter):
    def __init__(self, form: str, values: tuple[object, ...]) -> None:
        super().__init__()
        self.form = form
        self.values = values
        self.reordered = False

    def run(self) -> str:
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

    def directive(self, at: int, taken: int) -> tuple[int, int]:
        """Write the directive after the percent sign at `at`; return its end and the next argument."""
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
        """Read an argument index such as [2]; return next argument, offset, and True if there was one."""
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
        if taken >= len(self.values):
            return _NO_NUMBER, taken
        value = self.values[taken]
        if isinstance(value, int) and not isinstance(value, bool) and -_TOO_LARGE <= value <= _TOO_LARGE:
            return int(value), taken + 1
        return _NO_NUMBER, taken + 1

    def extra(self, taken: int) -> None:
        """Write the arguments that no directive used."""
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


_NO_NUMBER = -(1 << 30)


def _number(form: str, at: int, end: int) -> tuple[int, int]:
    """Return decimal digits as a number, -1 without digits; too many digits end the directive."""
    start = at
    number = 0
    while at < end and "0" <= form[at] <= "9":
        if number > _TOO_LARGE:
            return -1, end
        number = number * 10 + int(form[at])
        at += 1
    return (number if at > start else -1), at
