"""krmkit.landscaper.reconcile: what the controller does by itself, as the handbook says it."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.landscaper.reconcile import plan
from krmkit.landscaper.timestamps import format_time, parse_time

HOUR = "2026-05-01T10:00:00Z"


def decide(spec: dict[str, Any], status: dict[str, Any], now: str, **metadata: Any) -> tuple[str, str]:
    """Action and reason for an installation of generation 1 that the status has observed."""
    installation: dict[str, object] = {
        "metadata": {"name": "shop", "generation": 1, **metadata},
        "spec": {"automaticReconcile": spec},
        "status": {"observedGeneration": 1, "jobID": "a", "jobIDFinished": "a", **status},
    }
    unix = parse_time(now)
    assert unix is not None
    decision = plan(installation, unix)
    return decision.action, decision.reason


def counted(number: int, last: str, failed: bool, generation: int = 1) -> dict[str, Any]:
    return {
        "generation": generation,
        "numberOfReconciles": number,
        "lastReconcileTime": last,
        "onFailed": failed,
    }


@pytest.mark.parametrize(
    ("spec", "status", "now", "expected"),
    [
        ({}, {"phase": "Failed"}, HOUR, ("none", "not-configured")),
        ({"failedReconcile": {}}, {"phase": "Failed"}, HOUR, ("reconcile", "retry")),
        (
            {"failedReconcile": {}},
            {"phase": "Failed", "automaticReconcileStatus": counted(1, HOUR, True)},
            "2026-05-01T10:04:00Z",
            ("wait", "too-early"),
        ),
        (
            {"failedReconcile": {}},
            {"phase": "Failed", "automaticReconcileStatus": counted(1, HOUR, True)},
            "2026-05-01T10:05:01Z",
            ("reconcile", "retry"),
        ),
        (
            {"succeededReconcile": {}},
            {"phase": "Succeeded", "automaticReconcileStatus": counted(0, HOUR, False)},
            "2026-05-02T10:00:01Z",
            ("reconcile", "retry"),
        ),
        (
            {"succeededReconcile": {"interval": "1m", "cronSpec": "0 * * * *"}},
            {"phase": "Succeeded", "automaticReconcileStatus": counted(0, "2026-05-01T10:05:00Z", False)},
            "2026-05-01T10:30:00Z",
            ("wait", "too-early"),
        ),
        (
            {"failedReconcile": {"numberOfReconciles": 10}},
            {"phase": "Failed", "automaticReconcileStatus": counted(10, HOUR, True)},
            "2026-05-09T10:00:00Z",
            ("none", "max-retries"),
        ),
        (
            {"failedReconcile": {"numberOfReconciles": 10}},
            {"phase": "Failed", "automaticReconcileStatus": counted(10, HOUR, True, generation=0)},
            "2026-05-09T10:00:00Z",
            ("reconcile", "retry"),
        ),
        (
            {"failedReconcile": {"numberOfReconciles": 10}, "succeededReconcile": {}},
            {"phase": "Succeeded", "automaticReconcileStatus": counted(10, HOUR, True)},
            "2026-05-09T10:00:00Z",
            ("init", "start-succeeded-schedule"),
        ),
    ],
    ids=[
        "no schedule",
        "failed: at once",
        "failed: five minutes are not over",
        "failed: five minutes are over",
        "succeeded: after a day",
        "cronSpec wins over interval",
        "numberOfReconciles is reached",
        "a new generation counts anew",
        "a success ends the count of failures",
    ],
)
def test_schedules(spec: dict[str, Any], status: dict[str, Any], now: str, expected: tuple[str, str]) -> None:
    """The schedules of failed and of succeeded installations, their defaults and their counters."""
    assert decide(spec, status, now) == expected


def test_reconcile_if_changed() -> None:
    """The annotation asks for a reconcile when the generation is not the observed one; only for roots."""
    annotations = {"landscaper.gardener.cloud/reconcile-if-changed": "true"}
    owner = [{"kind": "Installation", "name": "parent"}]

    changed = decide({}, {"phase": "Succeeded"}, HOUR, generation=2, annotations=annotations)
    same = decide({}, {"phase": "Succeeded"}, HOUR, annotations=annotations)
    nested = decide(
        {}, {"phase": "Succeeded"}, HOUR, generation=2, annotations=annotations, ownerReferences=owner
    )

    assert changed == ("reconcile", "spec-changed")
    assert same == ("none", "not-configured")
    assert nested == ("none", "not-up-to-date")


def test_an_operation_blocks() -> None:
    """Whoever has set an operation annotation is not disturbed."""
    annotations = {"landscaper.gardener.cloud/operation": "interrupt"}

    found = decide({"failedReconcile": {}}, {"phase": "Failed"}, HOUR, annotations=annotations)

    assert found == ("none", "operation-annotation-present")


@pytest.mark.parametrize("text", ["", "soon", "2026-05-01", "2026-05-01T10:00:00", "9" * 100])
def test_no_time(text: str) -> None:
    """A time has a date, an hour and a zone."""
    assert parse_time(text) is None


def test_times_come_back() -> None:
    """A time with an offset is written in UTC."""
    unix = parse_time("2026-05-01T12:00:00+02:00")
    assert unix is not None

    assert format_time(unix) == HOUR
