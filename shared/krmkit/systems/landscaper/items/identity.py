"""Read the identity of an installation: name, namespace, parent and context."""

from __future__ import annotations

from collections.abc import Iterable

from krmkit.libraries.schema.fields import entries, mapping, text, texts
from krmkit.systems.landscaper.apinames import SUBINSTALLATION_NAME_ANNOTATION, installation_source

DEFAULT_NAMESPACE = "default"


def name_of(item: dict[str, object]) -> str:
    return text(mapping(item.get("metadata")).get("name"))


def namespace_of(item: dict[str, object]) -> str:
    """Return metadata.namespace, "default" if the object has none."""
    return text(mapping(item.get("metadata")).get("namespace")) or DEFAULT_NAMESPACE


def parent_of(installation: dict[str, object]) -> str:
    """Return the name of the parent installation; "" for a root installation.

    The parent is the owner of kind Installation. Installations of an earlier run are never input, with or
    without an owner: see `items`.
    """
    metadata = mapping(installation.get("metadata"))
    for owner in entries(metadata.get("ownerReferences")):
        if owner.get("kind") == "Installation":
            return text(owner.get("name"))
    return ""


def roots_by_namespace(installations: Iterable[dict[str, object]]) -> dict[str, dict[str, dict[str, object]]]:
    """Return the root installations by namespace, then by name: `{"prod": {"shop": {...}}}`."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for one in installations:
        if not parent_of(one):
            found.setdefault(namespace_of(one), {})[name_of(one)] = one
    return found


def scope_of(installation: dict[str, object]) -> str:
    """Return the scope of an installation's imports: "" for a root, else `Inst.<parent>`."""
    parent = parent_of(installation)
    return installation_source(parent) if parent else ""


def template_of(installation: dict[str, object]) -> str:
    """Return the template name of a nested installation."""
    annotations = texts(mapping(installation.get("metadata")).get("annotations"))
    return annotations.get(SUBINSTALLATION_NAME_ANNOTATION, "")
