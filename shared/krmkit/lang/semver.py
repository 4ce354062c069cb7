"""Versions: Masterminds semver (as Go programs use it) and the lenient order of Palette packs.

`Version` and `Constraints` follow github.com/Masterminds/semver v3.4: loose parsing (`v1`, `1.2`, `01.2.3`),
ranges with `x`, `~`, `^`, ` - `, `,` (and), `||` (or); a pre-release fits a group of constraints only when one of
them names a pre-release. `lenient_key` orders versions with any number of numeric parts.

Everything here is scanned by hand: one pass over the text, no pattern that could blow up.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LENGTH = 1024
"""Longest version or constraint text that is looked at, in characters; assign a larger number to raise it."""

_DIGITS = frozenset("0123456789")
_IDENTIFIER = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_SEGMENT = frozenset("0123456789xX*|")  # Masterminds' own character class holds the bar, too
_BLANK = " \t\n\f\r"
_UINT64 = 1 << 64
# Two-character operators first, so that the longest one is found.
_OPERATORS = ("!=", ">=", "=>", "<=", "=<", "~>", "=", ">", "<", "~", "^")

LenientKey = tuple[tuple[int, ...], tuple[int, tuple[tuple[int, int, str], ...]]]


class VersionError(ValueError):
    """A text that is no version; the message is Masterminds' own."""


class ConstraintError(ValueError):
    """A text that is no version constraint; the message is Masterminds' own."""


class Version:
    """A semantic version: major, minor, patch (int), prerelease, metadata and original (str).

    Equality, order and hash look at the precedence only: metadata is ignored.
    """

    __slots__ = ("major", "metadata", "minor", "original", "patch", "prerelease")

    def __init__(
        self, major: int, minor: int, patch: int, prerelease: str = "", metadata: str = "", original: str = ""
    ) -> None:
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
        self.metadata = metadata
        self.original = original or str(self)

    @classmethod
    def parse(cls, text: str) -> Version:
        """A version of one to three numbers, with or without `v`. Raises VersionError."""
        found = _scan(text, 0, _DIGITS) if len(text) <= MAX_LENGTH else None
        if found is None or found.end != len(text):
            raise VersionError("invalid semantic version")
        numbers = [_segment(number) for number in found.segments]
        numbers += [0] * (3 - len(numbers))
        _check_prerelease(found.prerelease)
        return cls(numbers[0], numbers[1], numbers[2], found.prerelease, found.metadata, text)

    @classmethod
    def parse_strict(cls, text: str) -> Version:
        """A version exactly as semver.org defines it: three numbers, no `v`, no leading zero. Raises VersionError."""
        if not text:
            raise VersionError("version string empty")
        parts = text.split(".", 2)
        if len(parts) != 3 or len(text) > MAX_LENGTH:
            raise VersionError("invalid semantic version")
        rest, plus, metadata = parts[2].partition("+")
        if plus and not all(_only(part, _IDENTIFIER) for part in metadata.split(".")):
            raise VersionError("invalid metadata string")
        patch, dash, prerelease = rest.partition("-")
        if dash:
            _check_prerelease(prerelease or ".")
        numbers = []
        for part in (parts[0], parts[1], patch):
            if not all(char in _DIGITS for char in part):
                raise VersionError("invalid characters in version")
            if len(part) > 1 and part[0] == "0":
                raise VersionError("version segment starts with 0")
            numbers.append(_uint64(part))
        return cls(numbers[0], numbers[1], numbers[2], prerelease, metadata, text)

    def compare(self, other: Version) -> int:
        """-1, 0 or 1: whether this version comes before, equals, or comes after the other."""
        mine, theirs = self.precedence(), other.precedence()
        return (mine > theirs) - (mine < theirs)

    def precedence(self) -> tuple[int, int, int, tuple[int, tuple[tuple[int, int, str], ...]]]:
        """A key that sorts as semver does; build metadata plays no part."""
        return (self.major, self.minor, self.patch, _prerelease_key(self.prerelease, _UINT64))

    def inc_major(self) -> Version:
        """The next major version, without pre-release and metadata."""
        return self._next(self.major + 1, 0, 0)

    def inc_minor(self) -> Version:
        """The next minor version, without pre-release and metadata."""
        return self._next(self.major, self.minor + 1, 0)

    def inc_patch(self) -> Version:
        """The next patch version; a pre-release becomes its own release."""
        return self._next(self.major, self.minor, self.patch if self.prerelease else self.patch + 1)

    def with_prerelease(self, prerelease: str) -> Version:
        """The same version with another pre-release ("" takes it away). Raises VersionError."""
        _check_prerelease(prerelease)
        return self._next(self.major, self.minor, self.patch, prerelease, self.metadata)

    def with_metadata(self, metadata: str) -> Version:
        """The same version with other build metadata ("" takes it away). Raises VersionError."""
        if metadata and not all(_only(part, _IDENTIFIER) for part in metadata.split(".")):
            raise VersionError("invalid metadata string")
        return self._next(self.major, self.minor, self.patch, self.prerelease, metadata)

    def _next(self, major: int, minor: int, patch: int, prerelease: str = "", metadata: str = "") -> Version:
        version = Version(major % _UINT64, minor % _UINT64, patch % _UINT64, prerelease, metadata)
        if self.original.startswith("v"):
            version.original = "v" + version.original
        return version

    def __str__(self) -> str:
        pre = "-" + self.prerelease if self.prerelease else ""
        meta = "+" + self.metadata if self.metadata else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{meta}"

    def __repr__(self) -> str:
        return f"Version({self.original!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence() == other.precedence()

    def __hash__(self) -> int:
        return hash(self.precedence())

    def __lt__(self, other: Version) -> bool:
        return self.precedence() < other.precedence()

    def __le__(self, other: Version) -> bool:
        return self.precedence() <= other.precedence()

    def __gt__(self, other: Version) -> bool:
        return self.precedence() > other.precedence()

    def __ge__(self, other: Version) -> bool:
        return self.precedence() >= other.precedence()


