"""Recognise files in a package's folder that hold no resources: of other tools, and of kustomize."""

from __future__ import annotations

from krmkit.krm.resource import Resource

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def is_hidden(path: str) -> bool:
    """Return whether any part of a path begins with a dot: `is_hidden(".github/ci.yaml")`."""
    return path.startswith(".") or "/." in path


def not_a_resource(resource: Resource) -> str:
    """Return why an item is not a resource, "" if it is one."""
    for value, path in (
        (resource.api_version, "apiVersion"),
        (resource.kind, "kind"),
        (resource.name, "metadata.name"),
    ):
        if not value:
            if _is_kustomization(resource):
                return ""
            return f"{resource.label}: has no {path}, so it is not a Kubernetes resource"
    return ""


def _is_kustomization(resource: Resource) -> bool:
    file = (resource.path or "").rpartition("/")[2]
    version = resource.api_version
    return (
        file in _KUSTOMIZATIONS
        or version.startswith("kustomize.config.k8s.io")
        or (not version and resource.kind == "Kustomization")
    )
