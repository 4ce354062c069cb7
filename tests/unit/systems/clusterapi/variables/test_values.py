"""krmkit.systems.clusterapi.variables.values: raw JSON, numbers as Go reads them, repeated names."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.variables.values import (
    VariableValue,
    go_number,
    read_variables,
    repeated,
    unusable,
)


@pytest.mark.parametrize(
    ("value", "raw"),
    [("a<b", '"a\\u003cb"'), (2.0, "2"), (1.5, "1.5"), ({"b": 1, "a": [None]}, '{"a":[null],"b":1}'), (None, ""), (True, "true")],
)  # fmt: skip
def test_raw(value: object, raw: str) -> None:
    """The raw text is compact JSON with sorted keys; null is nothing."""
    [variable] = read_variables([{"name": "a", "value": value}])

    assert variable.raw == raw


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, int),
        (1e20, float),
        (1 << 63, float),
        (-(1 << 63), int),
        (True, bool),
        (1.5, float),
        (-0.5, float),
    ],
)
def test_go_number(value: object, expected: type) -> None:
    """Whole numbers of 64 bits are integers, others floats."""
    assert type(go_number(value)) is expected


def test_go_number_shares() -> None:
    """What needs no change is not copied."""
    value: dict[str, Any] = {"a": [1, {"b": "c"}], "d": 2.0}
    found = go_number(value)

    assert found == {"a": [1, {"b": "c"}], "d": 2}
    assert isinstance(found, dict)
    assert found["a"] is value["a"]
    assert go_number(value["a"]) is value["a"]


def test_repeated() -> None:
    """Each further value of a name is an error."""
    values = [VariableValue("a", 1), VariableValue("b", 2), VariableValue("a", 3), VariableValue("a", 4)]

    assert [str(error) for error in repeated(values, "spec.variables")] == [
        'spec.variables[a]: Invalid value: "3": variable "a" is set more than once',
        'spec.variables[a]: Invalid value: "4": variable "a" is set more than once',
    ]


def test_unusable() -> None:
    """Nesting is counted without recursion, and infinite numbers are named."""
    value: list[Any] = []
    for _ in range(99):
        value = [value]
    loop: list[Any] = []
    loop.append(loop)

    assert unusable(value, 100) == ""
    assert unusable([[value]], 100) == "must not nest deeper than 100 levels"
    assert unusable(loop) == "must not nest deeper than 100 levels"
    assert unusable({"a": [1.5, float("nan")]}) == "must hold only numbers that JSON has, got nan"
    assert unusable("a") == ""
    assert VariableValue("a", float("inf")).raw == "..."
