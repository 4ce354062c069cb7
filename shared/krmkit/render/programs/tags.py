"""Choose the tag of a function's image: an entry's `tag:` (exact or a constraint) replaces that of `image:`.

A constraint (`^1.0`, `>=1.0 <2.0`, `<1.1 || >=2`) selects the highest matching tag that the runtime has on
this machine; a registry is not asked. Tags that are not versions do not count. (kpt 1.0.0-beta.67, observed.)
"""

from __future__ import annotations

import re

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.versions import Constraints, Version

_PATCHES = 30  # more than any release of kpt's catalog has had
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


def bare(image: str) -> str:
    """Return an image's name without tag and digest: `registry:5000/fn` for `registry:5000/fn:v1`."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return folder + slash + last.partition(":")[0]


def constraint(tag: str) -> Constraints | None:
    """Parse a constraint; None for a version, and for a text that is not a constraint."""
    try:
        Version.parse(tag)
    except GoInputError:
        try:
            return Constraints.parse(tag)
        except GoInputError:
            return None
    return None


def bad_tag(tag: str) -> str:
    """Return why a text cannot be a tag, or ""."""
    if constraint(tag) is not None or _TAG.fullmatch(tag):
        return ""
    return f'tag must be a version, a constraint such as ^1.0, or a tag of letters, digits, "_", "." and "-", got "{tag}"'


def highest(wanted: Constraints, tags: list[str]) -> str:
    """Return the highest tag that satisfies a constraint, or ""."""
    best: tuple[Version, str] | None = None
    for tag in tags:
        try:
            version = Version.parse(tag)
        except GoInputError:
            continue
        if wanted.check(version) and (best is None or version.compare(best[0]) > 0):
            best = (version, tag)
    return best[1] if best else ""


def fulfilling(tag: str, releases: list[str]) -> str:
    """Return the first release (`v0.4` is any v0.4.N) that satisfies a tag's constraint, else the tag."""
    wanted = constraint(tag) if tag else None
    if wanted is None:
        return tag
    for release in releases:
        patches = [""] if release.count(".") > 1 else [f".{patch}" for patch in range(_PATCHES)]
        if any(wanted.check(Version.parse(release + patch)) for patch in patches):
            return release
    return tag
