"""Generate JSON patches of inline patches. Source: patches/inline/json_patch_generator.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.errors import PatchValueError, TopologyError
from krmkit.systems.clusterapi.model.extensions import JSON_PATCH, Extensions
from krmkit.systems.clusterapi.patches.request import (
    Request,
    RequestItem,
    item_variables,
    matches,
    merge_variables,
)
from krmkit.systems.clusterapi.patches.values import Variables, enabled_by, value_of


class InlinePatch:
    """A patch of a class with its templates parsed; one per class, used for all its Clusters."""

    inner = ""
    """Where in a patch of the class the patches are: everywhere."""

    def __init__(self, patch: Object) -> None:
        self.data = patch
        self.name = str(patch.get("name", ""))
        self._enabled = enabled_by(patch.get("enabledIf"))
        self._definitions = [
            (
                mapping(definition, "selector"),
                [_operation(one) for one in definition.get("jsonPatches") or []],
            )
            for definition in patch.get("definitions") or []
        ]

    def generate(
        self, request: Request, names: frozenset[str] | None, extensions: Extensions
    ) -> list[tuple[RequestItem, str, Any, int]]:
        """Return (item, patch type, patch, definition's number) for each item that a definition selects.

        names: the variables defined for this patch (None: all). Calls no extension. Raises TopologyError.
        """
        shared = request.variables_for(names)
        answers: list[tuple[RequestItem, str, Any, int]] = []
        errors: list[str] = []
        for item in request.items:
            chosen = [
                (number, operations)
                for number, (selector, operations) in enumerate(self._definitions)
                if matches(item, selector)
            ]
            if not chosen:
                continue
            kind = quote(str(item.object.get("kind", "")))
            variables = Variables(merge_variables(shared, item_variables(item, names)))
            try:
                if not self._enabled(variables):
                    continue
            except PatchValueError as error:
                errors.append(f"failed to calculate if patch is enabled for {kind}: {error}")
                continue
            for number, operations in chosen:
                try:
                    patch = [calculate(variables) for calculate in operations]
                    answers.append((item, JSON_PATCH, patch, number))
                except PatchValueError as error:
                    errors.append(f"failed to generate JSON patches for {kind}: {error}")
        if errors:
            raise TopologyError(aggregate(errors))
        return answers


def _operation(json_patch: Object) -> Callable[[Variables], Object]:
    op, path = json_patch.get("op"), json_patch.get("path")
    if op not in ("add", "replace"):
        return lambda variables: {"op": op, "path": path}
    value = value_of(json_patch)
    return lambda variables: {"op": op, "path": path, "value": value(variables)}


def aggregate(errors: list[str]) -> str:
    """Join errors as Go's aggregate prints them, each once. `aggregate(["a", "b"])` is "[a, b]"."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