class Constraints:
    """Alternatives (`||`) of constraints that all must hold (`,` or a blank)."""

    __slots__ = ("_groups",)

    def __init__(self, groups: list[list[_Constraint]]) -> None:
        self._groups = groups

    @classmethod
    def parse(cls, text: str) -> Constraints:
        """Reads `>=1.2, <2 || ^3`. Raises ConstraintError."""
        if len(text) > MAX_LENGTH:
            raise ConstraintError(f"improper constraint: longer than {MAX_LENGTH} characters")
        return cls([_group(part) for part in _rewrite_ranges(text).split("||")])

    def check(self, version: Version) -> bool:
        """Whether the version satisfies one of the alternatives."""
        for group in self._groups:
            if version.prerelease and not any(one.version.prerelease for one in group):
                continue
            if all(_CHECKS[one.operator](version, one) for one in group):
                return True
        return False


def lenient_key(text: str) -> LenientKey | None:
    """An orderable key of a Palette pack version; None when the text is no version (`latest`, `1.18.x`).

    One leading v or V is dropped; any number of numeric parts, absent ones are 0 (`1.21` equals `1.21.0`);
    then semver's pre-release precedence; build metadata is ignored.
    """
    if len(text) > MAX_LENGTH:
        return None
    if text[:1] in ("v", "V"):
        text = text[1:]
    text, plus, metadata = text.partition("+")
    if plus and not all(_only(part, _IDENTIFIER) for part in metadata.split(".")):
        return None
    release, dash, prerelease = text.partition("-")
    if dash and not all(_only(part, _IDENTIFIER) for part in prerelease.split(".")):
        return None
    numbers = []
    for part in release.split("."):
        if not _only(part, _DIGITS):
            return None
        numbers.append(int(part))
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), _prerelease_key(prerelease, None)


