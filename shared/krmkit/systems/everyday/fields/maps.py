"""Write texts into the maps that a table of field paths names: labels and annotations."""

from __future__ import annotations

from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import go_value, is_null
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref
from krmkit.systems.everyday.fields.tables import LIST, FieldSpec


class WrongTypeError(Exception):
    """The value at `path` is not the map or text that `wanted` needs there."""

    def __init__(self, path: Path, wanted: Path) -> None:
        super().__init__(path)
        self.path = path
        self.wanted = wanted


def places(item: Resource, spec: FieldSpec) -> list[Path]:
    """The paths in a resource that a field spec means, each `[]` replaced by positions; absent lists give none.

    Raises WrongTypeError if a step is not the map or list that the spec needs.
    """
    if spec.inside and not item.is_plain_map(spec.inside):
        if not item.may_hold(spec.inside[-1]) or is_null(item.node(*spec.inside)):
            return []
    if spec.is_free:
        return list(_free(item, (), spec.steps))
    if LIST not in spec.steps:
        return [spec.steps]
    if not item.may_hold(spec.word):
        return []
    at = spec.steps.index(LIST)
    head = spec.steps[:at]
    return list(_expanded(item, head, spec.steps[at:]))


def _expanded(item: Resource, head: Path, rest: Path) -> list[Path]:
    if not rest:
        return [head]
    if rest[0] != LIST:
        return _expanded(item, (*head, rest[0]), rest[1:])
    node = item.node(*head)
    if is_null(node):
        return []
    if not isinstance(node, Seq):
        raise WrongTypeError(head, (*head, *rest))
    return [path for index in range(len(node.items)) for path in _expanded(item, (*head, index), rest[1:])]


def _free(item: Resource, head: Path, rest: Path) -> list[Path]:
    """The places of a config's spec: kustomize takes the entries of every list that it meets (api/filters/fieldspec)."""
    node = item.node(*head) if head else item.root
    if isinstance(node, Seq) and rest:
        left = rest[1:] if rest[0] == LIST else rest
        return [path for index in range(len(node.items)) for path in _free(item, (*head, index), left)]
    while rest and rest[0] == LIST:
        rest = rest[1:]
    if not rest:
        return [head]
    if is_null(node):
        return [] if LIST in rest else [(*head, *rest)]  # no list is made
    if not isinstance(node, Map):
        raise WrongTypeError(head, (*head, *rest))
    if len(rest) > 1 and rest[1] == LIST and is_null(item.node(*head, rest[0])):
        return []
    return _free(item, (*head, rest[0]), rest[1:])


def put(item: Resource, path: Path, texts: dict[str, str], create: bool, lenient: bool = False) -> int:
    """Set keys of the map at a path; without `create` only existing keys. Return the number of changed values.

    `lenient`: a null map counts as absent, and any single value is replaced; else both are an error. Raises WrongTypeError.
    """
    changed = 0
    new: dict[str, str] = {}
    for key, text in texts.items():
        if item.is_plainly_absent((*path, key)):
            if create:
                new[key] = text
            continue
        old = item.plain_string((*path, key))
        if old is not None:
            if old != text:
                item.set((*path, key), text)
                changed += 1
            continue
        changed += item.add_texts(path, new) + _put_parsed(item, path, key, text, create, lenient)
        new = {}
    return changed + item.add_texts(path, new)


def _put_parsed(item: Resource, path: Path, key: str, text: str, create: bool, lenient: bool) -> int:
    target = _map_at(item, path, (*path, key), lenient)
    if target is None:
        if not create:
            return 0
        item.set((*path, key), text)
        return 1
    entry = target.entry(key)
    value = deref(entry.value) if entry is not None else item.node(*path, key)
    if value is None:
        if create:
            item.set((*path, key), text)
        return int(create)
    is_text = isinstance(value, Scalar) and isinstance(go_value(value), str)
    if not isinstance(value, Scalar) or not (is_text or lenient):
        raise WrongTypeError((*path, key), (*path, key))
    if is_text and value.text == text:
        return 0
    item.set((*path, key), text)
    return 1


def _map_at(item: Resource, path: Path, wanted: Path, lenient: bool) -> Map | None:
    """The map at a path, None if there is none. Raises WrongTypeError."""
    for end in range(1, len(path) + 1):
        node = item.node(*path[:end])
        if node is None or (lenient and is_null(node)):
            return None
        following = path[end] if end < len(path) else ""
        if not isinstance(node, Seq if isinstance(following, int) else Map):
            raise WrongTypeError(path[:end], wanted)
    node = item.node(*path)
    return node if isinstance(node, Map) else None
