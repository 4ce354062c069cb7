"""List functions: any Go slice in, []interface{} out. The must forms are equal, because both can fail."""

from __future__ import annotations

from krmkit.libraries.go.core.cast import to_int64
from krmkit.libraries.go.core.limits import charge, check_items
from krmkit.libraries.go.core.values import ListList, NilList, kind_of
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig.compare import deep_equal, identity
from krmkit.libraries.sprig.defaults import empty


def make_list(*values: object) -> list[object]:
    """Make a list (list, tuple)."""
    return list(values)


def push(items: object, value: object) -> list[object]:
    """Return a new list with the value at its end (append, push)."""
    return [*_items(items, "Cannot push on type {}"), value]


def prepend(items: object, value: object) -> list[object]:
    """Return a new list with the value in front."""
    return [value, *_items(items, "Cannot prepend on type {}")]


def first(items: object) -> object:
    """Return the first item, nil of an empty list."""
    found = _items(items, "Cannot find first on type {}", copy=False)
    return found[0] if found else None


def last(items: object) -> object:
    """Return the last item, nil of an empty list."""
    found = _items(items, "Cannot find last on type {}", copy=False)
    return found[-1] if found else None


def rest(items: object) -> list[object]:
    """Return all but the first item."""
    found = _items(items, "Cannot find rest on type {}")
    return found[1:] if found else NilList()


def initial(items: object) -> list[object]:
    """Return all but the last item."""
    found = _items(items, "Cannot find initial on type {}")
    return found[:-1] if found else NilList()


def reverse(items: object) -> list[object]:
    """Return a new list in reverse order."""
    return _items(items, "Cannot find reverse on type {}")[::-1]


def compact(items: object) -> list[object]:
    """Drop empty items."""
    found = _items(items, "Cannot compact on type {}")
    charge(len(found))
    return [item for item in found if not empty(item)]


def uniq(items: object) -> list[object]:
    """Keep each item once; 1 and 1.0 differ."""
    out: list[object] = []
    seen: set[object] = set()
    found = _items(items, "Cannot find uniq on type {}")
    charge(len(found) * 4)
    for item in found:
        key = identity(item)
        if key not in seen:
            seen.add(key)
            out.append(item)
    return out


def without(items: object, *omitted: object) -> list[object]:
    """Drop the items that equal one of the others, types included."""
    found = _items(items, "Cannot find without on type {}")
    charge(len(found) * (1 + len(omitted)))
    return [item for item in found if not any(deep_equal(one, item) for one in omitted)]


def has(needle: object, items: object) -> bool:
    """Return True if an item equals the needle, types included; False for nil."""
    if items is None:
        return False
    found = _items(items, "Cannot find has on type {}")
    charge(len(found))
    return any(deep_equal(needle, item) for item in found)


def cut(items: object, *indices: object) -> object:
    """Return the items from the first up to the second index, exclusive; nil for an empty list (slice)."""
    found = _items(items, "list should be type of slice or array but {}", copy=False)
    if not found:
        return None
    start = to_int64(indices[0]) if indices else 0
    end = to_int64(indices[1]) if len(indices) > 1 else len(found)
    if start < 0 or end < start or end > len(found):
        raise GoError("reflect.Value.Slice: slice index out of bounds")
    return type(found)(found[start:end])


def concat(*lists: object) -> list[object]:
    """Join lists."""
    out: list[object] = []
    for items in lists:
        out += _items(items, "Cannot concat type {} as list")
        check_items(len(out))
    return out if out else NilList()


def chunk(size: int, items: object) -> ListList:
    """Cut into lists of `size` items; the last may be shorter."""
    found = _items(items, "Cannot chunk type {}")
    if size > 0:
        return ListList([found[at : at + size] for at in range(0, len(found), size)])
    # Sprig computes the number of chunks by a division even for sizes below 1.
    chunks = (len(found) - 1) // size + 1 if size else -1
    if chunks < 0 or not found:
        raise GoError("runtime error: makeslice: len out of range")
    return ListList([found] if chunks else [])


def _items(items: object, problem: str, *, copy: bool = True) -> list[object]:
    """Return the items of a Go slice. For another value, raises GoError with `problem` and its kind."""
    if isinstance(items, list):
        if not copy:
            return items
        charge(len(items) // 4)  # eight bytes an item, which stay in memory
        return list(items)
    if items is None:
        raise GoError("runtime error: invalid memory address or nil pointer dereference")
    raise GoError(problem.format(kind_of(items)))
