"""Apply patches to the templates of a request, and write the templates back to the desired objects.

Source: patches/engine.go (applyPatchesToRequest) and patches/patch.go (copySpec and the fields it preserves).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from krmkit.libraries.json import Object
from krmkit.libraries.json.patch import Draft, merged
from krmkit.libraries.json.text import JsonError
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.fields import MISSING, lookup, put
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.objectversion import label, served_structs
from krmkit.systems.clusterapi.patches.request import RequestItem

Path = tuple[str, ...]

PROTECTED_LABELS = (labels.CLUSTER_NAME, labels.OWNED, labels.DEPLOYMENT_NAME, labels.POOL_NAME)
PROTECTED_ANNOTATIONS = (labels.CLONED_FROM_NAME, labels.CLONED_FROM_GROUP_KIND)
# The fields of a control plane that the topology sets, in both contracts; no patch may change them once set.
_MACHINE_TEMPLATE = ("spec", "machineTemplate")
_TIMEOUTS = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")
PROTECTED_CONTROL_PLANE: tuple[Path, ...] = (
    (*_MACHINE_TEMPLATE, "metadata"),
    *((*_MACHINE_TEMPLATE, *inner, name) for inner in ((), ("spec",)) for name in (
        "infrastructureRef", "readinessGates", "taints")),
    *((*_MACHINE_TEMPLATE, name) for name in _TIMEOUTS),
    *((*_MACHINE_TEMPLATE, "spec", "deletion", name + "Seconds") for name in _TIMEOUTS),
    ("spec", "replicas"),
    ("spec", "version"),
    ("spec", "rollout", "after"),
)  # fmt: skip
_METADATA = (("metadata", "labels"), ("metadata", "annotations"))
OBJECT_FIELDS: tuple[tuple[Path, Path], ...] = tuple(
    (("spec", "template", *path), path) for path in (*_METADATA, ("spec",))
)
TEMPLATE_FIELDS = tuple((path, path) for path in (*_METADATA, *(source for source, _ in OBJECT_FIELDS)))


def protected_fields(preserve: Iterable[Path] = ()) -> list[Path]:
    """Return the fields of a desired object that keep their value: labels, annotations and `preserve`."""
    found: list[Path] = [("metadata", "labels", name) for name in PROTECTED_LABELS]
    found += [("metadata", "annotations", name) for name in PROTECTED_ANNOTATIONS]
    return [*found, *preserve]


class Patched:
    """A template under the patches of a class, which are applied one after the other."""

    def __init__(self, item: RequestItem) -> None:
        self._item = item
        self._draft = Draft(item.object)

    def json_patch(self, operations: list[Object], note: Callable[[int, object], None] | None = None) -> None:
        """Apply an RFC 6902 patch to spec, labels and annotations only. Raises TopologyError.

        note: called after each operation, with its number and the document.
        """
        before = self._item.object
        # Patches of spec share one draft; of others' copies, spec, labels and annotations are taken.
        inner = all(str(operation.get("path", "")).startswith("/spec/") for operation in operations)
        draft = self._draft if inner else Draft(before)
        try:
            for operation in operations:
                path = tuple(str(operation.get("path", "")).split("/")[1:])
                for struct in served_structs(before, path if operation.get("op") != "add" else path[:-1]):
                    draft.apply(({"op": "add", "path": "/" + "/".join(struct), "value": {}},))
            if note is None:
                draft.apply(operations)
            else:
                for number, operation in enumerate(operations):
                    draft.apply((operation,))
                    note(number, draft.document)
        except JsonError as error:
            wrong = TopologyError(f"failed to apply patch: error applying json patch (RFC6902): {error}")
            wrong.hint = _absent(before, str(error))
            raise wrong from None
        if inner:
            self._item.object = draft.document
        else:
            self._accept(before, draft.document)

    def merge_patch(self, patch: object) -> None:
        """Apply an RFC 7386 patch to spec, labels and annotations only. Raises TopologyError."""
        before = self._item.object
        try:
            self._accept(before, merged(before, patch))
        except JsonError as error:
            raise TopologyError(
                f"failed to apply patch: error applying json merge patch (RFC7386): {error}"
            ) from None

    def _accept(self, before: Object, after: object) -> None:
        """Take spec, labels and annotations from `after` if it has them, and nothing else."""
        if not isinstance(after, dict):
            raise TopologyError(
                "failed to apply patch to template: failed to convert patched template to Unstructured:"
                " the patched template is not a mapping"
            )
        result = dict(before)
        if "spec" in after:
            result["spec"] = after["spec"]
        for path in _METADATA:
            value = lookup(after, path)
            if value is not MISSING:
                result = put(result, path, value)
        self._item.object = result
        self._draft = Draft(result)


def _absent(document: Object, message: str) -> str:
    """Return a hint about the first map of a path that the template lacks, or ""."""
    match = re.search(r'add operation does not apply: doc is missing path: "([^"]*)"', message)
    parts = match[1].split("/")[1:-1] if match else []
    holder: object = document
    for number, part in enumerate(parts, 1):
        holder = holder.get(part) if isinstance(holder, dict) else None
        if holder is None:
            return (
                f"; {label(document)} has no {'.'.join(parts[:number])}, below which the patch adds: put it into the template,"
                " also where its provider's webhook would fill it in on a server"
            )
    return ""


def write_back(target: Object, template: Object, is_template: bool, preserve: Iterable[Path] = ()) -> Object:
    """Return the desired object with spec, labels and annotations of its patched template.

    is_template: the object is a template itself. preserve: more fields whose existing value stays. Each field
    of the patched template is replaced as a whole. Raises TopologyError.
    """
    fields = TEMPLATE_FIELDS if is_template else OBJECT_FIELDS
    kept = [(path, lookup(target, path)) for path in protected_fields(preserve)]
    result = target
    try:
        for source, destination in fields:
            value = lookup(template, source)
            if value is not MISSING:
                result = put(result, destination, value)
        for path, value in kept:
            if value is not MISSING and lookup(result, path) is not value:
                result = put(result, path, value)
    except SchemaError as error:
        metadata = target.get("metadata", {})
        name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        raise TopologyError(f"failed to apply patch to {name}: failed to set field: {error}") from None
    return result
