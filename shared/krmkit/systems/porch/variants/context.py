"""Set the package context: the ConfigMap kptfile.kpt.dev in package-context.yaml.

Source: ensurePackageContext of the packagevariants controller, and kpt's built-in generator,
pkg/lib/builtins/pkg_context.go.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go_value
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.edits.minimaledit import own, strings_of
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.decodevariants import recorder, variant_of
from krmkit.systems.porch.variants.findings import violation_findings
from krmkit.systems.porch.variants.packageview import CONTEXT_FILE, CONTEXT_NAME, PackageView
from krmkit.systems.porch.variants.validation import validate_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.resourcelist import ResourceList


def set_context(items: ResourceList, context: dict[str, Any], config: Resource | None) -> list[Finding]:
    """Apply a context, or the context of a PackageVariant config, to the root package among the items.

    Raises PorchError (no-package-context) if the package has no context, or one that cannot be edited.
    """
    variant = variant_of(config)
    if variant is not None and variant.violations:
        return violation_findings(variant)
    above = "" if config is not None and config.kind == "ConfigMap" else "spec."
    if variant is not None:
        context, above = variant.spec.get("packageContext") or {}, "spec.packageContext."
    reserved = validate_context(context, f"{above}data", f"{above}removeKeys")
    if reserved:
        return [Finding("reserved-key", message, config) for message in reserved]
    package = PackageView(items)
    if not package.at(CONTEXT_FILE) and (context.get("data") or context.get("removeKeys")):
        what = f"there is no {CONTEXT_FILE} among the items, which this function edits; kustomize hands on no paths"
        raise PorchError(what, "no-package-context")
    try:
        set_package_context(package, context, recorder(items.causes, config))
    except PorchError as error:
        raise PorchError(str(error), "no-package-context") from None
    return []


def set_package_context(
    package: PackageView, context: dict[str, Any] | None, causes: VariantCauses | None = None
) -> None:
    """Set the keys of context.data, then remove the keys of context.removeKeys, which win.

    If both are empty, nothing is read. All values become strings, as the controller reads and writes a map of
    strings. Existing keys keep their place, new keys follow sorted. Raises PorchError if the file, its only
    ConfigMap, or its data is missing.
    """
    context = context or {}
    data: dict[str, str] = context.get("data") or {}
    removed: list[str] = context.get("removeKeys") or []
    if not data and not removed:
        return
    resource = package.single(CONTEXT_FILE, "ConfigMap", CONTEXT_NAME)
    node = own(resource, "data")
    if node is None:
        raise PorchError("PackageContext no data field found: the ConfigMap kptfile.kpt.dev has no data")
    existing = strings_of(node) if isinstance(node, Map) else None
    if existing is None:
        raise PorchError(
            "PackageContext invalid data field: the data of the ConfigMap kptfile.kpt.dev is not a map of strings"
        )
    for key, scalar in existing.items():
        value = go_value(scalar)
        text = data.get(key, "" if value is None else scalar.text)
        if key not in removed and value != text:
            resource.set(("data", key), text)
    for key in sorted(data.keys() - existing.keys() - set(removed)):
        resource.set(("data", key), data[key])
    for key in dict.fromkeys(removed):
        if key in existing:
            resource.remove(("data", key))
    if causes is not None:
        for key in {**data, **dict.fromkeys(removed)}:
            causes.context(resource, key, key in removed)


def is_package_context(resource: Resource) -> bool:
    """Return whether kpt's generator drops the resource: a ConfigMap of the reserved name in any file."""
    return resource.kind == "ConfigMap" and resource.api_version == "v1" and resource.name == CONTEXT_NAME


def context_text(name: str, path: str = "") -> str:
    """Return a fresh package context as kpt writes it: the package's name, and under Porch its path."""
    path = f"  package-path: {emit.scalar(path, 2)}\n" if path else ""
    return (
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        f"  name: {CONTEXT_NAME}\n"
        "  annotations:\n"
        '    config.kubernetes.io/local-config: "true"\n'
        "data:\n"
        f"  name: {emit.scalar(name, 2)}\n{path}"
    )
