"""Decode PackageVariants and PackageVariantSets strictly."""

from __future__ import annotations

from krmkit.krm.cause import CauseLog
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.nearest import did_you_mean, nearest
from krmkit.libraries.schema.openapi import Schema
from krmkit.libraries.schema.violations import Violation, validate
from krmkit.systems.porch.api.apinames import SET_KIND, SET_VERSION, VARIANT_KIND, VARIANT_VERSION, PorchError
from krmkit.systems.porch.variants.causes import VariantCauses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FIELDS = ("apiVersion", "kind", "metadata", "spec", "status")
_HINTS = {
    (VARIANT_KIND, "injectorExprs"): "Porch has no such field, and would drop it: write injectors[].name",
    (SET_KIND, "injectorExprs"): "Porch has no such field, and would drop it: write injectors[].nameExpr",
    (SET_KIND, "packageNames"): "it belongs beside a name under repositories, or beside a selector",
}


class DecodedVariant:
    """A PackageVariant or PackageVariantSet. `spec` is valid if there are no `violations`."""

    def __init__(self, resource: Resource, spec: dict[str, Any], violations: list[Violation]) -> None:
        self.resource = resource
        self.spec = spec
        self.violations = violations
        self.name = resource.name
        self.namespace = resource.namespace
        self.uid = resource.string("metadata", "uid")


def recorder(log: CauseLog | None, config: Resource | None) -> VariantCauses | None:
    """Return the recorder of values that the config sets; None without a log."""
    return None if log is None or config is None else VariantCauses(log, config)


def is_variant(resource: Resource) -> bool:
    """Return whether a resource is a PackageVariant of a supported version."""
    return resource.kind == VARIANT_KIND and resource.api_version == VARIANT_VERSION


def is_set(resource: Resource) -> bool:
    """Return whether a resource is a PackageVariantSet of a supported version."""
    return resource.kind == SET_KIND and resource.api_version == SET_VERSION


def refuse_other_version(resource: Resource, fleet: bool = False) -> None:
    """Raise PorchError for a PackageVariant or set of an unsupported version, which would be ignored.

    fleet: the resource is from a fleet's file, where another group or a misspelt kind is an error too.
    """
    expected = {VARIANT_KIND: VARIANT_VERSION, SET_KIND: SET_VERSION}
    group = resource.api_version.partition("/")[0]
    wanted = expected.get(resource.kind)
    if wanted is None:
        slip = nearest(resource.kind, expected) if fleet and group == SET_VERSION.partition("/")[0] else None
        if slip is not None:
            raise PorchError(f"{resource.label}: kind of {resource.name} must be {slip}, got {resource.kind}")
    elif resource.api_version != wanted and (fleet or group.endswith("porch.kpt.dev")):
        raise PorchError(
            f"{resource.label}: apiVersion of the {resource.kind} {resource.name} must be {wanted}, got"
            f" {resource.api_version or 'none'}"
        )


def decode_variant(resource: Resource) -> DecodedVariant:
    """Decode a PackageVariant. Raises YamlError or Refused."""
    from krmkit.systems.porch.api.specschemas import VARIANT

    return _decode(resource, VARIANT)


def variant_of(config: Resource | None) -> DecodedVariant | None:
    """Return the function's config if it is a PackageVariant, else None."""
    return decode_variant(config) if config is not None and config.kind == VARIANT_KIND else None


def decode_set(resource: Resource) -> DecodedVariant:
    """Decode a PackageVariantSet. Raises YamlError or Refused."""
    from krmkit.systems.porch.api.specschemas import SET

    return _decode(resource, SET)


def _decode(resource: Resource, expected: Schema) -> DecodedVariant:
    violations = [
        Violation(join("", key), f'unknown field "{key}"' + did_you_mean(key, _FIELDS))
        for key in resource.root.names()
        if key not in _FIELDS
    ]
    if not resource.name:
        violations.append(Violation("metadata.name", "is required: the generated names are made of it"))
    spec = resource.get("spec")
    checked, found = validate(expected, {} if spec is None else spec, "spec")
    for violation in found:
        hint = _HINTS.get((resource.kind, violation.path.rpartition(".")[2]))
        if hint is not None and violation.message.startswith("unknown field"):
            violation.message = f"{violation.message.partition(';')[0]}; " + hint
    return DecodedVariant(resource, checked if isinstance(checked, dict) else {}, violations + found)
