"""The format of a schema template: literals and tokens, `${ipv4} - ${ipv4}`, and whether a value fits.

    format = *( literal / token )
    token  = "${" type [ ":" ( "/" regex "/" / "[" options "]" ) ] "}"

A format of one token tests the value itself. Any other one is a composite: the scalar's text must split into
the parts in their order, in any way.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.go.regexp.pattern import Pattern
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.constraints import effort as limits
from krmkit.systems.palette.constraints.decimals import parse_decimal, scan
from krmkit.systems.palette.constraints.effort import Effort, EffortError
from krmkit.systems.palette.constraints.formattypes import OPTIONS, RANGE, TYPES, listing
from krmkit.systems.palette.packs.values import kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

    from krmkit.libraries.go.regexp.pattern import Pattern
    from krmkit.libraries.yaml.tree import Scalar

    Bounds = tuple[tuple[str, Decimal], tuple[str, Decimal]]


class Token:
    """One `${...}`. pattern, bounds (low, high as text and number) and options may be None."""

    def __init__(self, name: str, source: str, effort: Effort) -> None:
        self.type = name
        self.rules = TYPES.get(name, TYPES["string"])
        self.source = source
        self.effort = effort
        self.pattern: Pattern | None = None
        self.bounds: Bounds | None = None
        self.options: tuple[str, ...] | None = None

    @property
    def known(self) -> bool:
        """Return whether the type is one of TYPES; any other is handled as string."""
        return self.type in TYPES

    def accepts(self, node: Scalar) -> bool:
        """Return whether a whole value fits."""
        found = kind(node)
        if found == self.rules.native:
            return True
        if self.rules.only_text and found != "str":
            return False
        return self.accepts_text(node.text)

    def accepts_text(self, text: str) -> bool:
        """Return whether a piece of a composite fits."""
        if not self.rules.fits(text) or (self.options is not None and text not in self.options):
            return False
        if self.bounds is not None:
            (_, low), (_, high) = self.bounds
            number = parse_decimal(text)
            if number is None or not low <= number <= high:
                return False
        return self._matches(text)

    def _matches(self, text: str) -> bool:
        if self.pattern is None:
            return True
        from krmkit.libraries.go.regexp.pattern import PatternError

        try:
            return self.effort.search(self.pattern, text)
        except (PatternError, EffortError) as error:
            raise Refused(str(error)) from None

    def describe(self) -> str:
        """Describe the token's values, for a message."""
        if self.bounds is not None:
            (low, _), (high, _) = self.bounds
            return f"a number from {low} to {high}"
        if self.options is not None:
            return "one of " + ", ".join(self.options)
        return self.rules.words + (f" that matches /{self.pattern.text}/" if self.pattern is not None else "")


class Format:
    """A parsed format: `parts` are literal texts and tokens."""

    def __init__(self, text: str, parts: list[str | Token], effort: Effort) -> None:
        self.text = text
        self.parts = parts
        self.effort = effort

    @classmethod
    def parse(cls, text: str, effort: Effort | None = None) -> Format:
        """Parse a format; `effort` counts the steps of its run. Raises Refused."""
        effort = effort or Effort()
        parts: list[str | Token] = []
        at = 0
        while at < len(text):
            start = text.find("${", at)
            if start < 0:
                start = len(text)
            if start > at:
                parts.append(text[at:start])
            if start < len(text):
                token, start = _token(text, start, effort)
                parts.append(token)
            at = start
        return cls(text, parts, effort)

    @property
    def tokens(self) -> list[Token]:
        return [part for part in self.parts if isinstance(part, Token)]

    def accepts(self, node: Scalar) -> bool:
        """Return whether a scalar that is not empty fits. Raises Refused."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Token):
            return self.parts[0].accepts(node)
        return _splits(self.parts, node.text, self.effort)

    def describe(self) -> str:
        """Describe the valid values, for a message."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Token):
            return self.parts[0].describe()
        wanted = "; ".join(dict.fromkeys(f"{token.source} is {token.describe()}" for token in self.tokens))
        return f"{self.text}" + (f" ({wanted})" if wanted else "")


