"""Run all patches of a class, in order, on all templates of a Cluster. Source: patches/engine.go.

The order: one request carries the templates through all patches; each patch is generated from the templates
that the patches before it changed; after the last patch the extensions validate; then results are written
back.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE, INFRASTRUCTURE_CLUSTER
from krmkit.systems.clusterapi.model.causes import ClusterCauses
from krmkit.systems.clusterapi.model.extensions import JSON_MERGE_PATCH, Extensions
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.patches.apply import PROTECTED_CONTROL_PLANE, Patched, write_back
from krmkit.systems.clusterapi.patches.external import ExternalPatch
from krmkit.systems.clusterapi.patches.inline import InlinePatch
from krmkit.systems.clusterapi.patches.recorder import PatchRecorder
from krmkit.systems.clusterapi.patches.request import Request, RequestItem

INLINE = "inline"


class PatchEngine:
    """The patches of one class, with parsed templates, and the variables that each patch sees.

    definitions: the class's status.variables; None if every patch sees every variable.
    """

    def __init__(self, patches: list[Object], definitions: list[Object] | None) -> None:
        self._patches: list[InlinePatch | ExternalPatch] = [
            InlinePatch(patch) if patch.get("definitions") else ExternalPatch(patch) for patch in patches
        ]
        self._names = None if definitions is None else _names_by_source(definitions)

    @property
    def has_patches(self) -> bool:
        return bool(self._patches)

    def apply(
        self,
        request: Request,
        desired: ClusterState,
        extensions: Extensions,
        causes: ClusterCauses | None = None,
    ) -> None:
        """Patch the Cluster's objects of the request. causes: records each change. Raises TopologyError."""
        drafts = {id(item): Patched(item) for item in request.items}
        names: frozenset[str] | None = None
        recorder = None
        if causes is not None:
            from krmkit.systems.clusterapi.patches.recorder import PatchRecorder

            recorder = PatchRecorder(causes, request)
        for number, patch in enumerate(self._patches):
            names = self._visible(patch)
            if isinstance(patch, ExternalPatch) and not patch.generates:
                raise TopologyError(f"failed to create patch generator for patch {quote(patch.name)}")
            try:
                answers = patch.generate(request, names, extensions)
            except TopologyError as error:
                error.at(f"spec.patches[{number}]{patch.inner}")
                raise error.wrapped(f"failed to generate patches for patch {quote(patch.name)}") from None
            if recorder is not None:
                recorder.begin(patch, number, names)
            try:
                _apply(patch.name, drafts, answers, recorder)
            except TopologyError as error:
                raise error.at(f"spec.patches[{number}]{patch.inner}") from None
        for number, patch in enumerate(self._patches):
            if isinstance(patch, ExternalPatch) and patch.validates:
                try:
                    # The variables of the last patch, as in the reference, which does not compute them again.
                    patch.validate(request, names, extensions)
                except TopologyError as error:
                    error.at(f"spec.patches[{number}].external.validateTopologyExtension")
                    raise error.wrapped(f"validation of patch {quote(patch.name)} failed") from None
        update_desired_state(request, desired, recorder)

    def _visible(self, patch: InlinePatch | ExternalPatch) -> frozenset[str] | None:
        if self._names is None:
            return None
        source = INLINE if isinstance(patch, InlinePatch) else patch.name
        return self._names.get(source, frozenset())


def _apply(
    patch: str,
    drafts: dict[int, Patched],
    answers: list[tuple[RequestItem, str, Any, int]],
    recorder: PatchRecorder | None,
) -> None:
    """Apply the answers of one patch, in their order."""
    try:
        for item, kind, content, number in answers:
            if kind == JSON_MERGE_PATCH:
                drafts[id(item)].merge_patch(content)
                if recorder is not None:
                    recorder.merged(item, content)
            else:
                note = None if recorder is None else recorder.noting(item, content, number)
                drafts[id(item)].json_patch(content, note)
    except TopologyError as error:
        raise error.wrapped(f"failed to apply patches for patch {quote(patch)}") from None


def _names_by_source(definitions: list[Object]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for variable in definitions:
        for definition in variable.get("definitions") or []:
            found.setdefault(str(definition.get("from", "")), set()).add(str(variable.get("name")))
    return {source: frozenset(names) for source, names in found.items()}


def update_desired_state(
    request: Request, desired: ClusterState, recorder: PatchRecorder | None = None
) -> None:
    """Write all patched templates back to the desired objects. Raises TopologyError."""
    before = dict(desired.objects()) if recorder is not None else {}
    try:
        for item in request.items:
            _write(item, desired)
            if recorder is not None:
                recorder.written(item, before[item.role])
    except TopologyError as error:
        raise error.wrapped("failed to apply patches to desired state") from None


def _write(item: RequestItem, desired: ClusterState) -> None:
    role, control_plane = item.role, desired.control_plane
    if role.kind is not None:
        worker = desired.workers(role.kind)[role.group]
        if role.part == role.kind.bootstrap:
            worker.bootstrap = write_back(worker.bootstrap, item.object, role.is_template)
        else:
            worker.infrastructure = write_back(worker.infrastructure, item.object, role.is_template)
    elif role == INFRASTRUCTURE_CLUSTER:
        desired.infrastructure_cluster = write_back(desired.infrastructure_cluster, item.object, False)
    elif role == CONTROL_PLANE:
        control_plane.object = write_back(control_plane.object, item.object, False, PROTECTED_CONTROL_PLANE)
    else:
        assert control_plane.infrastructure_machine_template is not None
        control_plane.infrastructure_machine_template = write_back(
            control_plane.infrastructure_machine_template, item.object, True
        )
