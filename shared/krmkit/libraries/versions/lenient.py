"""The lenient order of Palette pack versions, with any number of numeric parts."""

from __future__ import annotations

from krmkit.libraries.versions.scan import DIGITS, IDENTIFIER, consists_of, prerelease_key, too_long

LenientKey = tuple[tuple[int, ...], tuple[int, tuple[tuple[int, int, str], ...]]]


def lenient_key(text: str) -> LenientKey | None:
    """Return a sort key for a pack's version; None for `latest`, `1.18.x` and other texts.

    One leading v or V is dropped; missing numeric parts are 0 (`1.21` equals `1.21.0`); then follows semver's
    pre-release precedence; build metadata is ignored.
    """
    if too_long(text):
        return None
    if text[:1] in ("v", "V"):
        text = text[1:]
    text, plus, metadata = text.partition("+")
    if plus and not all(consists_of(part, IDENTIFIER) for part in metadata.split(".")):
        return None
    release, dash, prerelease = text.partition("-")
    if dash and not all(consists_of(part, IDENTIFIER) for part in prerelease.split(".")):
        return None
    numbers = []
    for part in release.split("."):
        if not consists_of(part, DIGITS):
            return None
        numbers.append(int(part))
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), prerelease_key(prerelease, None)
