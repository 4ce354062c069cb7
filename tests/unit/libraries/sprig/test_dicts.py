"""Dicts: absent keys, sorted order where Go's is random, changes in place, copies that share nothing."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core import limits
from krmkit.libraries.go.core.values import NilList, StringList, StringMap
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("dict", ("a", 1, 2.5, None, True), {"a": 1, "2.5": None, "true": ""}, id="dict"),
        pytest.param("get", ({"a": None}, "a"), None, id="get of a null"),
        pytest.param("get", ({"a": 1}, "b"), "", id="get of an absent key"),
        pytest.param("get", (None, "b"), "", id="get of a nil dict"),
        pytest.param("unset", ({"a": 1}, "b"), {"a": 1}, id="unset of an absent key"),
        pytest.param("hasKey", ({"a": None}, "a"), True, id="hasKey of a null"),
        pytest.param("hasKey", (None, "a"), False, id="hasKey of a nil dict"),
        pytest.param("pluck", ("a", {"a": 1}, {}, None, {"a": 2}), [1, 2], id="pluck"),
        pytest.param("keys", ({"b": 1, "a": 2}, {"c": 1}), ["a", "b", "c"], id="keys are sorted"),
        pytest.param("values", ({"b": 1, "a": 2},), [2, 1], id="values in the order of keys"),
        pytest.param("values", (None,), [], id="values of a nil dict"),
        pytest.param("pick", ({"a": 1, "b": 2}, "b", "z"), {"b": 2}, id="pick"),
        pytest.param("omit", ({"a": 1, "b": 2}, "b", "z"), {"a": 1}, id="omit"),
        pytest.param("dig", ("a", "b", "none", {"a": {"b": 0}}), 0, id="dig"),
        pytest.param("dig", ("a", "b", "none", {"a": {}}), "none", id="dig with a default"),
        pytest.param("dig", ("a", "none", {"a": None}), None, id="dig of a null"),
    ],
)
def test_result(name: str, args: tuple[object, ...], expected: object) -> None:
    """Each function yields what sprig's does."""
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        pytest.param("set", (None, "a", 1), "assignment to entry in nil map", id="set in a nil dict"),
        pytest.param("dig", ("a", {}), "dig needs at least three arguments", id="dig of too little"),
        pytest.param(
            "dig",
            ("a", "b", "d", {"a": StringMap()}),
            "interface conversion: interface {} is map[string]string, not map[string]interface {}",
            id="dig in another map",
        ),
        pytest.param(
            "dig", (1, "d", {}), "interface conversion: interface {} is int, not string", id="dig of a number"
        ),
        pytest.param(
            "deepCopy", (None,), "reflect: call of reflect.Value.Type on zero Value", id="copy of nil"
        ),
    ],
)
def test_failure(name: str, args: tuple[object, ...], message: str) -> None:
    """Panics of the original are the errors of the call."""
    with pytest.raises(GoError) as caught:
        call(name, *args)

    assert caught.value.message == message


def test_set_and_unset_change_the_dict() -> None:
    """set and unset work on the dict itself, and yield it."""
    items: dict[str, object] = {"a": 1}

    assert call("set", items, "b", 2) is items
    assert call("unset", items, "a") is items
    assert items == {"b": 2}


def test_a_deep_copy_shares_nothing_and_keeps_types() -> None:
    """Nested lists and dicts are copied with their types."""
    original: dict[str, object] = {"a": [{"b": 1}], "s": StringList("x"), "n": NilList()}
    copy = call("deepCopy", original)

    assert copy == original
    assert isinstance(copy, dict)
    assert type(copy["s"]) is StringList
    assert type(copy["n"]) is NilList
    copy["a"].append(1)
    assert original["a"] == [{"b": 1}]


def test_a_dict_that_contains_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks end by counting, by depth and by size."""
    monkeypatch.setattr(limits, "MAX_ITEMS", 10_000)
    loop: dict[str, object] = {}
    loop["self"] = loop
    wide: dict[str, object] = {}
    for _ in range(40):
        wide = {"a": wide, "b": wide}

    with pytest.raises(GoError, match="contains itself"):
        call("deepCopy", loop)
    with pytest.raises(GoError, match="MAX_ITEMS"):
        call("deepCopy", wide)
