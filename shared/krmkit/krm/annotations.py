"""Annotations that orchestrators and krmkit set on resources, and the file and index they carry."""

from __future__ import annotations

PATH = "internal.config.kubernetes.io/path"
INDEX = "internal.config.kubernetes.io/index"
LEGACY_PATH = "config.kubernetes.io/path"
LEGACY_INDEX = "config.kubernetes.io/index"
PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
LOCAL_CONFIG = "config.kubernetes.io/local-config"
GENERATED_BY = "krmkit.dev/generated-by"
PREVIOUS = "krmkit.dev/previous"
FAIL_ON = "krmkit.dev/fail-on"
# On a Kptfile, "true": variants are made of the package, so a render in place validates it and writes
# nothing.
BLUEPRINT_MARK = "krmkit.dev/blueprint"
# kpt's mark on what it fetched: `group|kind|namespace|name` as upstream has it, so that a renamed resource is
# found again.
IDENTIFIER = "internal.kpt.dev/upstream-identifier"
# kpt's mark on Google's resources that it fetched.
BLUEPRINT = "cnrm.cloud.google.com/blueprint"
BLUEPRINT_OF_KPT = "kpt-pkg"
INJECTION = "kpt.dev/config-injection"
INJECTED = "kpt.dev/injected-resource"
INJECTED_NAME = "kpt.dev/injected-resource-name"  # in proposals; Porch itself writes INJECTED

# These are about one resource in one package: engines do not see them, and copies do not have them.
_OF_TOOLS = frozenset((LEGACY_PATH, LEGACY_INDEX, LOCAL_CONFIG, INJECTION, INJECTED, INJECTED_NAME))
_OF_TOOLS |= {"config.kubernetes.io/origin", "config.kubernetes.io/merge-source"}
_PREFIXES_OF_PLACES = ("internal.config.kubernetes.io/", "internal.config.k8s.io/", "config.k8s.io/")
_PREFIXES_OF_TOOLS = (*_PREFIXES_OF_PLACES, "internal.kpt.dev/", "kustomize.config.k8s.io/", "krmkit.dev/")

_DIGITS = 18  # Go's numbers have no more, and Python refuses to read some thousands of them


def number(text: str) -> int | None:
    """Return the whole number, from 0, in an annotation's value, or None."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _DIGITS else None


def is_tool_key(name: str) -> bool:
    """Return True for an annotation of kpt, kustomize or krmkit, which engines do not see or copy.

    Examples: `config.kubernetes.io/local-config`, `kpt.dev/config-injection`,
    `internal.kpt.dev/upstream-identifier`.
    """
    return name in _OF_TOOLS or name.startswith(_PREFIXES_OF_TOOLS)


def is_place_key(name: str) -> bool:
    """Return True for an annotation with an item's path or index, which exists only during a run."""
    return name in (LEGACY_PATH, LEGACY_INDEX) or name.startswith(_PREFIXES_OF_PLACES)


class Location:
    """The place of a resource: file path relative to its package, index in the file, path of the package.

    `digits` is the index as written: kpt distinguishes "01" from "1". It is "" for a resource without an
    index, which sorts after the others of its file. `line` is the first line in the file, from 1; 0 if
    unknown.
    """

    __slots__ = ("digits", "index", "line", "package", "path")

    def __init__(
        self, path: str, index: int = 0, package: str = "", line: int = 0, digits: str | None = None
    ) -> None:
        self.path = path
        self.index = index
        self.package = package
        self.line = line
        self.digits = str(index) if digits is None else digits

    def copy(self) -> Location:
        return Location(self.path, self.index, self.package, self.line, self.digits)

    @property
    def annotations(self) -> dict[str, str]:
        """Return the annotations that kpt adds for this place, in kpt's order."""
        said = {
            LEGACY_INDEX: self.digits,
            LEGACY_PATH: self.path,
            INDEX: self.digits,
            PACKAGE_PATH: self.package,
            PATH: self.path,
        }
        return {name: value for name, value in said.items() if value}
