"""Merges a preset's values into a pack's values, and removes what its key paths lead to."""

from __future__ import annotations

from krmkit.libraries.yaml.copies import detached
from krmkit.libraries.yaml.data import core_data, core_value, lookup, same_data
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Alias, Entry, Map, Node, Scalar, Seq, deref
from krmkit.systems.palette.packs.keypath import FOUND, KeyPath, Step, find

Steps = tuple[Step, ...]


def remove(root: Map, path: KeyPath, written: list[Steps] | None = None) -> bool:
    """Remove what a key path leads to; return False if that is nothing. Emptied collections stay.

    The paths of what was removed are added to `written`; of a list, those of the elements that moved up too.
    """
    matches = [match.steps for match in find(root, path) if match.state == FOUND and match.steps]
    moved: dict[Steps, int] = {}
    for steps in reversed(matches):
        parent = _writable(root, steps[:-1])
        last = steps[-1]
        if written is not None:
            if isinstance(parent, Seq):
                moved.setdefault(steps[:-1], len(parent.items))
            else:
                written.append(steps)
        if isinstance(parent, Map) and isinstance(last, str):
            if not parent.remove(last):
                _expand_merges(parent)
                parent.remove(last)
        elif isinstance(parent, Seq) and isinstance(last, int):
            parent.remove(last)
    for steps in matches:
        size = moved.pop(steps[:-1], None)
        if size is not None and written is not None and isinstance(steps[-1], int):
            written += [(*steps[:-1], number) for number in range(steps[-1], size)]
    return bool(matches)


def _writable(root: Map, steps: tuple[Step, ...]) -> Node:
    """Return the collection at `steps`; aliases and merged values on the way become own copies."""
    node: Node = root
    for step in steps:
        if isinstance(node, Map) and isinstance(step, str):
            entry = node.entry(step)
            if entry is None:
                inherited = lookup(node, step)
                assert inherited is not None
                node = node.set(step, detached(inherited))
            elif isinstance(entry.value, Alias):
                node = node.replace(entry, detached(entry.value))
            else:
                node = entry.value
        elif isinstance(node, Seq) and isinstance(step, int):
            item = node.items[step]
            node = node.replace(step, detached(item)) if isinstance(item, Alias) else item
    return node


def _expand_merges(node: Map) -> None:
    """Write out what merge keys bring, so that one of these keys can be taken away."""
    for entry in [entry for entry in node.entries if entry.name == "<<"]:
        source = deref(entry.value)
        node.remove("<<")
        for merged in source.items if isinstance(source, Seq) else [source]:
            target = deref(merged)
            for inherited in target.entries if isinstance(target, Map) else ():
                if inherited.name is not None and node.entry(inherited.name) is None:
                    node.set(inherited.name, detached(inherited.value))


def merge(
    target: Map,
    add: Map,
    limits: Limits = DEFAULT_LIMITS,
    written: list[Steps] | None = None,
    above: Steps = (),
) -> None:
    """Merge `add` into `target`: mappings key by key, everything else replaces; new keys go to the end.

    The paths of the values of `add`, below `above`, are added to `written`, also where the target has the
    same value already.
    """
    # Looked up in the order of the text: the first entry of a name counts.
    entries: dict[str, Entry] = {}
    for own in target.entries:
        if own.name is not None:
            entries.setdefault(own.name, own)
    for entry in add.entries:
        name = entry.name
        if name is None:
            raise YamlError("add has a key that is not plain text")
        value = deref(entry.value)
        known = entries.get(name)
        if known is None:
            # Without a merge key there is nothing to inherit.
            inherited = lookup(target, name) if "<<" in entries else None
            if isinstance(inherited, Map) and isinstance(value, Map):
                copy = target.set(name, detached(inherited))
                assert isinstance(copy, Map)
                merge(copy, value, limits, written, above if written is None else (*above, name))
            else:
                entries[name] = Entry(entry.key, entry.value)
                target.append_entry(entries[name])
                if written is not None:
                    written.append((*above, name))
            continue
        have: Node = known.value
        if isinstance(value, Map) and isinstance(deref(have), Map):
            if isinstance(have, Alias):
                have = target.replace(known, detached(have))
            assert isinstance(have, Map)
            merge(have, value, limits, written, above if written is None else (*above, name))
            continue
        if written is not None:
            written.append((*above, name))
        if isinstance(deref(have), Map) or isinstance(value, Map):
            target.replace(known, value)
        elif not _is_same(have, value, limits):
            target.replace(known, value)


def _is_same(have: Node, value: Node, limits: Limits) -> bool:
    """Whether two values, of which none is a mapping, are the same data."""
    if isinstance(have, Scalar) and isinstance(value, Scalar):
        return same_data(core_value(have), core_value(value))
    return same_data(core_data(have, limits), core_data(value, limits))
