"""Record the causes of values that a TopologyExtension writes: its patches, and the variables they use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.patches.causes import record_merge, record_operation, references

VariableCause = Callable[[str], Cause]


@dataclass(frozen=True, slots=True)
class ExtensionSource:
    """The place of a handler: its `name` in a class, and its `field` in the item."""

    name: str
    resource: Resource | None = None
    field: Path = ()

    def cause(self, *inner: str | int) -> Cause:
        return Cause("extension", self.name, self.resource, (*self.field, *inner))


class ExtensionRecorder:
    """Records what the patches of one handler set in one template."""

    def __init__(self, handler: Object, source: ExtensionSource, variable: VariableCause) -> None:
        self._patches: list[Object] = handler["patches"]
        self._declared = [str(one.get("name")) for one in handler.get("variables") or []]
        self._source = source
        self._variable = variable
        self.number = 0  # of the patch at work
        self.paths = PathCauses()

    def noting(self, definition: int, operations: list[Object]) -> Callable[[int, object], None]:
        """Return a callback that records each operation of a definition after its application."""
        changes = self._patches[self.number]["definitions"][definition].get("jsonPatches") or []
        causes = [
            self._causes(change, definition, "jsonPatches", number) for number, change in enumerate(changes)
        ]

        def note(number: int, document: object) -> None:
            record_operation(self.paths, operations[number], document, causes[number])

        return note

    def merged(self, definition: int, patch: object) -> None:
        change = self._patches[self.number]["definitions"][definition]["jsonMergePatch"]
        record_merge(self.paths, patch, self._causes(change, definition, "jsonMergePatch"))

    def _causes(self, change: Object, definition: int, *inner: str | int) -> list[Cause]:
        patch = self._patches[self.number]
        found = references(change, patch.get("enabledIf"))
        names = [name for name in found if name.partition(".")[0] != "settings"]
        place = ("patches", self.number, "definitions", definition, *inner)
        return [self._source.cause(*place), *map(self._given, names)]

    def _given(self, path: str) -> Cause:
        """Return a variable's cause: its value in the Cluster, else the default of the handler."""
        found = self._variable(path)
        name = path.partition(".")[0].partition("[")[0]
        if found.resource is None and name in self._declared:
            field = (*self._source.field, "variables", self._declared.index(name), "name")
            return Cause("variable", path, self._source.resource, field)
        return found
