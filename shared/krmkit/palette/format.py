"""The format of a schema template: literals and tokens, `${ipv4} - ${ipv4}`, and whether a value fits.

    format = *( literal / token )
    token  = "${" type [ ":" ( "/" regex "/" / "[" options "]" ) ] "}"

A format of one token tests the value itself. Any other one is a composite: the scalar's text must split into the
parts in their order, in any way.
"""

from __future__ import annotations

from krmkit.lang.pattern import PatternError
from krmkit.palette import formateffort as limits
from krmkit.palette.decimals import Decimal, scan
from krmkit.palette.formateffort import Effort, EffortError
from krmkit.palette.packvalues import kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.lang.pattern import Pattern
    from krmkit.yaml.tree import Scalar

TYPES = ("string", "number", "boolean", "password", "list", "ipv4", "version")


class FormatError(ValueError):
    """The text is no format; the message says what would be."""


class TooCostlyError(ValueError):
    """The limits do not suffice to decide whether the value fits."""


class Token:
    """One `${...}`. pattern, bounds (low, high) and options are None where the token has none."""

    __slots__ = ("bounds", "effort", "options", "pattern", "source", "type")

    def __init__(self, name: str, source: str, effort: Effort) -> None:
        self.type = name
        self.source = source
        self.effort = effort
        self.pattern: Pattern | None = None
        self.bounds: tuple[Decimal, Decimal] | None = None
        self.options: tuple[str, ...] | None = None

    @property
    def known(self) -> bool:
        """Return whether the type is one of TYPES; any other is handled as string."""
        return self.type in TYPES

    def accepts(self, node: Scalar) -> bool:
        """Return whether a whole value fits."""
        if self.type == "boolean":
            found = kind(node)
            return found == "bool" or (found == "str" and node.text in ("true", "false"))
        if self.type in ("number", "list", "ipv4", "version"):
            return self.accepts_text(node.text)
        return kind(node) == "str" and self._matches(node.text)

    def accepts_text(self, text: str) -> bool:
        """Return whether a piece of a composite fits."""
        name = self.type
        if name == "boolean":
            return text in ("true", "false")
        if name == "ipv4":
            return is_ipv4(text)
        if name == "version":
            return is_version(text)
        if name == "list":
            return self.options is not None and text in self.options
        if name == "number":
            number = Decimal.parse(text)
            if number is None:
                return False
            if self.bounds is not None and not self.bounds[0] <= number <= self.bounds[1]:
                return False
        elif not text:
            return False
        return self._matches(text)

    def _matches(self, text: str) -> bool:
        if self.pattern is None:
            return True
        try:
            return self.effort.search(self.pattern, text)
        except (PatternError, EffortError) as error:
            raise TooCostlyError(str(error)) from None

    def describe(self) -> str:
        """Describe the token's values, for a message."""
        if self.type == "number":
            if self.bounds is not None:
                low, high = self.bounds
                return f"a number from {low} to {high}"
            return "a number" + self._matching()
        if self.type == "list":
            return "one of " + ", ".join(self.options or ())
        return _WORDS.get(self.type, "a string") + self._matching()

    def _matching(self) -> str:
        return f" that matches /{self.pattern.text}/" if self.pattern is not None else ""


_WORDS = {
    "boolean": "true or false",
    "ipv4": "an IPv4 address (10.0.0.1)",
    "version": "a semantic version (1.2.3)",
    "password": "a string",
}


class Format:
    """A parsed format: `parts` are literal texts and tokens."""

    __slots__ = ("effort", "parts", "text")

    def __init__(self, text: str, parts: list[str | Token], effort: Effort) -> None:
        self.text = text
        self.parts = parts
        self.effort = effort

    @classmethod
    def parse(cls, text: str, effort: Effort | None = None) -> Format:
        """A format; what it spends is counted in `effort`, that of its run. Raises FormatError."""
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
        """Return whether a scalar that is not empty fits. Raises TooCostlyError."""
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
    """The token at `start` and the offset behind it."""
    at = start + 2
    while at < len(text) and text[at] not in ":}":
        at += 1
    name = text[start + 2 : at]
    if at == len(text):
        raise FormatError(f"the token {_short(text[start:])} is not closed with }}")
    if not name:
        raise FormatError(f"a token names a type, as in ${{string}}; types: {', '.join(TYPES)}")
    if text[at] == "}":
        token = Token(name, text[start : at + 1], effort)
        if name == "list":
            raise FormatError("${list} needs its options, as in ${list:[small,large]}")
        return token, at + 1
    if text.startswith("/", at + 1):
        end = text.find("/}", at + 2)
        if end < 0:
            raise FormatError(f"the regular expression of {_short(text[start:])} does not end with /}}")
        token = Token(name, text[start : end + 2], effort)
        _with_pattern(token, text[at + 2 : end])
        return token, end + 2
    if text.startswith("[", at + 1):
        end = text.find("]}", at + 2)
        if end < 0:
            raise FormatError(f"the options of {_short(text[start:])} do not end with ]}}")
        token = Token(name, text[start : end + 2], effort)
        _with_options(token, text[at + 2 : end])
        return token, end + 2
    raise FormatError(f"after the colon of {_short(text[start:])} stands /a regular expression/ or [options]")


def _with_pattern(token: Token, text: str) -> None:
    if token.type in ("boolean", "list", "ipv4", "version"):
        raise FormatError(
            f"{token.source}: a regular expression goes with string, number and password, not with {token.type}"
        )
    try:
        token.pattern = token.effort.compile(text)
    except (PatternError, EffortError) as error:
        raise FormatError(str(error)) from None


def _with_options(token: Token, text: str) -> None:
    if token.type == "list":
        options = tuple([option.strip() for option in text.split(",")])
        if not all(options):
            raise FormatError(f"{token.source}: an option is empty; options are separated by single commas")
        token.options = options
    elif token.type == "number":
        token.bounds = _range(token.source, text.strip())
    else:
        raise FormatError(
            f"{token.source}: [...] goes with number (a range) and list (options), not with {token.type}"
        )


def _range(source: str, text: str) -> tuple[Decimal, Decimal]:
    """`5000-5005`, `-5--1`, `0.5-1.5`."""
    end = scan(text, 0)
    low = Decimal.parse(text[:end])
    rest = text[end:].lstrip()
    high = Decimal.parse(rest[1:].lstrip()) if rest.startswith("-") else None
    if low is None or high is None:
        raise FormatError(
            f"{source}: a range is two numbers with a dash between, as in [5000-5005] or [-5--1]"
        )
    if high < low:
        raise FormatError(f"{source}: the range is reversed; write [{high}-{low}]")
    return low, high


def unknown_type(name: str) -> str:
    """Return the message about a type that does not exist."""
    if name == "hints":
        return 'hints is a clause of its own, not a type: {{ format "${string}" | hints "..." }}'
    from krmkit.lang.nearest import did_you_mean

    near = "; write ${boolean}" if name == "bool" else did_you_mean(name, TYPES)
    return f'the format type "{name}" does not exist{near}; the value is checked as a string'


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
    """Semantic versioning 2.0 with its three numbers; a `v` may stand before them."""
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


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _splits(parts: list[str | Token], text: str, effort: Effort) -> bool:
    """Return whether the text can be split into the parts in their order; computes the possible end offsets of each part in turn."""
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
                    raise TooCostlyError(
                        f"the format splits a text of {size:,} characters in too many ways "
                        "(krmkit.palette.formateffort.MAX_TESTS)"
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
        raise TooCostlyError(str(error)) from None
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