def _token(text: str, start: int, effort: Effort) -> tuple[Token, int]:
    at = start + 2
    while at < len(text) and text[at] not in ":}":
        at += 1
    name = text[start + 2 : at]
    if at == len(text):
        raise Refused(f"the token {_short(text[start:])} is not closed with }}")
    if not name:
        raise Refused(f"a token names a type, as in ${{string}}; types: {', '.join(TYPES)}")
    if text[at] == "}":
        token = Token(name, text[start : at + 1], effort)
        if token.rules.brackets == OPTIONS:
            raise Refused(f"${{{name}}} needs its options, as in ${{{name}:[small,large]}}")
        return token, at + 1
    if text.startswith("/", at + 1):
        end = text.find("/}", at + 2)
        if end < 0:
            raise Refused(f"the regular expression of {_short(text[start:])} does not end with /}}")
        token = Token(name, text[start : end + 2], effort)
        _with_pattern(token, text[at + 2 : end])
        return token, end + 2
    if text.startswith("[", at + 1):
        end = text.find("]}", at + 2)
        if end < 0:
            raise Refused(f"the options of {_short(text[start:])} do not end with ]}}")
        token = Token(name, text[start : end + 2], effort)
        _with_options(token, text[at + 2 : end])
        return token, end + 2
    raise Refused(
        f"the colon of {_short(text[start:])} must be followed by /a regular expression/ or [options]"
    )


def _with_pattern(token: Token, text: str) -> None:
    if not token.rules.pattern:
        with_pattern = listing([name for name, row in TYPES.items() if row.pattern])
        raise Refused(f"{token.source}: a regular expression goes with {with_pattern}, not with {token.type}")
    from krmkit.libraries.go.regexp.pattern import PatternError

    try:
        token.pattern = token.effort.compile(text)
    except (PatternError, EffortError) as error:
        raise Refused(str(error)) from None


def _with_options(token: Token, text: str) -> None:
    if token.rules.brackets == OPTIONS:
        options = tuple([option.strip() for option in text.split(",")])
        if not all(options):
            raise Refused(f"{token.source}: an option is empty; options are separated by single commas")
        token.options = options
    elif token.rules.brackets == RANGE:
        token.bounds = _range(token.source, text.strip())
    else:
        with_brackets = listing([f"{name} ({row.brackets})" for name, row in TYPES.items() if row.brackets])
        raise Refused(f"{token.source}: [...] goes with {with_brackets}, not with {token.type}")


def _range(source: str, text: str) -> Bounds:
    """`5000-5005`, `-5--1`, `0.5-1.5`."""
    end = scan(text, 0)
    rest = text[end:].lstrip()
    low_text, high_text = text[:end], rest[1:].lstrip()
    low = parse_decimal(low_text)
    high = parse_decimal(high_text) if rest.startswith("-") else None
    if low is None or high is None:
        raise Refused(f"{source}: a range is two numbers with a dash between, as in [5000-5005] or [-5--1]")
    if high < low:
        raise Refused(f"{source}: the range is reversed; write [{high_text}-{low_text}]")
    return (low_text, low), (high_text, high)


def unknown_type(name: str) -> str:
    """Return the message about a type that does not exist."""
    if name == "hints":
        return 'hints is a clause of its own, not a type: {{ format "${string}" | hints "..." }}'
    from krmkit.libraries.messages.nearest import did_you_mean

    near = "; write ${boolean}" if name == "bool" else did_you_mean(name, TYPES)
    return f'the format type "{name}" does not exist{near}; the value is checked as a string'


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _splits(parts: list[str | Token], text: str, effort: Effort) -> bool:
    """Return whether the text splits into the parts, from the possible end offsets of each."""
    tests = 0
    size = len(text)
    reached = {0}
    for index, part in enumerate(parts):
        if isinstance(part, str):
            reached = {at + len(part) for at in reached if text.startswith(part, at)}
            continue
        pending = _ends(parts, index, text)
        arrived: set[int] = set()
        for start in sorted(reached):
            left: list[int] = []
            for end in pending:
                tests += 1
                if tests > limits.MAX_TESTS:
                    raise Refused(
                        f"the format splits a text of {size:,} characters in too many ways "
                        "(krmkit.systems.palette.constraints.effort.MAX_TESTS)"
                    )
                # An end before this start lies before all later ones.
                if end < start:
                    continue
                if part.accepts_text(text[start:end]):
                    arrived.add(end)
                else:
                    left.append(end)
            pending = left
            if not pending:
                break
        reached = arrived
        if not reached:
            break
    try:
        effort.tests(tests)
    except EffortError as error:
        raise Refused(str(error)) from None
    return size in reached


def _ends(parts: list[str | Token], index: int, text: str) -> list[int]:
    """Return where the piece of a token can end, by the literal part behind it."""
    if index + 1 == len(parts):
        return [len(text)]
    following = parts[index + 1]
    if not isinstance(following, str):
        return list(range(len(text) + 1))
    ends: list[int] = []
    at = text.find(following)
    while at >= 0:
        ends.append(at)
        at = text.find(following, at + 1)
    return ends
