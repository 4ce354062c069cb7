"""Go's own template functions: comparison, index, slice, len, printing and escaping."""

from __future__ import annotations

from krmkit.libraries.go.core import values
from krmkit.libraries.go.core.functions import FunctionSet, GoFunction
from krmkit.libraries.go.core.values import ABSENT, basic_kind, encode, type_of
from krmkit.libraries.go.core.work import charge, charge_read, charge_text
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import byte_length, go_print_value, sprint, sprintln

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN = frozenset((str, int, float, bool))
_ORDERED = frozenset((str, int, float))


def equal(first: object, *others: object) -> bool:
    """Return True if the first equals one of the others (eq). Raises GoError for lists and maps."""
    if not others:
        raise GoError("missing argument for comparison")
    kind = type(first)
    for other in others:
        if kind is type(other) and kind in _PLAIN:
            if kind is str:
                charge_read(first)  # type: ignore[arg-type]  # kind says it is a text
            if first == other:
                return True
        elif _equal(first, other):
            return True
    return False


def _equal(one: object, other: object) -> bool:
    kind, other_kind = basic_kind(one), basic_kind(other)
    if kind != other_kind:
        if {kind, other_kind} == {"int", "uint"}:
            return _whole(one) == _whole(other)
        if _nil(one) or _nil(other):
            return False
        raise GoError(f"incompatible types for comparison: {type_of(one)} and {type_of(other)}")
    if kind in ("int", "uint"):
        return _whole(one) == _whole(other)
    if kind:
        return one == other
    if values.kind_of(one) != values.kind_of(other) and not _nil(one) and not _nil(other):
        from krmkit.libraries.go.fmt.printf import sprintf

        raise GoError(
            sprintf("non-comparable types %s: %v, %s: %v", one, type_of(one), type_of(other), other)
        )
    if _nil(one) or _nil(other) or values.is_nil_list(one) or values.is_nil_list(other):
        return (_nil(one) or values.is_nil_list(one)) == (_nil(other) or values.is_nil_list(other))
    if isinstance(one, values.GoObject) and isinstance(other, values.GoObject):
        if one.go_kind == "ptr":
            return one is other
        return type_of(one) == type_of(other) and one.go_equal(other)
    from krmkit.libraries.go.fmt.printf import sprintf

    raise GoError(sprintf("non-comparable type %s: %v", other, type_of(other)))


def _whole(value: object) -> int:
    return int(value)  # type: ignore[call-overload, no-any-return]  # the kind says that it has __int__


def _nil(value: object) -> bool:
    return value is None or value is ABSENT


def less(one: object, other: object) -> bool:
    """Compare integers with integers, float64 with float64, strings by their bytes (lt)."""
    kind = type(one)
    if kind is type(other) and kind in _ORDERED:
        if kind is str:
            return _text_less(one, other)  # type: ignore[arg-type]  # both are texts
        return one < other  # type: ignore[operator, no-any-return]  # two of one ordered kind
    first, second = basic_kind(one), basic_kind(other)
    if not first or not second:
        raise GoError("invalid type for comparison")
    if {first, second} <= {"int", "uint"}:
        return _whole(one) < _whole(other)
    if first != second:
        raise GoError(f"incompatible types for comparison: {type_of(one)} and {type_of(other)}")
    if first in ("bool", "complex"):
        raise GoError("invalid type for comparison")
    return one < other  # type: ignore[operator, no-any-return]  # two of one ordered kind


def _text_less(one: str, other: str) -> bool:
    charge_read(one)
    if one.isascii() and other.isascii():
        return one < other
    return encode(one) < encode(other)


def less_or_equal(one: object, other: object) -> bool:
    """Return True if one is less than or equal to the other (le)."""
    return less(one, other) or equal(one, other)


def length(item: object) -> int:
    """Count the bytes of a string, the items of a list or map (len)."""
    if isinstance(item, str):
        charge_read(item)
        return byte_length(item)
    if isinstance(item, (list, dict)):
        return len(item)
    if item is None:
        raise GoError("len of nil pointer")
    if item is ABSENT:
        raise GoError("reflect: call of reflect.Value.Type on zero Value")
    raise GoError(f"len of type {type_of(item).removeprefix('*')}")


