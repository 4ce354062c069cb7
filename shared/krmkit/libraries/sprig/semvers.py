"""The functions semver and semverCompare; versions have the methods of Masterminds' Version."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import GoObject, Uint64
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.versions import Constraints, Version
from krmkit.libraries.versions import scan as versionscan


@dataclass(slots=True)
class VersionValue(GoObject):
    """A semver.Version, as the Inc methods return it, with the methods that need no pointer."""

    version: Version
    go_type = "semver.Version"
    go_kind = "struct"

    def go_string(self) -> str:
        return str(self.version)

    def go_equal(self, other: GoObject) -> bool:
        return isinstance(other, VersionValue) and self._fields() == other._fields()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.go_equal(other)

    def __hash__(self) -> int:
        return hash(self._fields())

    def to_json(self) -> str:
        """Return the version as a JSON string."""
        return f'"{self.version}"'

    def _fields(self) -> tuple[int, int, int, str, str, str]:
        one = self.version
        return one.major, one.minor, one.patch, one.prerelease, one.metadata, one.original


class VersionPointer(VersionValue):
    """A *semver.Version, as semver returns it."""

    go_type = "*semver.Version"
    go_kind = "ptr"


def semver(text: str) -> VersionPointer:
    """Parse a version loosely: `v1`, `1.2`, `01.2.3`."""
    return VersionPointer(Version.parse(text))


def semver_compare(constraint: str, version: str) -> bool:
    """Return True if the version satisfies the constraint (semverCompare)."""
    charge(min(len(constraint), versionscan.MAX_LENGTH) * 8)
    return Constraints.parse(constraint).check(Version.parse(version))


def _other(value: VersionPointer | None) -> Version:
    if value is None:
        raise GoError("runtime error: invalid memory address or nil pointer dereference")
    return value.version


_POINTER = ("*semver.Version",)

VersionValue.go_methods = {
    "String": GoFunction(lambda v: str(v.version), result="string"),
    "Major": GoFunction(lambda v: Uint64(v.version.major), result="uint64"),
    "Minor": GoFunction(lambda v: Uint64(v.version.minor), result="uint64"),
    "Patch": GoFunction(lambda v: Uint64(v.version.patch), result="uint64"),
    "Prerelease": GoFunction(lambda v: v.version.prerelease, result="string"),
    "Metadata": GoFunction(lambda v: v.version.metadata, result="string"),
    "IncMajor": GoFunction(lambda v: VersionValue(v.version.inc_major()), result="semver.Version"),
    "IncMinor": GoFunction(lambda v: VersionValue(v.version.inc_minor()), result="semver.Version"),
    "IncPatch": GoFunction(lambda v: VersionValue(v.version.inc_patch()), result="semver.Version"),
    "SetPrerelease": GoFunction(
        lambda v, text: VersionValue(v.version.with_prerelease(text)), ("string",), result="semver.Version"
    ),
    "SetMetadata": GoFunction(
        lambda v, text: VersionValue(v.version.with_metadata(text)), ("string",), result="semver.Version"
    ),
}
VersionPointer.go_methods = {
    **VersionValue.go_methods,
    "Original": GoFunction(lambda v: v.version.original, result="string"),
    "Compare": GoFunction(lambda v, o: v.version.compare(_other(o)), _POINTER, result="int"),
    "Equal": GoFunction(lambda v, o: o is not None and v.version == o.version, _POINTER, result="bool"),
    "LessThan": GoFunction(lambda v, o: v.version < _other(o), _POINTER, result="bool"),
    "LessThanEqual": GoFunction(lambda v, o: v.version <= _other(o), _POINTER, result="bool"),
    "GreaterThan": GoFunction(lambda v, o: v.version > _other(o), _POINTER, result="bool"),
    "GreaterThanEqual": GoFunction(lambda v, o: v.version >= _other(o), _POINTER, result="bool"),
}
