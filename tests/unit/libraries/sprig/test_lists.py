"""Lists: every slice type goes in, equality knows types, nil lists are told from empty ones."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64, IntList, ListList, NilList, StringList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("list", (1, None), [1, None], id="list"),
        pytest.param("append", (StringList(["a"]), 1), ["a", 1], id="append to a []string"),
        pytest.param("prepend", ([2], 1), [1, 2], id="prepend"),
        pytest.param("first", (IntList([4, 5]),), 4, id="first"),
        pytest.param("first", ([],), None, id="first of none"),
        pytest.param("last", ([4, 5],), 5, id="last"),
        pytest.param("rest", ([4, 5, 6],), [5, 6], id="rest"),
        pytest.param("initial", ([4, 5, 6],), [4, 5], id="initial"),
        pytest.param("reverse", (StringList("ab"),), ["b", "a"], id="reverse"),
        pytest.param("compact", ([0, "", None, [], {}, False, "x", 0.0],), ["x"], id="compact"),
        pytest.param(
            "uniq",
            ([1, 1.0, 1, [2], [2], [2.0], {"a": 1}, {"a": 1}],),
            [1, 1.0, [2], [2.0], {"a": 1}],
            id="uniq knows types",
        ),
        pytest.param("without", ([1, 2, 2.0], 2), [1, 2.0], id="without knows types"),
        pytest.param("without", ([1, 2],), [1, 2], id="without nothing"),
        pytest.param("has", (2.0, [1, 2]), False, id="has knows types"),
        pytest.param("has", ([1], [[1]]), True, id="has looks inside"),
        pytest.param("mustHas", (1, None), False, id="nil has nothing"),
        pytest.param("slice", ([1, 2, 3, 4], "1", 3.9), [2, 3], id="slice casts its indices"),
        pytest.param("slice", (StringList("abc"), 1), ["b", "c"], id="slice to the end"),
        pytest.param("slice", ([], 9), None, id="slice of none"),
        pytest.param("concat", ([1], StringList("a"), IntList()), [1, "a"], id="concat"),
        pytest.param("chunk", (2, [1, 2, 3]), [[1, 2], [3]], id="chunk"),
        pytest.param("chunk", (-2, [1]), [[1]], id="chunk of a negative size, one item"),
        pytest.param("chunk", (-2, [1, 2, 3]), [], id="chunk of a negative size, three items"),
    ],
)
def test_result(name: str, args: tuple[object, ...], expected: object) -> None:
    """Each function yields what sprig's does."""
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        pytest.param("append", ({}, 1), "Cannot push on type map", id="append"),
        pytest.param("prepend", (1.5, 1), "Cannot prepend on type float64", id="prepend"),
        pytest.param("rest", (True,), "Cannot find rest on type bool", id="rest"),
        pytest.param("uniq", (Int64(1),), "Cannot find uniq on type int64", id="uniq"),
        pytest.param("has", (1, "1"), "Cannot find has on type string", id="has"),
        pytest.param("concat", ([], 1), "Cannot concat type int as list", id="concat"),
        pytest.param("chunk", (0, [1]), "runtime error: makeslice: len out of range", id="chunk of zero"),
        pytest.param("chunk", (-1, []), "runtime error: makeslice: len out of range", id="chunk of nothing"),
        pytest.param("slice", ([1], -1), "reflect.Value.Slice: slice index out of bounds", id="slice"),
        pytest.param(
            "compact", (None,), "runtime error: invalid memory address or nil pointer dereference", id="nil"
        ),
    ],
)
def test_failure(name: str, args: tuple[object, ...], message: str) -> None:
    """What is not a list is named by its kind."""
    with pytest.raises(GoError) as caught:
        call(name, *args)

    assert caught.value.message == message


def test_lists_are_not_changed() -> None:
    """Functions make new lists and leave their argument alone."""
    items: list[object] = [2, 1]

    for name in ("append", "prepend"):
        call(name, items, 3)
    for name in ("reverse", "rest", "initial", "uniq", "compact"):
        call(name, items)

    assert items == [2, 1]


def test_nil_lists() -> None:
    """rest and initial of nothing, and concat of nothing, are nil lists; the others are empty."""
    assert type(call("rest", [])) is NilList
    assert type(call("initial", [])) is NilList
    assert type(call("concat")) is NilList
    assert type(call("compact", [])) is list
    assert type(call("chunk", 3, [])) is ListList
    assert type(call("slice", StringList("ab"), 1)) is StringList


def test_uniq_of_not_a_number() -> None:
    """NaN equals nothing, so each one stays."""
    nan = float("nan")

    assert len(call("uniq", [nan, nan])) == 2  # type: ignore[arg-type]  # call yields object
