"""Validate a PackageVariant (config.porch.kpt.dev/v1alpha1), and make its conditions.

Source: validatePackageVariant of the packagevariants controller, with its messages.
"""

from __future__ import annotations

from krmkit.systems.porch.api.apinames import ADOPTION_POLICIES, DELETION_POLICIES, READY, STALLED, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RESERVED_KEYS = ("name", "package-path")


def validate_variant(spec: dict[str, Any]) -> list[str]:
    """Return all messages in the controller's order.

    An empty policy means the default. The upstream's revision and workspace are not required.
    """
    errors = validate_upstream(spec.get("upstream"))
    downstream = spec.get("downstream")
    if downstream is None:
        errors.append("missing required field spec.downstream")
    else:
        errors += [
            f"missing required field spec.downstream.{key}"
            for key in ("repo", "package")
            if not downstream.get(key)
        ]
    if spec.get("adoptionPolicy") and spec["adoptionPolicy"] not in ADOPTION_POLICIES:
        errors.append('spec.adoptionPolicy field can only be "adoptNone" or "adoptExisting"')
    if spec.get("deletionPolicy") and spec["deletionPolicy"] not in DELETION_POLICIES:
        errors.append('spec.deletionPolicy can only be "orphan" or "delete"')
    errors += validate_context(spec.get("packageContext") or {})
    for index, injector in enumerate(spec.get("injectors") or ()):
        if not (injector or {}).get("name"):
            errors.append(f"spec.injectors[{index}].name must not be empty")
    return errors


def validate_upstream(upstream: dict[str, Any] | None) -> list[str]:
    """Return the missing part of an upstream: all of it, its repo or its package."""
    if upstream is None:
        return ["missing required field spec.upstream"]
    return [
        f"missing required field spec.upstream.{key}" for key in ("repo", "package") if not upstream.get(key)
    ]


def validate_context(
    context: dict[str, Any],
    data_field: str = "spec.packageContext.data",
    remove_field: str = "spec.packageContext.removeKeys",
) -> list[str]:
    """Return a message for each reserved key in a packageContext {data, removeKeys}.

    data_field, remove_field: the user's fields, in a PackageVariant or another config.
    """
    data = context.get("data") or {}
    removed = context.get("removeKeys") or []
    errors: list[str] = []
    if not any(reserved in data or reserved in removed for reserved in RESERVED_KEYS):
        return errors
    from krmkit.libraries.go.json.functions import must_to_json

    for reserved in RESERVED_KEYS:
        why = f'must not contain the key "{reserved}"'
        if reserved in data:
            errors.append(f"{data_field}: Invalid value: {must_to_json(data)}: {why}")
        errors += [
            f"{remove_field}: Invalid value: {must_to_json(removed)}: {why}"
            for key in removed
            if key == reserved
        ]
    return errors


VALID = Condition(STALLED, "False", "Valid", "all validation checks passed")


def conditions_of_success() -> list[Condition]:
    """Return Stalled and Ready of a variant with an up-to-date package."""
    return [VALID, Condition(READY, "True", "NoErrors", "successfully ensured downstream package variant")]


def conditions_of_invalid(errors: list[str]) -> list[Condition]:
    """Return Stalled and Ready of an invalid variant. errors: from validate_variant."""
    return [
        Condition(STALLED, "True", "ValidationError", "; ".join(errors)),
        Condition(READY, "False", "Error", "invalid packagevariant object"),
    ]


def conditions_of_failure(message: str) -> list[Condition]:
    """Return Stalled and Ready of a valid variant whose package could not be changed."""
    return [VALID, Condition(READY, "False", "Error", message)]
