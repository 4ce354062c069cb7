"""JSON data as Go values: numbers of one type, U+FFFD for stray bytes, all of it counted."""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT, GoInt, GoList, GoObject, Int64, StringMap
from krmkit.libraries.go.errors import GoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MAX_ITEMS = 2_000_000
"""Values that from_json takes over, each container counted as often as it occurs."""


def from_json(data: object, numbers: str = "float64") -> object:
    """Return JSON data as Go decodes it: a copy in which integers have the type `numbers`.

    `numbers`: float64 (encoding/json's type for every number), int or int64; floats stay float64. Keys must
    be strings. Lone surrogates become U+FFFD, as in encoding/json. Go values (GoObject, StringList, ...)
    stay. Raises GoError for a value that JSON cannot hold.
    """
    if numbers not in ("float64", "int", "int64"):
        raise GoError(f"numbers is one of float64, int, int64, not {numbers!r}")
    conversions: dict[str, Callable[[int], object]] = {
        "float64": _to_float,
        "int": _to_int,
        "int64": lambda number: Int64(_to_int(number)),
    }
    convert = conversions[numbers]
    keep_ints = numbers == "int"
    if type(data) is dict:
        root: dict[str, object] | list[object] = data.copy()
    elif type(data) is list:
        root = data[:]
    else:
        return _scalar(data, convert)
    pending: list[dict[str, object] | list[object]] = [root]
    count = 0
    while pending:
        target = pending.pop()
        count += len(target)
        if count > MAX_ITEMS:
            raise GoError(
                f"the data hold more than {MAX_ITEMS:,} values (krmkit.libraries.go.json.data.MAX_ITEMS)"
            )
        if type(target) is dict:
            for key in target:
                if type(key) is not str:
                    raise GoError(f"the keys of a map are strings, not {type(key).__name__}: {key!r}")
            if not all(map(str.isascii, target)):
                _clean_keys(target)
            pairs: Iterable[tuple[Any, Any]] = target.items()
        else:
            pairs = enumerate(target)
        for at, value in pairs:
            kind = type(value)
            if kind is str:
                if value.isascii():
                    continue
                value = _clean(value)
            elif value is None or kind is bool or kind is float:
                continue
            elif kind is int:
                if keep_ints and -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
                    continue
                value = convert(value)
            elif kind is dict:
                value = value.copy()
                pending.append(value)
            elif kind is list:
                value = value[:]
                pending.append(value)
            else:
                value = _scalar(value, convert)
            target[at] = value
    return root


def _scalar(value: object, convert: Callable[[int], object]) -> object:
    if type(value) is int:
        return convert(value)
    if type(value) is str:
        return _clean(value)
    if (
        value is None
        or type(value) in (bool, float)
        or value is ABSENT
        or isinstance(value, (GoInt, GoList, StringMap, GoObject))
    ):
        return value
    raise GoError(
        f"a template takes JSON data (dict, list, str, int, float, bool, None) or Go values, not {type(value).__name__}"
    )


def _clean(text: str) -> str:
    """Replace lone surrogates, because outside texts consist of characters, not of invalid bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def _clean_keys(target: dict[str, object]) -> None:
    items = [(_clean(key), value) for key, value in target.items()]
    target.clear()
    target.update(items)


def _to_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        raise GoError("a number is too large for a float64") from None


def _to_int(number: int) -> int:
    if not -0x8000000000000000 <= number <= 0x7FFFFFFFFFFFFFFF:
        raise GoError("a number is too large for an int; it has 64 bits")
    return number
