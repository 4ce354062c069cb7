"""Semantic versions as github.com/Masterminds/semver v3.4 reads and orders them.

`Version.parse("v1.2")` is loose (`v1`, `1.2`, `01.2.3`), `Version.parse_strict` takes what semver.org
defines.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.versions import scan
from krmkit.libraries.versions.scan import DIGITS, IDENTIFIER, UINT64, consists_of, prerelease_key


class Version:
    """A semantic version: major, minor, patch (int), prerelease, metadata and original (str).

    Equality, order and hash ignore metadata.
    """

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
        """Read one to three numbers, with or without `v`. Raises GoInputError."""
        found = scan.version_at(text, 0, DIGITS) if not scan.too_long(text) else None
        if found is None or found.end != len(text):
            raise GoInputError("invalid semantic version")
        numbers = [_segment(number) for number in found.segments]
        numbers += [0] * (3 - len(numbers))
        _check_prerelease(found.prerelease)
        return cls(numbers[0], numbers[1], numbers[2], found.prerelease, found.metadata, text)

    @classmethod
    def parse_strict(cls, text: str) -> Version:
        """Read a version as semver.org defines it: three numbers, no `v`, no leading zero.

        Raises GoInputError.
        """
        if not text:
            raise GoInputError("version string empty")
        parts = text.split(".", 2)
        if len(parts) != 3 or scan.too_long(text):
            raise GoInputError("invalid semantic version")
        rest, plus, metadata = parts[2].partition("+")
        if plus and not all(consists_of(part, IDENTIFIER) for part in metadata.split(".")):
            raise GoInputError("invalid metadata string")
        patch, dash, prerelease = rest.partition("-")
        if dash:
            _check_prerelease(prerelease or ".")
        numbers = []
        for part in (parts[0], parts[1], patch):
            if not DIGITS.issuperset(part):
                raise GoInputError("invalid characters in version")
            if len(part) > 1 and part[0] == "0":
                raise GoInputError("version segment starts with 0")
            numbers.append(parse_uint(part))
        return cls(numbers[0], numbers[1], numbers[2], prerelease, metadata, text)

    def compare(self, other: Version) -> int:
        """Return -1, 0 or 1: this version is lower than, equal to, or higher than the other."""
        mine, theirs = self.precedence(), other.precedence()
        return (mine > theirs) - (mine < theirs)

    def precedence(self) -> tuple[int, int, int, tuple[int, tuple[tuple[int, int, str], ...]]]:
        """Return a key that sorts as semver does, ignoring build metadata."""
        return (self.major, self.minor, self.patch, prerelease_key(self.prerelease, UINT64))

    def inc_major(self) -> Version:
        """Return the next major version, without pre-release and metadata."""
        return self._next(self.major + 1, 0, 0)

    def inc_minor(self) -> Version:
        """Return the next minor version, without pre-release and metadata."""
        return self._next(self.major, self.minor + 1, 0)

    def inc_patch(self) -> Version:
        """Return the next patch version; for a pre-release, its release."""
        return self._next(self.major, self.minor, self.patch if self.prerelease else self.patch + 1)

    def with_prerelease(self, prerelease: str) -> Version:
        """Return the version with another pre-release ("" removes it). Raises GoInputError."""
        _check_prerelease(prerelease)
        return self._next(self.major, self.minor, self.patch, prerelease, self.metadata)

    def with_metadata(self, metadata: str) -> Version:
        """Return the version with other build metadata ("" removes it). Raises GoInputError."""
        if metadata and not all(consists_of(part, IDENTIFIER) for part in metadata.split(".")):
            raise GoInputError("invalid metadata string")
        return self._next(self.major, self.minor, self.patch, self.prerelease, metadata)

    def _next(self, major: int, minor: int, patch: int, prerelease: str = "", metadata: str = "") -> Version:
        version = Version(major % UINT64, minor % UINT64, patch % UINT64, prerelease, metadata)
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


def parse_uint(digits: str) -> int:
    """strconv.ParseUint of digits. Raises GoInputError."""
    if digits == "":
        raise GoInputError('strconv.ParseUint: parsing "": invalid syntax')
    value = int(digits) if len(digits.lstrip("0")) <= 20 else UINT64
    if value >= UINT64:
        raise GoInputError(f'strconv.ParseUint: parsing "{digits}": value out of range')
    return value


def _segment(digits: str) -> int:
    try:
        return parse_uint(digits)
    except GoInputError as error:
        raise GoInputError(f"error parsing version segment: {error}") from None


def _check_prerelease(prerelease: str) -> None:
    for part in prerelease.split(".") if prerelease else ():
        if not consists_of(part, IDENTIFIER):
            raise GoInputError("invalid prerelease string")
        if len(part) > 1 and part[0] == "0" and consists_of(part, DIGITS):
            raise GoInputError("version segment starts with 0")
