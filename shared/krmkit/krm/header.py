"""What a ResourceList says that it is."""

from __future__ import annotations

from krmkit.krm.errors import ListError
from krmkit.yaml.tree import Map, Scalar

VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1")


def check_header(root: Map) -> None:
    """Raise ListError if a mapping is no ResourceList of a known version."""
    kind, version = _text(root, "kind"), _text(root, "apiVersion")
    if kind != "ResourceList":
        raise ListError(f"the input's kind is {kind or 'absent'}, expected ResourceList")
    if version not in VERSIONS:
        raise ListError(f"the ResourceList's apiVersion is {version or 'absent'}, expected {VERSIONS[0]}")


def _text(root: Map, name: str) -> str:
    node = root.get(name)
    return node.text if isinstance(node, Scalar) else ""
