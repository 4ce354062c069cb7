"""The fields around the items of a ResourceList: kind, apiVersion, and whether one is empty."""

from __future__ import annotations

from krmkit.krm.errors import ListError
from krmkit.yaml.tree import Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.tree import Entry

VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1")


def check_header(root: Map) -> None:
    """Raise ListError if a mapping is not a ResourceList of a known version."""
    kind, version = _text(root, "kind"), _text(root, "apiVersion")
    if kind != "ResourceList":
        raise ListError(f"the input's kind is {kind or 'absent'}, expected ResourceList")
    if version not in VERSIONS:
        raise ListError(f"the ResourceList's apiVersion is {version or 'absent'}, expected {VERSIONS[0]}")


def is_empty_entry(entry: Entry) -> bool:
    """Return whether a field has no value: `results:`, `results: []`."""
    value = entry.first_value
    return (isinstance(value, Seq) and not value.items) or (isinstance(value, Scalar) and not value.text)


def _text(root: Map, name: str) -> str:
    node = root.get(name)
    return node.text if isinstance(node, Scalar) else ""
