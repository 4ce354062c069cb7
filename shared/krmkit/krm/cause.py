"""Causes: the inputs that set the paths of a resource. Engines record them while a run explains.

    causes = resources.causes
    if causes is not None: # None: the run does not explain
        causes.set(item, ("data", "site"), Cause("config", "site", config, ("data", "site")))

`krmkit why` and reports show them beside the values. Messages are never parsed for causes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource


class Cause:
    """One input that set a value.

    - `kind`: preset, macro, config, resource, template, class, topology, patch, variable, extension, default,
    mapping or component.
    - `name`: what users call it, as in `Mode:fast` or `.spectro.var.site`.
    - `resource` and `field`: where it is written; no resource if that is not among the items. `file`: the
    text in a
      pack that holds the field, such as presets.yaml. `line`: one of the text in the field, from 1; 0: none.
    - `follows`: a whole subtree was copied, so below the path that was set, the field goes on as the path
    does.
    """

    __slots__ = ("field", "file", "follows", "kind", "line", "name", "resource")

    def __init__(
        self,
        kind: str,
        name: str,
        resource: Resource | None = None,
        field: Path = (),
        file: str = "",
        follows: bool = False,
        line: int = 0,
    ) -> None:
        self.line = line
        self.kind = kind
        self.name = name
        self.resource = resource
        self.field = field
        self.file = file
        self.follows = follows

    def below(self, rest: Path) -> Cause:
        """Return the cause of what lies at `rest` below the path that was set."""
        if not rest or not self.follows:
            return self
        return Cause(self.kind, self.name, self.resource, (*self.field, *rest), self.file, True)

    def __repr__(self) -> str:
        return f"Cause({self.kind!r}, {self.name!r}, field={self.field!r})"


class PathCauses:
    """The causes of each path of one object. The last write of a path wins over earlier ones at or below it.

    causes.set(("spec",), template)
    causes.set(("spec", "replicas"), topology)
    causes.at(("spec", "replicas"))   # [topology]
    causes.at(("spec", "paused"))     # [template]
    """

    __slots__ = ("_count", "_inside", "_set")

    def __init__(self) -> None:
        self._set: dict[Path, tuple[int, tuple[Cause, ...]]] = {}
        # The paths that were set below one, made on demand.
        self._inside: dict[Path, list[Path]] | None = None
        self._count = 0

    def set(self, path: Path, *causes: Cause) -> None:
        """Record what set a path, or removed it."""
        self._count += 1
        self._set[path] = (self._count, causes)
        self._inside = None

    def each(self, paths: Iterable[Path], *causes: Cause) -> None:
        for path in paths:
            self.set(path, *causes)

    def at(self, path: Path) -> list[Cause]:
        """Return the causes of a value: the last write of it or of a parent, else of all paths below it."""
        best = 0
        found: list[Cause] = []
        for depth in range(len(path) + 1):
            known = self._set.get(path[:depth])
            if known is not None and known[0] > best:
                best = known[0]
                found = [cause.below(path[depth:]) for cause in known[1]]
        if best:
            return found
        if self._inside is None:
            self._inside = {}
            for written, _ in self.entries():
                for depth in range(len(written)):
                    self._inside.setdefault(written[:depth], []).append(written)
        return [cause for written in self._inside.get(path, ()) for cause in self._set[written][1]]

    def many(self, paths: Iterable[Path]) -> list[list[Cause]]:
        return [self.at(path) for path in paths]

    def entries(self) -> list[tuple[Path, tuple[Cause, ...]]]:
        """Return all paths with their causes, in the order of their writes."""
        return [(path, causes) for path, (_, causes) in sorted(self._set.items(), key=lambda one: one[1][0])]

    def moved(self, path: Path, index: int, by: int) -> None:
        """Shift the causes of list entries from `index` on: `by` is 1 for an insertion, -1 for a removal."""
        size = len(path)
        kept: dict[Path, tuple[int, tuple[Cause, ...]]] = {}
        for written, entry in self._set.items():
            step = written[size] if len(written) > size and written[:size] == path else None
            if isinstance(step, int) and step >= index:
                if step + by < index and by < 0:
                    continue  # the removed entry itself
                written = (*path, step + by, *written[size + 1 :])
            kept[written] = entry
        self._set = kept
        self._inside = None

    def __bool__(self) -> bool:
        return bool(self._set)


class CauseLog:
    """The causes in all resources of a list, during one run of a function."""

    __slots__ = ("_now", "_of")

    def __init__(self) -> None:
        # The resources stay alive with the log, so that no other gets their ids.
        self._of: dict[int, tuple[Resource, PathCauses]] = {}
        self._now: dict[int, tuple[Resource, Resource]] = {}

    def set(self, resource: Resource, path: Path, *causes: Cause) -> None:
        """Record what set a path of a resource, or removed it."""
        self.of(resource).set(path, *causes)

    def put(self, resource: Resource, causes: PathCauses) -> None:
        """Add the causes that an engine recorded for an object before its Resource existed."""
        self._of[id(resource)] = (resource, causes)

    def of(self, resource: Resource) -> PathCauses:
        """Return the causes of one resource, to add to them."""
        known = self._of.get(id(resource))
        if known is None:
            known = self._of[id(resource)] = (resource, PathCauses())
        return known[1]

    def find(self, resource: Resource) -> PathCauses | None:
        """Return the causes of one resource; None if the run set nothing in it."""
        known = self._of.get(id(resource))
        return None if known is None else known[1]

    def replace(self, resource: Resource, item: Resource) -> None:
        """Note that `item`, an item of a file, replaces a new resource."""
        self._now[id(resource)] = (resource, item)
        known = self._of.pop(id(resource), None)
        if known is not None:
            self._of[id(item)] = (item, known[1])

    def entries(self) -> list[tuple[Resource, PathCauses]]:
        """Return the resources in which something was set, with their causes."""
        return [entry for entry in self._of.values() if entry[1]]

    def now(self, resource: Resource) -> Resource:
        """Return the item that replaced a resource, else the resource."""
        known = self._now.get(id(resource))
        return resource if known is None else known[1]


def config_cause(config: Resource, *field: str | int, follows: bool = False) -> Cause:
    """Return the cause for a field of a function's config, named by its path below `spec` or `data`.

    `config_cause(config, "spec", "injectors", 0)` is named `injectors[0]`.
    """
    from krmkit.libraries.json.paths import dotted

    inner = field[1:] if field[:1] in (("spec",), ("data",)) else field
    return Cause("config", dotted(inner), config, field, follows=follows)


def resource_cause(resource: Resource, *field: str | int, follows: bool = False) -> Cause:
    """Return the cause for a field of another resource, named `Kind/name` or `Kind/namespace/name`."""
    parts = (resource.kind, resource.namespace, resource.name)
    return Cause("resource", "/".join(part for part in parts if part), resource, field, follows=follows)
