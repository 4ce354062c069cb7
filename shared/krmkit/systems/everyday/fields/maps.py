"""Write texts into the maps that a table of field paths names: labels and annotations."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import go_value, is_null
from krmkit.libraries.yaml.tree import Map, Scalar, Seq
from krmkit.systems.everyday.fields.tables import LIST, FieldSpec


class WrongTypeError(Refused):
    """An error about the value at `path`, which must be a `wanted`."""

    def __init__(self, path: Path, wanted: Path) -> None:
        super().__init__(f"must be a map or a list on the way to {'.'.join(map(str, wanted))}")
        self.path = path
        self.wanted = wanted


def places(item: Resource, spec: FieldSpec) -> list[Path]:
    """Return a field spec's paths in a resource, each `[]` replaced by positions; absent lists give none.

    Raises WrongTypeError if a step is not the map or list that the spec needs.
    """
    if spec.inside and not (item.may_hold(spec.inside[-1]) and item.has(*spec.inside)):
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
    size = item.size(*head)
    if size is None:
        raise WrongTypeError(head, (*head, *rest))
    return [path for index in range(size) for path in _expanded(item, (*head, index), rest[1:])]


def _free(item: Resource, head: Path, rest: Path) -> list[Path]:
    """Return the paths of a config's spec; each entry of a list counts, as in kustomize's fieldspec."""
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
    """Set keys of a map; without `create` only existing keys. Return the number of changed values.

    lenient: a null map counts as absent, and any scalar is replaced; else both raise WrongTypeError.
    """
    changed = 0
    new: dict[str, str] = {}
    for key, text in texts.items():
        place = (*path, key)
        value = item.read(*place)
        if value is None:
            wrong = item.obstacle(place, lenient)
            if wrong is not None:
                raise WrongTypeError(wrong, place)
            if create:
                new[key] = text
            continue
        is_text = isinstance(value, Scalar) and isinstance(go_value(value), str)
        if not isinstance(value, Scalar) or not (is_text or lenient):
            raise WrongTypeError(place, place)
        if not is_text or value.text != text:
            item.set(place, text)
            changed += 1
    return changed + item.add_texts(path, new)
