"""Write texts into the maps that a table of field paths names: labels and annotations."""

from __future__ import annotations

from krmkit.everyday.fields.tables import LIST, FieldSpec
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.yaml.data import go_value, is_null
from krmkit.yaml.tree import Map, Node, Scalar, Seq, deref


class WrongTypeError(Exception):
    """Something else stands at `path` where a map or a text is expected, on the way to `wanted`."""

    def __init__(self, path: Path, wanted: Path) -> None:
        super().__init__(path)
        self.path = path
        self.wanted = wanted


def places(item: Resource, spec: FieldSpec) -> list[Path]:
    """The paths in a resource that a field spec means, each `[]` replaced by positions; lists that are absent give none.

    Raises WrongTypeError where a step is neither a map nor a list of its kind.
    """
    if spec.inside and (not item.may_hold(spec.inside[-1]) or is_null(_seen(item, spec.inside))):
        return []
    if LIST not in spec.steps:
        return [spec.steps]
    at = spec.steps.index(LIST)
    head = spec.steps[:at]
    # Words are looked for before the resource is parsed: few have lists of constraints.
    if not item.may_hold(head[-1]):
        return []
    return list(_expanded(item, head, spec.steps[at:]))


def _seen(item: Resource, path: Path) -> Node | None:
    """The node at a path; a map that is plain to see is one without a parse."""
    names = tuple(str(step) for step in path)
    return Map() if item.is_plain_map(names) else item.node(*path)


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


def put(item: Resource, path: Path, texts: dict[str, str], create: bool, keep_types: bool = False) -> int:
    """Set keys of the map at a path; without `create` only keys that are there. Return how many values changed.

    `keep_types`: values that are not text are left alone, else they are an error. Raises WrongTypeError.
    """
    changed = 0
    for key, text in texts.items():
        if item.is_plainly_absent((*path, key)):
            if create:
                item.set((*path, key), text)
                changed += 1
            continue
        old = item.plain_string((*path, key))
        if old is not None:
            if old != text:
                item.set((*path, key), text)
                changed += 1
            continue
        changed += _put_parsed(item, path, key, text, create, keep_types)
    return changed


def _put_parsed(item: Resource, path: Path, key: str, text: str, create: bool, keep_types: bool) -> int:
    target = _map_at(item, path, (*path, key))
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
    if keep_types and isinstance(value, Scalar) and not is_text:
        return 0
    if not isinstance(value, Scalar) or not is_text:
        raise WrongTypeError((*path, key), (*path, key))
    if value.text == text:
        return 0
    item.set((*path, key), text)
    return 1


def _map_at(item: Resource, path: Path, wanted: Path) -> Map | None:
    """The map at a path, None where nothing stands there. Raises WrongTypeError."""
    for end in range(1, len(path) + 1):
        node = item.node(*path[:end])
        if is_null(node):
            return None
        following = path[end] if end < len(path) else ""
        if not isinstance(node, Seq if isinstance(following, int) else Map):
            raise WrongTypeError(path[:end], wanted)
    node = item.node(*path)
    return node if isinstance(node, Map) else None
