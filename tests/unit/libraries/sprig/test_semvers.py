"""Versions as values of templates: their methods, and which of them need a pointer."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Uint64
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call, semvers
from krmkit.libraries.sprig.semvers import VersionPointer, VersionValue, semver
from krmkit.libraries.versions import scan as versionscan


def method(value: VersionValue, name: str, *args: object) -> object:
    """Calls a method as the engine does."""
    return value.go_methods[name].impl(value, *args)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("String", (), "1.2.3-rc.1+b", id="String"),
        pytest.param("Original", (), "v1.2.3-rc.1+b", id="Original"),
        pytest.param("Major", (), 1, id="Major"),
        pytest.param("Prerelease", (), "rc.1", id="Prerelease"),
        pytest.param("Metadata", (), "b", id="Metadata"),
        pytest.param("Compare", (semver("1.2.3"),), -1, id="Compare"),
        pytest.param("LessThan", (semver("1.2.3"),), True, id="LessThan"),
        pytest.param("GreaterThanEqual", (semver("1.2.3-rc.1"),), True, id="GreaterThanEqual"),
        pytest.param("Equal", (semver("1.2.3-rc.1+other"),), True, id="Equal"),
        pytest.param("Equal", (None,), False, id="Equal to nil"),
    ],
)
def test_methods(name: str, args: tuple[object, ...], expected: object) -> None:
    """The methods of a pointer to a version."""
    assert method(semver("v1.2.3-rc.1+b"), name, *args) == expected


def test_increments_are_values_without_pointer_methods() -> None:
    """What the Inc methods yield has String and Major, but neither Original nor Compare."""
    following = method(semver("v1.2.3"), "IncMinor")

    assert type(following) is VersionValue
    assert following.go_string() == "1.3.0"
    assert "Original" not in following.go_methods
    assert "Compare" not in following.go_methods
    assert type(method(following, "Major")) is Uint64


def test_changes() -> None:
    """SetPrerelease and SetMetadata check what they are given."""
    changed = method(semver("1.0.0"), "SetPrerelease", "beta.2")

    assert isinstance(changed, VersionValue)
    assert changed.go_string() == "1.0.0-beta.2"
    with pytest.raises(GoError, match="invalid prerelease string"):
        method(semver("1.0.0"), "SetPrerelease", "b_2")
    with pytest.raises(GoError, match="invalid metadata string"):
        method(semver("1.0.0"), "SetMetadata", "a..b")
    with pytest.raises(GoError, match="nil pointer"):
        method(semver("1.0.0"), "LessThan", None)


def test_semver_compare() -> None:
    """semverCompare checks the constraint before the version."""
    assert call("semverCompare", ">=1.27, <1.30", "v1.29.4") is True
    assert type(call("semver", "1")) is VersionPointer
    with pytest.raises(GoError, match=r"^improper constraint: one$"):
        call("semverCompare", "one", "two")
    with pytest.raises(GoError, match=r"^invalid semantic version$"):
        call("semverCompare", "1", "two")


def test_longer_constraints_cost_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the limit for constraints is raised, they are paid for up to that length."""
    spent: list[int] = []
    monkeypatch.setattr(semvers, "charge", spent.append)
    long = " || ".join(["1.x"] * 400)
    with pytest.raises(GoError, match="longer than 1024"):
        semvers.semver_compare(long, "1.2.3")
    monkeypatch.setattr(versionscan, "MAX_LENGTH", 10_000)

    assert semvers.semver_compare(long, "1.2.3")
    assert spent == [1024 * 8, len(long) * 8]