class _Scanned:
    """A version text cut into its pieces; `end` is the offset behind it."""

    __slots__ = ("end", "metadata", "prerelease", "segments")

    def __init__(self, segments: list[str], prerelease: str, metadata: str, end: int) -> None:
        self.segments = segments
        self.prerelease = prerelease
        self.metadata = metadata
        self.end = end


class _Constraint:
    """One operator with its version; `wild` tells how many numbers are given (3 when nothing is a wildcard)."""

    __slots__ = ("operator", "version", "wild")

    def __init__(self, operator: str, version: Version, wild: int) -> None:
        self.operator = operator
        self.version = version
        self.wild = wild


def _scan(text: str, start: int, segment: frozenset[str]) -> _Scanned | None:
    """The longest version that begins at `start`: `v?SEG(.SEG)?(.SEG)?(-IDS)?(+IDS)?`."""
    at = start + 1 if text.startswith("v", start) else start
    end = _run(text, at, segment)
    if end == at:
        return None
    segments = [text[at:end]]
    while len(segments) < 3 and text.startswith(".", end):
        stop = _run(text, end + 1, segment)
        if stop == end + 1:
            break
        segments.append(text[end + 1 : stop])
        end = stop
    extras = {"-": "", "+": ""}
    for mark in extras:
        stop = _identifiers(text, end + 1) if text.startswith(mark, end) else end + 1
        if stop > end + 1:
            extras[mark] = text[end + 1 : stop]
            end = stop
    return _Scanned(segments, extras["-"], extras["+"], end)