def index(item: object, *indexes: object) -> object:
    """Return x[1][2][3] for index x 1 2 3; an absent key gives the zero value of the map's elements."""
    if _nil(item):
        raise GoError("index of untyped nil")
    for at in indexes:
        if item is None:
            raise GoError("index of nil pointer")
        if isinstance(item, dict):
            if not isinstance(at, str):
                if _nil(at):
                    raise GoError("value is nil; should be of type string")
                raise GoError(f"value has type {type_of(at)}; should be string")
            item = item.get(at, "" if getattr(item, "element", "") == "string" else None)
        elif isinstance(item, list):
            place = _position(at, len(item))
            if place == len(item):
                raise GoError("reflect: slice index out of range")
            item = item[place]
        elif isinstance(item, str):
            charge_read(item)
            data = encode(item)
            place = _position(at, len(data))
            if place == len(data):
                raise GoError("reflect: string index out of range")
            item = values.Uint8(data[place])
        else:
            raise GoError(f"can't index item of type {type_of(item).removeprefix('*')}")
    return item


def _position(at: object, size: int) -> int:
    if basic_kind(at) not in ("int", "uint"):
        found = "nil" if _nil(at) else f"type {type_of(at)}"
        raise GoError(f"cannot index slice/array with {found}")
    place = _whole(at)
    if not 0 <= place <= size:
        raise GoError(f"index out of range: {place}")
    return place


def cut(item: object, *indexes: object) -> object:
    """Return x[1:2] for slice x 1 2; strings are cut by bytes, a list's capacity is its length."""
    if _nil(item):
        raise GoError("slice of untyped nil")
    if len(indexes) > 3:
        raise GoError(f"too many slice indexes: {len(indexes)}")
    data: bytes | list[object]
    if isinstance(item, str):
        if len(indexes) == 3:
            raise GoError("cannot 3-index slice a string")
        charge_text(item)
        data = encode(item)
    elif isinstance(item, list):
        charge(len(item) // 16)
        data = item
    else:
        raise GoError(f"can't slice item of type {type_of(item)}")
    places = [_position(at, len(data)) for at in indexes]
    start = places[0] if places else 0
    end = places[1] if len(places) > 1 else len(data)
    if start > end:
        raise GoError(f"invalid slice index: {start} > {end}")
    if len(places) > 2 and end > places[2]:
        raise GoError(f"invalid slice index: {end} > {places[2]}")
    if isinstance(data, bytes):
        return values.decode(data[start:end])
    part = data[start:end]
    return type(item)(part) if isinstance(item, values.GoList) else part


def _special(*values: object) -> object:
    """Stand for `and`, `or` and `call`: the compiler implements them and needs only the signature."""
    return go_print_value(values)


class _Late(GoFunction):
    """A text function whose module is loaded for templates that use it."""

    def __init__(self, module: str, name: str, params: tuple[str, ...] = ("any",)) -> None:
        super().__init__(_special, params, True, "string")
        self.place = module, name

    def load(self) -> Callable[..., object]:
        from importlib import import_module

        if self.impl is _special:
            module, name = self.place
            self.impl = getattr(import_module(f"krmkit.libraries.{module}"), name)
        return self.impl


_TWO = ("value", "value")

BUILTINS: FunctionSet = {
    "and": GoFunction(_special, _TWO, True, "value"),
    "or": GoFunction(_special, _TWO, True, "value"),
    "call": GoFunction(_special, _TWO, True, "value"),
    "not": GoFunction(lambda value: not value, ("value",), result="bool"),
    "len": GoFunction(length, ("value",), result="int"),
    "index": GoFunction(index, _TWO, True, "value"),
    "slice": GoFunction(cut, _TWO, True, "value"),
    "print": GoFunction(sprint, ("any",), True, "string"),
    "printf": _Late("go.fmt.printf", "sprintf", ("string", "any")),
    "println": GoFunction(sprintln, ("any",), True, "string"),
    "html": _Late("gotemplate.escape", "escape_html"),
    "js": _Late("gotemplate.escape", "escape_js"),
    "urlquery": _Late("gotemplate.escape", "escape_query"),
    "eq": GoFunction(equal, _TWO, True, "bool"),
    "ne": GoFunction(lambda one, other: not equal(one, other), _TWO, result="bool"),
    "lt": GoFunction(less, _TWO, result="bool"),
    "le": GoFunction(less_or_equal, _TWO, result="bool"),
    "gt": GoFunction(lambda one, other: not less_or_equal(one, other), _TWO, result="bool"),
    "ge": GoFunction(lambda one, other: not less(one, other), _TWO, result="bool"),
}
