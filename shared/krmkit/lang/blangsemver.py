"""Versions as github.com/blang/semver reads them, and Cluster API's comparison of build tags (util/version)."""

from __future__ import annotations

from krmkit.lang.semver import Version, VersionError

UNORDERED = 2
"""What `compare_with_build_tags` returns where two versions differ and neither comes first."""


def parse(text: str) -> Version:
    """semver.Parse: three numbers, no `v`. Raises VersionError."""
    return Version.parse_strict(text)


def parse_tolerant(text: str) -> Version:
    """semver.ParseTolerant: blanks, a leading `v`, leading zeros and missing numbers do not matter. Raises VersionError.

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
            raise VersionError("Short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return Version.parse_strict(".".join(parts))


def compare_without_prereleases(a: Version, b: Version) -> int:
    """version.Compare(a, b, WithoutPreReleases()): -1, 0 or 1 by the three numbers."""
    mine, theirs = (a.major, a.minor, a.patch), (b.major, b.minor, b.patch)
    return (mine > theirs) - (mine < theirs)


def compare_with_build_tags(a: Version, b: Version) -> int:
    """version.Compare(a, b, WithBuildTags()): -1, 0, 1, or UNORDERED where only texts of build tags differ.

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
    """Numbers come before texts; different texts have no order, because they may be hashes of commits."""
    numeric, other_numeric = one.isdecimal(), other.isdecimal()
    if numeric and other_numeric:
        mine, theirs = int(one[:20]), int(other[:20])
        return (mine > theirs) - (mine < theirs)
    if numeric != other_numeric:
        return -1 if numeric else 1
    return 0 if one == other else UNORDERED
