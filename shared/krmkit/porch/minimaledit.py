"""Edits that leave equal values alone: comments, order and quoting of the rest stay."""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.yaml.copies import detached
from krmkit.yaml.data import go_data, lookup, same_data
from krmkit.yaml.tree import Alias, Map, Node, Scalar, Seq, deref

_PAIRING = ("internal.config.kubernetes.io/id", "config.k8s.io/id")


def own(resource: Resource, *path: str) -> Node | None:
    """The node at a path, to be edited: where an alias or a merge key leads there, a copy takes its place first.

    Where the node, or one above it, has an anchor, the aliases of it become copies, so that what they mean stays.
    """
    node: Node = resource.root
    for depth, name in enumerate(path):
        if not isinstance(node, Map):
            return None
        entry = node.entry(name)
        if entry is None:
            merged = lookup(node, name)
            if merged is None:
                return None
            resource.set(path[: depth + 1], detached(merged))
        elif isinstance(entry.value, Alias):
            resource.set(path[: depth + 1], detached(entry.value))
        following = node.get(name)
        assert following is not None
        node = following
        if node.anchor is not None and isinstance(node, (Map, Seq)):
            _untie(resource.root, node)
    return node


def _untie(container: Node, target: Node) -> None:
    """Put copies in place of all aliases of `target` at and below `container`."""
    if isinstance(container, Map):
        for entry in container.entries:
            if isinstance(entry.value, Alias) and entry.value.target is target:
                container.replace(entry, detached(entry.value))
            else:
                _untie(entry.value, target)
    elif isinstance(container, Seq):
        for position, item in enumerate(container.items):
            if isinstance(item, Alias) and item.target is target:
                container.replace(position, detached(item))
            else:
                _untie(item, target)


def overwrite(resource: Resource, path: tuple[str, ...], value: object) -> None:
    """Make the data at `path` equal to `value`: mappings key by key, so that lines which stay the same stay as they are."""
    node = own(resource, *path)
    if node is not None and same_data(go_data(node, resource.limits), value):
        return
    if not (isinstance(value, dict) and value and isinstance(node, Map) and node.entries) or _merges(node):
        if isinstance(node, Seq):
            keep_comments_here(resource)
        resource.set(path, value)
        return
    for entry in list(node.entries):
        if entry.name is not None and entry.name not in value:
            resource.remove((*path, entry.name))
    for name, item in value.items():
        overwrite(resource, (*path, name), item)


def _merges(node: Map) -> bool:
    return any(entry.name in (None, "<<") for entry in node.entries)


def arrange(resource: Resource, items: Seq, wanted: list[int | object]) -> bool:
    """Make a list hold `wanted` in that order: an int is the present position of an item, anything else a new item.

    Returns whether that changed anything.
    """
    if wanted[: len(items.items)] != list(range(len(items.items))):
        keep_comments_here(resource)
    order = [entry for entry in wanted if isinstance(entry, int)]
    if order == list(range(len(items.items))) and len(order) == len(wanted):
        return False
    items.reorder(order)
    for position, entry in enumerate(wanted):
        if not isinstance(entry, int):
            items.insert(position, entry)
    resource.changed = True
    return True


def keep_comments_here(resource: Resource) -> None:
    """Keep kpt from copying the old comments and the old order of fields onto list entries that are at other positions now.

    kpt pairs what a function returns with what it sent by these annotations, entry by entry in the order of the lists. The first entry
    that is put in front would get the comments of the one behind it, and that one too. Without the annotations our text stays.
    """
    for name in _PAIRING:
        resource.remove(("metadata", "annotations", name))


def settle(resource: Resource) -> None:
    """Write the recorded edits into the text, so that what moves afterwards takes its lines, with their comments, as they are."""
    _ = resource.text


def strings_of(node: Map) -> dict[str, Scalar] | None:
    """The entries of a map of scalars by key; None where a value is a map or a list."""
    found: dict[str, Scalar] = {}
    for entry in node.entries:
        value = deref(entry.value)
        if entry.name is None or not isinstance(value, Scalar):
            return None
        found[entry.name] = value
    return found
