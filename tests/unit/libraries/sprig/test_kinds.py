"""Reflection tells Go's types apart."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64, StringList
from krmkit.libraries.go.time.values import Duration, Time
from krmkit.libraries.sprig import call
from krmkit.libraries.sprig.semvers import semver


@pytest.mark.parametrize(
    ("value", "type_name", "kind"),
    [
        pytest.param(None, "<nil>", "invalid", id="nil"),
        pytest.param(Int64(1), "int64", "int64", id="int64"),
        pytest.param(StringList(), "[]string", "slice", id="list of strings"),
        pytest.param(Time(0), "time.Time", "struct", id="time"),
        pytest.param(Duration(1), "time.Duration", "int64", id="duration"),
        pytest.param(semver("1"), "*semver.Version", "ptr", id="version"),
    ],
)
def test_types_and_kinds(value: object, type_name: str, kind: str) -> None:
    """typeOf and kindOf, and their questions."""
    assert call("typeOf", value) == type_name
    assert call("kindOf", value) == kind
    assert call("typeIs", type_name, value) is True
    assert call("kindIs", kind, value) is True
    assert call("kindIs", "string", value) is False


def test_a_pointer_is_like_its_type() -> None:
    """typeIsLike takes the type itself and a pointer to it."""
    assert call("typeIsLike", "semver.Version", semver("1")) is True
    assert call("typeIs", "semver.Version", semver("1")) is False


def test_deep_equal() -> None:
    """deepEqual compares objects by content and numbers by type."""
    assert call("deepEqual", semver("1.2.3"), semver("1.2.3")) is True
    assert call("deepEqual", semver("1.2.3"), semver("v1.2.3")) is False
    assert call("deepEqual", Time(5), Time(5)) is True
    assert call("deepEqual", Duration(5), Duration(6)) is False
    assert call("deepEqual", [1], [1.0]) is False
