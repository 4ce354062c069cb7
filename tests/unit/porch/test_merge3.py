"""krmkit.porch.merge3: the three-way merge of one resource's data."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.porch.listkeys import schema_of
from krmkit.porch.merge3 import MISSING, MergeError, merge


@pytest.mark.parametrize(
    ("base", "upstream", "local", "expected"),
    [
        pytest.param({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}, id="upstream changed"),
        pytest.param({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, id="local changed"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, id="both changed: upstream wins"),
        pytest.param({"a": 1}, {}, {"a": 1, "b": 2}, {"b": 2}, id="upstream removed"),
        pytest.param({"a": 1}, {}, {"a": 3}, {}, id="upstream removed what local changed"),
        pytest.param({"a": 1}, {"a": 1}, {}, {}, id="local removed"),
        pytest.param({"a": 1}, {"a": 2}, {}, {"a": 2}, id="upstream changed what local removed"),
        pytest.param({}, {"a": {"b": 1}}, {}, {"a": {"b": 1}}, id="upstream added a mapping"),
        pytest.param({"a": 1}, {"a": None}, {"a": 1}, {}, id="null upstream removes"),
        pytest.param({"a": 1}, {"a": 1}, {"a": None}, {}, id="null locally removes"),
        pytest.param({"a": 1}, {"a": "1"}, {"a": 1}, {"a": "1"}, id="a change of type is a change"),
        pytest.param(
            {"a": [1]}, {"a": [1, 2]}, {"a": [0, 1]}, {"a": [1, 2]}, id="a plain list is taken whole"
        ),
        pytest.param({"a": {"x": 1}}, {}, {"a": {"x": 1}}, {"a": {}}, id="an emptied mapping stays"),
    ],
)
def test_fields(base: Any, upstream: Any, local: Any, expected: Any) -> None:
    """Upstream's change wins over the base; what upstream left alone stays as it is locally."""
    assert merge(base, upstream, local).value == expected


def _pod(*containers: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"containers": list(containers)}}


@pytest.mark.parametrize(
    ("base", "upstream", "local", "expected"),
    [
        pytest.param(
            [{"name": "a"}],
            [{"name": "a"}, {"name": "u"}],
            [{"name": "a"}, {"name": "l"}],
            [{"name": "a"}, {"name": "l"}, {"name": "u"}],
            id="additions on both sides: local first",
        ),
        pytest.param(
            [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}],
            [{"name": "b", "image": "2"}],
            [{"name": "b", "image": "1", "args": ["x"]}, {"name": "a", "image": "1"}],
            [{"name": "b", "image": "2", "args": ["x"]}],
            id="elements go by name, not by place",
        ),
        pytest.param(
            [{"name": "a", "image": "1"}],
            [],
            [{"name": "a", "image": "1", "tty": True}],
            [{"name": "a", "tty": True}],
            id="a deleted element keeps what local added, and its key",
        ),
    ],
)
def test_associative_lists(base: Any, upstream: Any, local: Any, expected: Any) -> None:
    """Containers of a Pod are merged by name."""
    merged = merge(_pod(*base), _pod(*upstream), _pod(*local), schema_of("v1", "Pod"))

    assert merged.value == _pod(*expected)


def test_two_keys() -> None:
    """Ports of a Service go by port and protocol."""
    schema = schema_of("v1", "Service")
    tcp, udp = {"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}

    merged = merge(
        {"spec": {"ports": [tcp]}}, {"spec": {"ports": [tcp, udp]}}, {"spec": {"ports": [tcp]}}, schema
    )

    assert merged.value == {"spec": {"ports": [tcp, udp]}}


def test_elements_that_lack_one_of_two_keys() -> None:
    """A port that loses its protocol upstream is not lost, and the others keep their places (kpt deletes it: docs/fleet.md)."""
    schema = schema_of("v1", "Service")
    tcp, other = {"port": 53, "protocol": "TCP"}, {"port": 80}

    merged = merge(
        {"spec": {"ports": [tcp, other]}},
        {"spec": {"ports": [{"port": 53}, other]}},
        {"spec": {"ports": [tcp, other | {"name": "web"}]}},
        schema,
    )

    assert merged.value == {"spec": {"ports": [other | {"name": "web"}, {"port": 53}]}}


def test_conflicts_hold_all_versions() -> None:
    """A field that both sides changed is reported with its path and all values."""
    merged = merge({"s": {"n": 1, "m": 1}}, {"s": {"n": 2, "m": 2}}, {"s": {"n": 3, "m": 2}})

    (conflict,) = merged.conflicts
    assert conflict.path == ("s", "n")
    assert (conflict.base, conflict.upstream, conflict.local, conflict.merged) == (1, 2, 3, 2)


def test_deletion_of_a_changed_field_is_a_conflict() -> None:
    """Upstream deletes what local changed: upstream wins, and the report says what was lost."""
    (conflict,) = merge({"a": 1}, {}, {"a": 2}).conflicts

    assert conflict.local == 2 and conflict.merged is MISSING


def test_kinds_must_agree() -> None:
    """A mapping upstream and a list locally cannot be merged."""
    with pytest.raises(
        MergeError, match=r"spec\.x: all versions must be of one kind, got a list and a mapping"
    ):
        merge({}, {"spec": {"x": {}}}, {"spec": {"x": []}})


def test_infer_refuses_different_keys() -> None:
    """Inferred keys must be the same in all versions."""
    with pytest.raises(MergeError, match="must share one key"):
        merge({}, {"x": [{"name": "a"}]}, {"x": [{"ip": "1"}]}, infer=True)
