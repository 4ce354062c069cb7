"""Constraints on versions as github.com/Masterminds/semver v3.4 reads and checks them.

Ranges with `x`, `~`, `^`, ` - `, `,` (and), `||` (or); a pre-release satisfies a group of constraints only if
one of them names a pre-release.
Example: `Constraints.parse("^1.2 || 2.x").check(Version.parse("1.4.0"))`.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.versions import scan
from krmkit.libraries.versions.scan import BLANK, SEGMENT, UINT64, Scanned, end_of, prerelease_key
from krmkit.libraries.versions.semver import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Two-character operators first, so that the longest one is found.
_OPERATORS = ("!=", ">=", "=>", "<=", "=<", "~>", "=", ">", "<", "~", "^")


class Constraints:
    """Alternatives (`||`) of constraints (`,` or a blank) that must all hold."""

    __slots__ = ("_groups",)

    def __init__(self, groups: list[list[_Constraint]]) -> None:
        self._groups = groups

    @classmethod
    def parse(cls, text: str) -> Constraints:
        """Read `>=1.2, <2 || ^3`. Raises GoInputError."""
        if scan.too_long(text):
            raise GoInputError(f"improper constraint: longer than {scan.MAX_LENGTH} characters")
        return cls([_group(part) for part in _rewrite_ranges(text).split("||")])

    def check(self, version: Version) -> bool:
        """Return True if the version satisfies one of the alternatives."""
        for group in self._groups:
            if version.prerelease and not any(one.version.prerelease for one in group):
                continue
            if all(_CHECKS[one.operator](version, one) for one in group):
                return True
        return False

    def names_prerelease(self) -> bool:
        """Return True if a bound is a pre-release, so that pre-releases can satisfy the constraints."""
        return any(one.version.prerelease for group in self._groups for one in group)


class _Constraint:
    """An operator with its version; `wild` is the number of given segments (3 without a wildcard)."""

    __slots__ = ("operator", "version", "wild")

    def __init__(self, operator: str, version: Version, wild: int) -> None:
        self.operator = operator
        self.version = version
        self.wild = wild


def _rewrite_ranges(text: str) -> str:
    """Rewrite `1.2 - 1.4` as `>= 1.2, <= 1.4`; surrounding blanks belong to the range."""
    out, done, at = [], 0, 0
    while at < len(text):
        low = scan.version_at(text, at, SEGMENT)
        dash = end_of(text, low.end, BLANK) if low else 0
        if low and dash > low.end and text.startswith("-", dash):
            begin = end_of(text, dash + 1, BLANK)
            high = scan.version_at(text, begin, SEGMENT) if begin > dash + 1 else None
            if high:
                before = text[done:at].rstrip(BLANK)
                out.append(f"{before}>= {text[at : low.end]}, <= {text[begin : high.end]} ")
                done = at = end_of(text, high.end, BLANK)
                continue
        # A start inside the same first segment would end, and fail, at the same place.
        at = max(at + 1, end_of(text, at, scan.DIGITS))
    out.append(text[done:])
    return "".join(out)


def _group(text: str) -> list[_Constraint]:
    """Read one alternative: constraints separated by blanks or commas."""
    improper = GoInputError(f"improper constraint: {text}")
    group: list[tuple[str, Scanned]] = []
    at = end_of(text, 0, BLANK)
    while True:
        operator = next((op for op in _OPERATORS if text.startswith(op, at)), "")
        begin = end_of(text, at + len(operator), BLANK)
        found = scan.version_at(text, begin, SEGMENT)
        if found is None:
            raise improper
        group.append((operator, found))
        end = end_of(text, found.end, BLANK)
        if end == len(text):
            return [_constraint(*one) for one in group]
        if text[end] == ",":
            at = end_of(text, end + 1, BLANK)
        elif end > found.end:
            at = end
        else:
            raise improper


def _constraint(operator: str, found: Scanned) -> _Constraint:
    given = found.segments
    wild = next((i for i, part in enumerate(given) if part in ("x", "X", "*")), len(given))
    text = ".".join(given[:wild] + ["0"] * (3 - wild))
    if found.prerelease:
        text += "-" + found.prerelease
    if wild == 3 and found.metadata:
        text += "+" + found.metadata
    try:
        return _Constraint(operator, Version.parse(text), wild)
    except GoInputError:
        raise GoInputError("constraint parser error") from None


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
            mine = prerelease_key(version.prerelease, UINT64)
            return mine != prerelease_key(wanted.prerelease, UINT64)
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
