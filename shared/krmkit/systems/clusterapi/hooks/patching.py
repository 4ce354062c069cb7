"""Apply the patches of a TopologyExtension like those of a ClusterClass, with one diff per template."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.errors import PatchValueError, TopologyError
from krmkit.systems.clusterapi.hooks.extensioncauses import ExtensionRecorder
from krmkit.systems.clusterapi.hooks.inputvalidation import NO_VALUE, has_no_value
from krmkit.systems.clusterapi.hooks.messages import HookError, described
from krmkit.systems.clusterapi.patches.apply import Patched
from krmkit.systems.clusterapi.patches.request import (
    Request,
    RequestItem,
    item_variables,
    matches,
    merge_variables,
)
from krmkit.systems.clusterapi.patches.values import Variables, enabled_by, value_of

SETTINGS = "settings"


class ExtensionPatch:
    """One patch, its templates parsed once. `matched`: indexes of definitions that selected a template.

    strict: a template that lacks a variable is an error. Otherwise the patch writes `<no value>`, as a class
    does.
    """

    def __init__(self, patch: Object, strict: bool = False) -> None:
        self.name = str(patch["name"])
        self._enabled = enabled_by(patch.get("enabledIf"))
        self._definitions = [_Definition(one, strict) for one in patch["definitions"]]
        self.matched: set[int] = set()

    def unmatched(self) -> list[tuple[int, Object]]:
        """Return the definitions, by index, whose selectors matched no template so far."""
        return [
            (index, one.selector) for index, one in enumerate(self._definitions) if index not in self.matched
        ]

    def apply(
        self,
        item: RequestItem,
        variables: Variables,
        draft: Patched,
        shown: Callable[[str], str],
        recorder: ExtensionRecorder | None = None,
    ) -> None:
        """Patch one template. `shown` masks secrets in errors. Raises HookError."""
        fitting = [index for index, one in enumerate(self._definitions) if matches(item, one.selector)]
        if not fitting:
            return
        self.matched.update(fitting)
        chosen = [(index, self._definitions[index]) for index in fitting]
        where = f"patch {quote(self.name)}, {described(item)}"
        try:
            if not self._enabled(variables):
                return
        except PatchValueError as error:
            raise HookError(f"{where}, enabledIf: {shown(str(error))}", ".enabledIf") from None
        # Values come from the state before the patch, as in a ClusterClass.
        calculated = [(number, *one.calculate(variables, where, shown, number)) for number, one in chosen]
        for number, operations, merge in calculated:
            try:
                if operations:
                    note = None if recorder is None else recorder.noting(number, operations)
                    draft.json_patch(operations, note)
                if merge is not None:
                    draft.merge_patch(merge)
                    if recorder is not None:
                        recorder.merged(number, merge)
            except TopologyError as error:
                raise HookError(f"{where}: {shown(str(error))}", f".definitions[{number}]") from None


class _Definition:
    def __init__(self, definition: Object, strict: bool) -> None:
        value_from = _strict_value_of if strict else value_of
        self.selector: Object = definition["selector"]
        self._operations = [
            (one["op"], one["path"], value_from(one) if one["op"] in ("add", "replace") else None)
            for one in definition.get("jsonPatches") or []
        ]
        merge = definition.get("jsonMergePatch")
        self._merge = None if merge is None else value_from(merge)

    def calculate(
        self, variables: Variables, where: str, shown: Callable[[str], str], position: int
    ) -> tuple[list[Object], Any]:
        """Return the operations, and the merge patch or None. Raises HookError."""
        operations = []
        place = field = ""
        try:
            for number, (op, path, value) in enumerate(self._operations):
                place, field = f"{op} {path}", f".definitions[{position}].jsonPatches[{number}]"
                operation: Object = {"op": op, "path": path}
                if value is not None:
                    operation["value"] = value(variables)
                operations.append(operation)
            place, field = "jsonMergePatch", f".definitions[{position}].jsonMergePatch"
            merge = None if self._merge is None else self._merge(variables)
        except PatchValueError as error:
            raise HookError(f"{where}, {place}: {shown(str(error))}", field) from None
        if merge is not None and not isinstance(merge, dict):
            raise HookError(f"{where}, {place}: must be a map, got {type(merge).__name__}", field)
        return operations, merge


def _strict_value_of(change: Object) -> Callable[[Variables], Any]:
    """Return a `value_of` that raises an error where a class would write `<no value>`."""
    calculate = value_of(change)
    if not mapping(change, "valueFrom").get("template"):
        return calculate

    def checked(variables: Variables) -> Any:
        value = calculate(variables)
        if has_no_value(value) and not has_no_value(variables.values):
            raise PatchValueError(
                f"the template uses a variable that is not set, so that it writes {quote(NO_VALUE)};"
                " define the variable as required or with a default, or guard its use with if"
            )
        return value

    return checked


def values_of(request: Request, settings: Object | None) -> list[Object]:
    """Return each item's variables for templates and rules: shared, its own, `builtin`, `settings`."""
    shared = request.variables_for(None)
    found = []
    for item in request.items:
        values = merge_variables(shared, item_variables(item, None))
        if settings is not None:
            values[SETTINGS] = settings
        found.append(values)
    return found
