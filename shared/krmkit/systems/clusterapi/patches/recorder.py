"""Record the causes of values that a class's patches set in the templates of one Cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE
from krmkit.systems.clusterapi.model.causes import ClusterCauses
from krmkit.systems.clusterapi.patches.apply import PROTECTED_CONTROL_PLANE
from krmkit.systems.clusterapi.patches.causes import (
    record_explained,
    record_merge,
    record_operation,
    references,
    write_back_causes,
)
from krmkit.systems.clusterapi.patches.external import ExternalPatch
from krmkit.systems.clusterapi.patches.inline import InlinePatch
from krmkit.systems.clusterapi.patches.request import Request, RequestItem


class PatchRecorder:
    """Record the causes of values in each template of a request, patch by patch."""

    def __init__(self, causes: ClusterCauses, request: Request) -> None:
        self._causes = causes
        self._request = request
        self._templates = {id(item): PathCauses() for item in request.items}
        self._patch: InlinePatch | ExternalPatch | None = None
        self._number = 0
        self._own: list[Cause] = []
        self._explained: Mapping[str, PathCauses] = {}

    def begin(self, patch: InlinePatch | ExternalPatch, number: int, names: frozenset[str] | None) -> None:
        """Begin the patch at a position of the class. names: the variables that it sees."""
        self._patch, self._number = patch, number
        self._explained = {}
        if isinstance(patch, InlinePatch):
            return
        field: Path = ("spec", "patches", number, "external", "generatePatchesExtension")
        self._own = [Cause("patch", patch.name, self._causes.owner.resource, field)]
        if self._causes.extensions is not None:
            wire = patch.wire("GeneratePatchesRequest", self._request, names, with_uid=True)
            items = {item.uid: item for item in self._request.items}

            def variable(uid: str, path: str) -> Cause:
                return self._causes.variable(path, self._entry(items[uid]))

            source, self._explained = self._causes.extensions(patch.handler, wire, variable)
            self._own.append(source)

    def noting(
        self, item: RequestItem, operations: list[Object], definition: int
    ) -> Callable[[int, object], None]:
        """Return a callback that records each operation of a JSON patch after its application."""
        paths = self._templates[id(item)]
        if isinstance(self._patch, InlinePatch):
            causes = self._inline(self._patch, item, definition)

            def note(number: int, document: object) -> None:
                record_operation(paths, operations[number], document, causes[number])

        else:
            own = self._own
            inside = self._explained.get(item.uid, PathCauses())

            def note(number: int, document: object) -> None:
                path = record_operation(paths, operations[number], document, own)
                record_explained(paths, path, own, inside)

        return note

    def merged(self, item: RequestItem, patch: object) -> None:
        record_merge(self._templates[id(item)], patch, self._own)

    def written(self, item: RequestItem, target: Object) -> None:
        """Pass the causes of a template to its desired object; `target` is that object before."""
        preserve = PROTECTED_CONTROL_PLANE if item.role == CONTROL_PLANE else ()
        paths = self._causes.objects[item.role]
        write_back_causes(paths, self._templates[id(item)], target, item.role.is_template, preserve)

    def _inline(self, patch: InlinePatch, item: RequestItem, definition: int) -> list[list[Cause]]:
        """Return the causes of each operation of a definition: the patch, and the variables it uses."""
        found = []
        entry = self._entry(item)
        for number, change in enumerate(patch.data["definitions"][definition]["jsonPatches"]):
            place: Path = ("spec", "patches", self._number, "definitions", definition, "jsonPatches", number)
            own = Cause("patch", patch.name, self._causes.owner.resource, (*place, "path"))
            names = references(change, patch.data.get("enabledIf"))
            found.append([own, *(self._causes.variable(name, entry) for name in names)])
        return found

    def _entry(self, item: RequestItem) -> Path | None:
        """Return the topology entry whose overrides an item sees."""
        role = item.role
        if role.kind is not None:
            return self._causes.entries[role.kind, role.group][0]
        return ("controlPlane",) if role.owner else None
