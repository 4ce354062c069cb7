"""Paths into a resource: tuples of keys and list positions."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.yaml.copies import detached
from krmkit.libraries.yaml.data import is_core_null, lookup
from krmkit.libraries.yaml.tree import Alias, Map, Node, Scalar, Seq

Path = tuple[str | int, ...]


def container(root: Map, path: Path, child: str | int, label: str) -> Map | Seq:
    """Return the collection at a path, created for the key `child` if absent; aliases become copies."""
    node: Map | Seq = root
    for position, step in enumerate(path):
        following = path[position + 1] if position + 1 < len(path) else child
        node = _step(node, step, following, path[: position + 1], label)
    return node


def _step(node: Map | Seq, step: str | int, following: str | int, path: Path, label: str) -> Map | Seq:
    found: Node | None = None
    if isinstance(node, Map) and isinstance(step, str):
        entry = node.entry(step)
        if entry is not None and isinstance(entry.value, Alias):
            found = node.replace(entry, detached(entry.value))
        elif entry is not None:
            found = entry.value
        else:
            merged = lookup(node, step)
            found = node.set(step, detached(merged) if merged is not None else _fresh(following))
        if isinstance(found, Scalar) and (not found.text or is_core_null(found)):
            found = node.set(step, _fresh(following))
    elif isinstance(node, Seq) and isinstance(step, int) and 0 <= step < len(node.items):
        found = node.items[step]
        if isinstance(found, Alias):
            found = node.replace(step, detached(found))
    elif isinstance(node, Seq) and step == len(node.items):
        found = node.append(_fresh(following))
    if not isinstance(found, (Map, Seq)):
        raise Refused(f"{label}: {dotted(path)} is not a mapping or list, so nothing can be put into it")
    return found


def _fresh(following: str | int) -> Map | Seq:
    return Map() if isinstance(following, str) else Seq()
