"""Versions as github.com/blang/semver reads them, and Cluster API's comparison of build tags."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.versions.scan import DIGITS, IDENTIFIER, too_long
from krmkit.libraries.versions.semver import Version, parse_uint

UNORDERED = 2
"""The result of `compare_with_build_tags` for two versions that differ and neither of which comes first."""


def parse(text: str) -> Version:
    """semver.Parse: three numbers, no `v`. Raises GoInputError with blang's own text.

    >>> str(parse("1.33.0-rc.1+x"))
    '1.33.0-rc.1+x'
    """
    if not text:
        raise GoInputError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3 or too_long(text):
        raise GoInputError("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    major, minor, last = (
        _number(part, name) for part, name in ((parts[0], "major"), (parts[1], "minor"), (patch, "patch"))
    )
    for part in prerelease.split(".") if dash else ():
        if not part:
            raise GoInputError("Prerelease is empty")
        if DIGITS.issuperset(part):
            if len(part) > 1 and part[0] == "0":
                detail = f"Numeric PreRelease version must not contain leading zeroes {quote(part)}"
                raise GoInputError(detail)
        elif not IDENTIFIER.issuperset(part):
            raise GoInputError(f"Invalid character(s) found in prerelease {quote(part)}")
    for part in build.split(".") if plus else ():
        if not part:
            raise GoInputError("Build meta data is empty")
        if not IDENTIFIER.issuperset(part):
            raise GoInputError(f"Invalid character(s) found in build meta data {quote(part)}")
    return Version(major, minor, last, prerelease, build, text)


def _number(text: str, name: str) -> int:
    if not DIGITS.issuperset(text):
        raise GoInputError(f"Invalid character(s) found in {name} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise GoInputError(f"{name.capitalize()} number must not contain leading zeroes {quote(text)}")
    return parse_uint(text)


def parse_tolerant(text: str) -> Version:
    """semver.ParseTolerant: accept blanks, a leading `v`, leading zeros and missing numbers.

    >>> str(parse_tolerant("v1.033"))
    '1.33.0'
    """
    parts = text.strip().removeprefix("v").split(".", 2)
    for position, part in enumerate(parts):
        if len(part) > 1:
            part = part.lstrip("0")
            if not part or not "0" <= part[0] <= "9":
                part = "0" + part
            parts[position] = part
    if len(parts) < 3:
        if any(sign in parts[-1] for sign in "+-"):
            raise GoInputError("Short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return parse(".".join(parts))


def compare_without_prereleases(a: Version, b: Version) -> int:
    """version.Compare(a, b, WithoutPreReleases()): -1, 0 or 1 by the three numbers."""
    mine, theirs = (a.major, a.minor, a.patch), (b.major, b.minor, b.patch)
    return (mine > theirs) - (mine < theirs)


def compare_with_build_tags(a: Version, b: Version) -> int:
    """version.Compare(a, b, WithBuildTags()): -1, 0, 1, or UNORDERED.

    UNORDERED means that only texts of build tags differ.

    >>> compare_with_build_tags(parse("1.33.0+vmware.2"), parse("1.33.0+vmware.1"))
    1
    """
    found = a.compare(b)
    if found:
        return found
    mine = a.metadata.split(".") if a.metadata else []
    theirs = b.metadata.split(".") if b.metadata else []
    for one, other in zip(mine, theirs, strict=False):
        found = _compare_identifiers(one, other)
        if found:
            return found
    return (len(mine) > len(theirs)) - (len(mine) < len(theirs))


def _compare_identifiers(one: str, other: str) -> int:
    """Compare: numbers come before texts; texts have no order, because they may be commit hashes."""
    numeric, other_numeric = one.isdecimal(), other.isdecimal()
    if numeric and other_numeric:
        mine, theirs = int(one[:20]), int(other[:20])
        return (mine > theirs) - (mine < theirs)
    if numeric != other_numeric:
        return -1 if numeric else 1
    return 0 if one == other else UNORDERED
