"""Select the source and the targets of a replacement. Source: kustomize's replacement filter.

The parts of a selector are compared literally: these versions of kustomize read no regular expressions there.
"""

from __future__ import annotations

from krmkit.systems.everyday.common.kptconfig import group_of, version_of
from krmkit.systems.everyday.replacements.paths import PathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from krmkit.krm.resource import Resource

_DEFAULT = "default"


class ResourceId:
    """Group, version, kind, namespace and name; "" matches any. `texts`: the map in the config."""

    __slots__ = ("group", "kind", "name", "namespace", "version")

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.group = texts.get("group", "")
        self.version = texts.get("version", "")
        self.kind = texts.get("kind", "")
        self.namespace = texts.get("namespace", "")
        self.name = texts.get("name", "")

    @property
    def is_empty(self) -> bool:
        return not (self.group or self.version or self.kind or self.namespace or self.name)

    def selects(self, item: Resource) -> bool:
        """Return True if a resource matches every given part. No namespace means `default`."""
        return (
            (not self.kind or item.kind == self.kind)
            and (not self.name or item.name == self.name)
            and (not self.group or group_of(item.api_version) == self.group)
            and (not self.version or version_of(item.api_version) == self.version)
            and (not self.namespace or (item.namespace or _DEFAULT) == self.namespace)
        )

    def __str__(self) -> str:
        """Print it as kustomize does: `Service.[noVer].[noGrp]/web.[noNs]`."""
        kind = ".".join((self.kind or "[noKind]", self.version or "[noVer]", self.group or "[noGrp]"))
        return f"{kind}/{self.name or '[noName]'}.{self.namespace or '[noNs]'}"


class TargetSelector:
    """A selector of resources by id, labels and annotations."""

    __slots__ = ("annotations", "labels", "named")

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.named = ResourceId(texts)
        self.labels = label_requirements(texts.get("labelSelector", ""))
        self.annotations = label_requirements(texts.get("annotationSelector", ""))

    @property
    def is_empty(self) -> bool:
        return self.named.is_empty and not self.labels and not self.annotations

    def selects(self, item: Resource) -> bool:
        return (
            self.named.selects(item)
            and (not self.labels or fulfilled(self.labels, item.labels))
            and (not self.annotations or fulfilled(self.annotations, item.annotations))
        )


Requirement = tuple[str, str, tuple[str, ...]]
"""Key, operator (`=`, `!=`, `in`, `notin`, `exists`, `absent`) and values."""


def label_requirements(text: str) -> list[Requirement]:
    """Parse a selector in kubectl's form, `app=web,tier in (a, b),!legacy`. Raises PathError."""
    return [_requirement(part) for part in _split(text)]


def _split(text: str) -> Iterable[str]:
    """Yield the conditions: commas outside of brackets divide them."""
    depth, start = 0, 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            yield text[start:position].strip()
            start = position + 1
    if text[start:].strip():
        yield text[start:].strip()


def _requirement(part: str) -> Requirement:
    for sign in ("!=", "==", "="):
        key, found, value = part.partition(sign)
        if found:
            return _checked(key, part), "!=" if sign == "!=" else "=", (value.strip(),)
    words = part.split(None, 2)
    if len(words) > 1 and words[1].partition("(")[0] in ("in", "notin"):
        operator = words[1].partition("(")[0]
        values = part[part.index(operator, len(words[0])) + len(operator) :].strip()
        if values.startswith("(") and values.endswith(")"):
            return words[0], operator, tuple(value.strip() for value in values[1:-1].split(","))
    elif len(words) == 1:
        return _checked(part.lstrip("!"), part), "absent" if part.startswith("!") else "exists", ()
    raise PathError(
        f'unable to parse requirement: "{part}" must be as in app=web, app!=web, app in (a, b) or !app',
        "selector",
    )


def _checked(key: str, part: str) -> str:
    key = key.strip()
    if not key or " " in key:
        raise PathError(f'unable to parse requirement: "{part}" has no key', "selector")
    return key


def fulfilled(requirements: list[Requirement], labels: Mapping[str, str]) -> bool:
    """Return True if all conditions hold for these labels or annotations."""
    return all(_holds(requirement, labels) for requirement in requirements)


def _holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    key, operator, values = requirement
    if operator in ("exists", "absent"):
        return (key in labels) == (operator == "exists")
    has = key in labels and labels[key] in values
    return has if operator in ("=", "in") else not has