def _run(text: str, at: int, chars: frozenset[str] | str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _identifiers(text: str, at: int) -> int:
    end = _run(text, at, _IDENTIFIER)
    while end > at and text.startswith(".", end):
        stop = _run(text, end + 1, _IDENTIFIER)
        if stop == end + 1:
            break
        end = stop
    return end


def _only(text: str, chars: frozenset[str]) -> bool:
    return text != "" and all(char in chars for char in text)


def _uint64(digits: str) -> int:
    if digits == "":
        raise VersionError('strconv.ParseUint: parsing "": invalid syntax')
    value = int(digits) if len(digits.lstrip("0")) <= 20 else _UINT64
    if value >= _UINT64:
        raise VersionError(f'strconv.ParseUint: parsing "{digits}": value out of range')
    return value


def _segment(digits: str) -> int:
    try:
        return _uint64(digits)
    except VersionError as error:
        raise VersionError(f"error parsing version segment: {error}") from None


def _check_prerelease(prerelease: str) -> None:
    for part in prerelease.split(".") if prerelease else ():
        if not _only(part, _IDENTIFIER):
            raise VersionError("invalid prerelease string")
        if len(part) > 1 and part[0] == "0" and _only(part, _DIGITS):
            raise VersionError("version segment starts with 0")


def _prerelease_key(prerelease: str, bound: int | None) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Releases come last; numbers by value and before words; Go reads a number over 64 bits as a word (bound)."""
    if not prerelease:
        return (1, ())
    parts = []
    for part in prerelease.split("."):
        number = int(part) if _only(part, _DIGITS) else None
        if number is None or (bound is not None and number >= bound):
            parts.append((1, 0, part))
        else:
            parts.append((0, number, ""))
    return (0, tuple(parts))


def _rewrite_ranges(text: str) -> str:
    """`1.2 - 1.4` becomes `>= 1.2, <= 1.4`; blanks around it belong to the range."""
    out, done, at = [], 0, 0
    while at < len(text):
        low = _scan(text, at, _SEGMENT)
        dash = _run(text, low.end, _BLANK) if low else 0
        if low and dash > low.end and text.startswith("-", dash):
            begin = _run(text, dash + 1, _BLANK)
            high = _scan(text, begin, _SEGMENT) if begin > dash + 1 else None
            if high:
                before = text[done:at].rstrip(_BLANK)
                out.append(f"{before}>= {text[at : low.end]}, <= {text[begin : high.end]} ")
                done = at = _run(text, high.end, _BLANK)
                continue
        # A start inside the same first segment would end, and fail, at the same place.
        at = max(at + 1, _run(text, at, _DIGITS))
    out.append(text[done:])
    return "".join(out)


def _group(text: str) -> list[_Constraint]:
    """One alternative: constraints between blanks or commas."""
    improper = ConstraintError(f"improper constraint: {text}")
    group: list[tuple[str, _Scanned]] = []
    at = _run(text, 0, _BLANK)
    while True:
        operator = next((op for op in _OPERATORS if text.startswith(op, at)), "")
        begin = _run(text, at + len(operator), _BLANK)
        found = _scan(text, begin, _SEGMENT)
        if found is None:
            raise improper
        group.append((operator, found))
        end = _run(text, found.end, _BLANK)
        if end == len(text):
            return [_constraint(*one) for one in group]
        if text[end] == ",":
            at = _run(text, end + 1, _BLANK)
        elif end > found.end:
            at = end
        else:
            raise improper


def _constraint(operator: str, found: _Scanned) -> _Constraint:
    given = found.segments
    wild = next((i for i, part in enumerate(given) if part in ("x", "X", "*")), len(given))
    text = ".".join(given[:wild] + ["0"] * (3 - wild))
    if found.prerelease:
        text += "-" + found.prerelease
    if wild == 3 and found.metadata:
        text += "+" + found.metadata
    try:
        return _Constraint(operator, Version.parse(text), wild)
    except VersionError:
        raise ConstraintError("constraint parser error") from None


def _not_equal(version: Version, bound: _Constraint) -> bool:
    wanted = bound.version
    if bound.wild < 3:
        if wanted.major != version.major:
            return True
        if bound.wild == 1:
            return False
        if wanted.minor != version.minor:
            return True
        if bound.wild == 2:
            mine = _prerelease_key(version.prerelease, _UINT64)
            return mine != _prerelease_key(wanted.prerelease, _UINT64)
    return version != wanted


def _greater(version: Version, bound: _Constraint) -> bool:
    wanted = bound.version
    if bound.wild < 3:
        if version.major != wanted.major:
            return version.major > wanted.major
        if bound.wild == 1:  # 11.1 is not greater than 11, 12 is
            return False
        if bound.wild == 2:
            return version.minor > wanted.minor
    return version > wanted


def _less_equal(version: Version, bound: _Constraint) -> bool:
    wanted = bound.version
    if bound.wild == 3:
        return version <= wanted
    if version.major != wanted.major:
        return version.major < wanted.major
    return version.minor <= wanted.minor or bound.wild == 1


def _tilde(version: Version, bound: _Constraint) -> bool:
    wanted = bound.version
    if version < wanted:
        return False
    if (wanted.major, wanted.minor, wanted.patch) == (0, 0, 0) and bound.wild not in (1, 2):
        return True
    return version.major == wanted.major and (version.minor == wanted.minor or bound.wild == 1)


def _equal(version: Version, bound: _Constraint) -> bool:
    return version == bound.version if bound.wild == 3 else _tilde(version, bound)


def _caret(version: Version, bound: _Constraint) -> bool:
    wanted = bound.version
    if version < wanted:
        return False
    if wanted.major > 0 or bound.wild == 1:
        return version.major == wanted.major
    if version.major > 0:
        return False
    if wanted.minor > 0 or bound.wild == 2:
        return version.minor == wanted.minor
    return version.minor == 0 and version.patch == wanted.patch


_CHECKS: dict[str, Callable[[Version, _Constraint], bool]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": lambda version, bound: version < bound.version,
    ">=": lambda version, bound: version >= bound.version,
    "=>": lambda version, bound: version >= bound.version,
    "<=": _less_equal,
    "=<": _less_equal,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
