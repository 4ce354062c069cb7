"""The values of variables in a Cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.kube.fielderror import FieldError, invalid, key

_INT64 = 1 << 63
_PLAIN_FLOATS = 1e21  # from here on, Go's JSON writes an exponent
MAX_DEPTH = 100
"""Nesting of a value; a deeper one is an error of the variable."""
MAX_SHOWN = 16 * 1024
"""Characters of a value that an error shows."""


class VariableValue:
    """One value. `raw` is its JSON text, which errors show: `{"a":2,"b":1}` of {"b": 1, "a": 2}.

    An unset value has the raw text "", a null has "null".
    """

    def __init__(self, name: str, value: object, raw: str | None = None) -> None:
        self.name = name
        self.value = value
        self._raw = raw

    @property
    def raw(self) -> str:
        """Return the JSON text, made on first use."""
        if self._raw is None:
            try:
                self._raw = must_to_json(self.value)
            except GoError:
                self._raw = "..."  # `unusable` reports it
        return self._raw

    def shown(self) -> str:
        """Return the JSON text for errors; a long text is cut."""
        raw = self.raw
        return raw if len(raw) <= MAX_SHOWN else f"{raw[:MAX_SHOWN]}... ({len(raw):,} characters)"


def read_variables(items: Sequence[Any] | None) -> list[VariableValue]:
    """Return the values of a list of {name, value}; null counts as unset, as in Go's decoding.

    >>> [one.raw for one in read_variables([{"name": "cpu", "value": 2.0}, {"name": "zone", "value": None}])]
    ['2', '']
    """
    found: list[VariableValue] = []
    for item in items or ():
        value = go_number(item.get("value"))
        found.append(VariableValue(str(item.get("name", "")), value, "" if value is None else None))
    return found


def go_number(value: object) -> object:
    """Convert numbers as Go reads them from JSON: 2.0 is the integer 2, an int beyond 64 bits a float.

    An unchanged value is returned as the same object.
    """
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < _PLAIN_FLOATS
        return int(value) if whole and -_INT64 <= value < _INT64 else value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else float(value)
    if isinstance(value, dict):
        inner = {name: go_number(item) for name, item in value.items()}
        return inner if any(inner[name] is not item for name, item in value.items()) else value
    if isinstance(value, list):
        items = [go_number(item) for item in value]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def unusable(value: object, limit: int = MAX_DEPTH) -> str:
    """Return why a value is not JSON: a number that is not finite, or a depth above `limit`; else "".

    >>> unusable([float("inf")])
    'must hold only numbers that JSON has, got inf'
    """
    level: list[object] = [value]
    for _ in range(limit + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
            elif isinstance(item, float) and item - item != 0.0:
                return f"must hold only numbers that JSON has, got {item}"
        if not inner:
            return ""
        level = inner
    nested = any(isinstance(item, dict | list) for item in level)
    return f"must not nest deeper than {limit} levels" if nested else ""


def repeated(values: Iterable[VariableValue], path: str) -> list[FieldError]:
    """Return an error for each value with the name of an earlier one."""
    seen: set[str] = set()
    errors: list[FieldError] = []
    for variable in values:
        if variable.name in seen:
            detail = f'variable "{variable.name}" is set more than once'
            errors.append(invalid(key(path, variable.name), variable.shown(), detail))
        seen.add(variable.name)
    return errors
