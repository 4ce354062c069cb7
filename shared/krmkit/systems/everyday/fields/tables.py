"""Define tables of field paths: which fields of which kinds a function sets, as data.

Dots divide a path; `[]` after a key means every entry of its list: `spec.egress[].to[].podSelector`.
"""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.systems.everyday.common.kptconfig import group_of, version_of

LIST = "[]"


class FieldSpec:
    """A field of some kinds. `kinds`: names, or () for all. `group`, `version`: None for any.

    `create`: a missing field is made if `inside`, a prefix of its path, exists. `is_free`: lists count as
    their entries, with or without `[]` in the path, as in a config's specs.
    """

    __slots__ = ("create", "group", "inside", "is_free", "kinds", "path", "steps", "version", "word")

    def __init__(
        self,
        path: str,
        kinds: tuple[str, ...] = (),
        group: str | None = None,
        version: str | None = None,
        create: bool = False,
        inside: str = "",
    ) -> None:
        self.is_free = False
        self.inside = split_path(inside) if inside else ()
        self.path = path
        self.kinds = kinds
        self.group = group
        self.version = version
        self.create = create
        self.steps = split_path(path)
        self.word = list_word(self.steps)

    def fits(self, item: Resource) -> bool:
        if self.kinds and item.kind not in self.kinds:
            return False
        version = item.api_version if self.group is not None or self.version is not None else ""
        return (self.group is None or group_of(version) == self.group) and (
            self.version is None or version_of(version) == self.version
        )


def split_path(path: str) -> tuple[str, ...]:
    """Split a path into steps: `("a", "b", "[]", "c")` for `a.b[].c`."""
    return tuple(path.replace(LIST, "." + LIST).split("."))


def list_word(steps: tuple[str, ...]) -> str:
    """Return the key of the first list in a path, or "". Text without this word cannot have the field."""
    return steps[steps.index(LIST) - 1] if LIST in steps[1:] else ""


class FieldTable:
    """Field specs, looked up once per kind."""

    __slots__ = ("_known", "specs")

    def __init__(self, specs: tuple[FieldSpec, ...]) -> None:
        self.specs = specs
        self._known: dict[tuple[str, str], tuple[FieldSpec, ...]] = {}

    def of(self, item: Resource) -> tuple[FieldSpec, ...]:
        key = (item.api_version, item.kind)
        specs = self._known.get(key)
        if specs is None:
            specs = self._known[key] = tuple(spec for spec in self.specs if spec.fits(item))
        return specs

    def possible(self, item: Resource) -> list[FieldSpec]:
        """Return the fields of a resource, without parsing it, except those in lists that it lacks."""
        return [spec for spec in self.of(item) if not spec.word or item.may_hold(spec.word)]
