"""External patches: the answers of extensions. Source: patches/external of kubernetes-sigs/cluster-api."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import is_list_of_maps, mapping
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.model import extensions as hooks
from krmkit.systems.clusterapi.model.extensions import JSON_MERGE_PATCH, JSON_PATCH, Extensions, checked
from krmkit.systems.clusterapi.patches.request import Request, RequestItem, item_variables, wire_variables


class ExternalPatch:
    """A patch of a class whose operations come from an extension."""

    inner = ".external.generatePatchesExtension"
    """Where in a patch of the class the patches are said to come from."""

    def __init__(self, patch: Object) -> None:
        self.data = patch
        self.name = str(patch.get("name", ""))
        self._external: Object = mapping(patch, "external")

    @property
    def generates(self) -> bool:
        return bool(self._external.get("generatePatchesExtension"))

    @property
    def handler(self) -> str:
        """Return the extension for GeneratePatches, `<handler>.<extensionConfig>`, or ""."""
        return str(self._external.get("generatePatchesExtension") or "")

    @property
    def validates(self) -> bool:
        return bool(self._external.get("validateTopologyExtension"))

    def generate(
        self, request: Request, names: frozenset[str] | None, extensions: Extensions
    ) -> list[tuple[RequestItem, str, Any, int]]:
        """Return (item, patch type, patch, position) in the order of the answer. Raises TopologyError."""
        handler = self.handler
        wire = self.wire("GeneratePatchesRequest", request, names, with_uid=True)
        response = checked(handler, extensions.call(hooks.GENERATE_PATCHES, handler, wire))
        items = {item.uid: item for item in request.items}
        answers = []
        listed = response.get("items") or []
        if not is_list_of_maps(listed):
            raise TopologyError(f"items in the answer of {handler} must be a list of maps")
        for number, answer in enumerate(listed):
            item = items.get(str(answer.get("uid", "")))
            if item is None:
                raise TopologyError("unable to find corresponding request item for patch")
            kind = answer.get("patchType")
            if kind not in (JSON_PATCH, JSON_MERGE_PATCH):
                raise TopologyError(f"patchType must be {JSON_PATCH} or {JSON_MERGE_PATCH}, got {kind!r}")
            patch = answer.get("patch")
            if kind == JSON_PATCH and not is_list_of_maps(patch):
                raise TopologyError(f"a {JSON_PATCH} in the answer of {handler} must be a list of maps")
            answers.append((item, str(kind), patch, number))
        return answers

    def validate(self, request: Request, names: frozenset[str] | None, extensions: Extensions) -> None:
        """Ask the extension to validate the patched templates. Raises TopologyError if it refuses them."""
        handler = str(self._external["validateTopologyExtension"])
        wire = self.wire("ValidateTopologyRequest", request, names, with_uid=False)
        checked(handler, extensions.call(hooks.VALIDATE_TOPOLOGY, handler, wire))

    def wire(self, kind: str, request: Request, names: frozenset[str] | None, with_uid: bool) -> Object:
        """Return the hook's request. names: the variables defined for the patch (None: all)."""
        items = []
        for item in request.items:
            wire: Object = {"uid": item.uid} if with_uid else {}
            wire["holderReference"] = item.holder
            wire["object"] = item.object
            variables = wire_variables(item_variables(item, names))
            if variables:
                wire["variables"] = variables
            items.append(wire)
        result: Object = {
            "apiVersion": hooks.HOOKS_VERSION,
            "kind": kind,
            "variables": wire_variables(request.variables_for(names)),
            "items": items,
        }
        if self._external.get("settings"):
            result["settings"] = self._external["settings"]
        return result
