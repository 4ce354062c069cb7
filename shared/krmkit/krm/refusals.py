"""Findings for objects that an API server refuses because of their CRD's schema."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from krmkit.krm.finding import Subject
    from krmkit.krm.resource import Resource
    from krmkit.libraries.kube.fielderror import FieldError

REFUSED = "refused-object"
_EMPTY = ("should have at least 1 properties", "should have at least 1 items")


def refusal(error: FieldError, resource: Subject | None, made: str = "") -> Finding:
    """Return the finding for one error. made: the refused object derived from the resource, `DeployItem x/y`.

    An empty value gets its remedy: `spec.files: ... should have at least 1 items; leave the field out, or
    fill it`.
    """
    message = error.body()
    if message.endswith(_EMPTY):
        message += "; leave the field out, or fill it"
    if not made:
        return Finding(REFUSED, message, resource, error.field)
    return Finding(REFUSED, f"the API refuses {made}, {error.field}: {message}", resource)


def definitions(resources: Iterable[Resource]) -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions among items; unreadable ones are skipped."""
    found = []
    for resource in resources:
        if resource.kind == "CustomResourceDefinition":
            try:
                data = resource.get()
            except YamlError:
                continue
            if isinstance(data, dict):
                found.append(data)
    return found
