"""Upgrade plans: steps of the control plane, fewest steps of the workers, and plans that are refused."""

from __future__ import annotations

import pytest

from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired.upgrades import (
    default_and_validate,
    from_class_versions,
    lowest_version,
    one_minor,
)

STEPS = ["v1.31.0", "v1.31.4", "v1.32.1", "v1.32.2", "v1.33.0", "v1.34.1"]


@pytest.mark.parametrize(
    ("current", "desired", "expected"),
    [
        ("v1.31.0", "v1.34.1", ["v1.32.2", "v1.33.0", "v1.34.1"]),
        ("v1.31.0", "v1.31.4", ["v1.31.4"]),
        ("v1.32.2", "v1.33.0", ["v1.33.0"]),
        ("v1.30.7", "v1.32.2", ["v1.31.4", "v1.32.2"]),
        ("v1.33.0", "v1.33.0", []),
    ],
)
def test_a_class_lists_its_versions(current: str, desired: str, expected: list[str]) -> None:
    """The last version of each minor between the current one and the desired one."""
    assert from_class_versions(STEPS)(desired, current, "") == (expected, [])


def test_without_a_list_one_minor_at_a_time() -> None:
    """As before there were chained upgrades."""
    assert one_minor("v1.33.0", "v1.32.5") == (["v1.33.0"], [])
    assert one_minor("v1.33.0", "v1.33.0") == ([], [])
    with pytest.raises(TopologyError, match="cannot compute an upgrade plan"):
        one_minor("v1.34.0", "v1.32.5")


@pytest.mark.parametrize(
    ("workers", "plan", "expected"),
    [
        ("v1.31.0", ["v1.32.0", "v1.33.0"], ["v1.33.0"]),
        ("v1.31.0", ["v1.32.0", "v1.33.0", "v1.34.0", "v1.35.0"], ["v1.34.0", "v1.35.0"]),
        ("", ["v1.32.0"], []),
    ],
)
def test_workers_take_as_few_steps_as_the_skew_allows(
    workers: str, plan: list[str], expected: list[str]
) -> None:
    """Every third minor version, and the last."""
    assert default_and_validate(plan[-1], "v1.31.0", workers, plan, []) == expected


@pytest.mark.parametrize(
    ("plan", "workers", "message"),
    [
        (["v1.33.0"], [], "expecting a version with minor 31 or 32, found version v1.33.0"),
        (["v1.32.0"], [], "must end with version v1.33.0, ends with v1.32.0 instead"),
        (["v1.31.0"], [], "version v1.31.0 must be greater than v1.31.0"),
        (["v1.32.0", "v1.33.0"], ["v1.32.1"], "versions v1.32.1 doesn't match any versions"),
        (["v1.32.0", "v1.33.0"], ["v1.32.0"], "workers upgrade plan must end with version v1.33.0"),
    ],
)
def test_plans_of_extensions_are_checked(plan: list[str], workers: list[str], message: str) -> None:
    """From v1.31.0 to v1.33.0."""
    with pytest.raises(TopologyError, match=message.replace(".", r"\.")):
        default_and_validate("v1.33.0", "v1.31.0", "v1.31.0", plan, workers)


def test_the_lowest_of_workers() -> None:
    """Of equal versions the one that the control plane has not."""
    assert lowest_version(["v1.33.0", "v1.31.2", ""], "v1.33.0") == "v1.31.2"
    assert lowest_version(["v1.31.0+b", "v1.31.0+a"], "v1.31.0+b") == "v1.31.0+a"
    assert lowest_version([], "v1.31.0") == ""
