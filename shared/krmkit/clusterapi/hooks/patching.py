"""Patches of a TopologyExtension: those of a ClusterClass, one after the other, and one diff for each template."""

from __future__ import annotations

from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.hooks.messages import HookError, described
from krmkit.clusterapi.patches.applypatches import Patched
from krmkit.clusterapi.patches.patchvalues import PatchValueError, Variables, enabled_by, value_of
from krmkit.clusterapi.patches.request import item_variables, merge_variables
from krmkit.clusterapi.patches.selector import matches
from krmkit.lang.golang.printing import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from krmkit.clusterapi.patches.request import Request, RequestItem

    Object = dict[str, Any]

SETTINGS = "settings"


class ExtensionPatch:
    """One patch, whose templates are parsed once for all requests."""

    __slots__ = ("_definitions", "_enabled", "name")

    def __init__(self, patch: Object) -> None:
        self.name = str(patch["name"])
        self._enabled = enabled_by(patch.get("enabledIf"))
        self._definitions = [_Definition(one) for one in patch["definitions"]]

    def apply(
        self, item: RequestItem, variables: Variables, draft: Patched, shown: Callable[[str], str]
    ) -> None:
        """Patch one template. `shown` removes secrets from the details of errors. Raises HookError."""
        chosen = [one for one in self._definitions if matches(item, one.selector)]
        if not chosen:
            return
        where = f"patch {quote(self.name)}, {described(item)}"
        try:
            if not self._enabled(variables):
                return
        except PatchValueError as error:
            raise HookError(f"{where}, enabledIf: {shown(str(error))}") from None
        # Values come from the state before the patch, as in a ClusterClass.
        calculated = [one.calculate(variables, where, shown) for one in chosen]
        for operations, merge in calculated:
            try:
                if operations:
                    draft.json_patch(operations)
                if merge is not None:
                    draft.merge_patch(merge)
            except TopologyError as error:
                raise HookError(f"{where}: {shown(str(error))}") from None


class _Definition:
    __slots__ = ("_merge", "_operations", "selector")

    def __init__(self, definition: Object) -> None:
        self.selector: Object = definition["selector"]
        self._operations = [
            (one["op"], one["path"], value_of(one) if one["op"] in ("add", "replace") else None)
            for one in definition.get("jsonPatches") or []
        ]
        merge = definition.get("jsonMergePatch")
        self._merge = None if merge is None else value_of(merge)

    def calculate(
        self, variables: Variables, where: str, shown: Callable[[str], str]
    ) -> tuple[list[Object], Any]:
        """Return the operations, and the merge patch or None. Raises HookError."""
        operations = []
        place = ""
        try:
            for op, path, value in self._operations:
                place = f"{op} {path}"
                operation: Object = {"op": op, "path": path}
                if value is not None:
                    operation["value"] = value(variables)
                operations.append(operation)
            place = "jsonMergePatch"
            merge = None if self._merge is None else self._merge(variables)
        except PatchValueError as error:
            raise HookError(f"{where}, {place}: {shown(str(error))}") from None
        if merge is not None and not isinstance(merge, dict):
            raise HookError(f"{where}, {place}: must be a map, got {type(merge).__name__}")
        return operations, merge


def values_of(request: Request, settings: Object | None) -> list[Object]:
    """Return for each item the variables that templates and rules see: its own override the Cluster's; with `builtin` and `settings`."""
    shared = request.variables_for(None)
    found = []
    for item in request.items:
        values = merge_variables(shared, item_variables(item, None))
        if settings is not None:
            values[SETTINGS] = settings
        found.append(values)
    return found
