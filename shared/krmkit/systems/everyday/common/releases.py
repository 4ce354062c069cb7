"""Read releases of kpt's functions, which the tag of an image may name."""

from __future__ import annotations

from krmkit.krm.finding import Finding


class Release(tuple[int, int, int]):
    """A release, such as v0.4.1; releases compare by their numbers."""

    __slots__ = ()

    def __new__(cls, major: int, minor: int, patch: int) -> Release:
        return super().__new__(cls, (major, minor, patch))

    @classmethod
    def read(cls, tag: str) -> Release | None:
        """Return the release of a tag; None for `latest`, `unstable`, a digest or a moving tag such as v0.4.

        Example: `Release.read("v0.4.1") == Release(0, 4, 1)`.
        """
        numbers = tag.removeprefix("v").split(".")
        if len(numbers) != 3 or not all(number.isascii() and number.isdecimal() for number in numbers):
            return None
        major, minor, patch = (int(number[:9]) for number in numbers)
        return cls(major, minor, patch)

    def __str__(self) -> str:
        return "v" + ".".join(map(str, self))


def explained(release: Release | None, behaviour: str) -> Finding:
    """Return the --explain finding on a release: `explained(Release(0, 4, 1), "RoleBindings change")`."""
    who = f"as release {release}" if release is not None else "the tag names no release"
    return Finding("release", f"{who}: {behaviour}")
