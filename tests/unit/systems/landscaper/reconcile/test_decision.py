"""krmkit.systems.landscaper.reconcile.decision: what the controller does by itself, as the handbook says it."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.kube.timestamps import format_time, unix_seconds
from krmkit.systems.landscaper.reconcile.decision import Decision, plan

HOUR = "2026-05-01T10:00:00Z"


def decide(spec: dict[str, Any], status: dict[str, Any], now: str, **metadata: Any) -> tuple[str, str]:
    """Action and reason for an installation of generation 1 that the status has observed."""
    installation: dict[str, object] = {
        "metadata": {"name": "shop", "generation": 1, **metadata},
        "spec": {"automaticReconcile": spec},
        "status": {"observedGeneration": 1, "jobID": "a", "jobIDFinished": "a", **status},
    }
    unix = unix_seconds(now)
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


OWN = "landscaper.gardener.cloud"


@pytest.mark.parametrize(
    ("metadata", "status", "expected"),
    [
        ({"generation": 2}, {}, ("reconcile", "spec-changed")),
        ({"generation": 2}, {"jobIDFinished": "b"}, ("none", "not-up-to-date")),
        ({"generation": 2, "annotations": {f"{OWN}/reconcile-if-changed": "True"}}, {}, ("none", "not-up-to-date")),
        (
            {"generation": 2, "annotations": {f"{OWN}/reconcile-if-changed": "true", f"{OWN}/operation": "abort"}},
            {},
            ("none", "operation-annotation-present"),
        ),
        ({"generation": 2, "annotations": {}}, {}, ("none", "not-up-to-date")),
    ],
    ids=["asked for", "a job is running", "not exactly true", "an operation is there", "not asked for"],
)  # fmt: skip
def test_when_a_change_is_reconciled(
    metadata: dict[str, Any], status: dict[str, Any], expected: tuple[str, str]
) -> None:
    """Only where the annotation says exactly true, no operation is under way and the last job has ended."""
    metadata = {"annotations": {f"{OWN}/reconcile-if-changed": "true"}, **metadata}

    assert decide({}, {"phase": "Failed", **status}, HOUR, **metadata) == expected


def decided(spec: dict[str, Any], status: dict[str, Any], now: str) -> Decision:
    """The whole decision."""
    unix = unix_seconds(now)
    assert unix is not None
    metadata = {"name": "shop", "generation": 3}
    return plan(
        {
            "metadata": metadata,
            "spec": {"automaticReconcile": spec},
            "status": {"observedGeneration": 3, **status},
        },
        unix,
    )


def test_what_a_decision_sets() -> None:
    """A reconcile sets two annotations and counts; the counting starts with one for a failure, with none for a success."""
    known = counted(4, HOUR, True, generation=3)
    annotations = {f"{OWN}/operation": "reconcile", f"{OWN}/reconcile-reason": "retry"}

    first = decided({"failedReconcile": {}}, {"phase": "DeleteFailed"}, HOUR)
    again = decided({"failedReconcile": {}}, {"phase": "Failed", "automaticReconcileStatus": known}, "2026-05-01T11:00:00Z")  # fmt: skip
    start = decided({"succeededReconcile": {}}, {"phase": "Succeeded"}, HOUR)

    assert (first.annotations, again.annotations, start.annotations) == (annotations, annotations, {})
    assert first.status is not None and again.status is not None and start.status is not None
    assert first.status.data() == counted(1, HOUR, True, generation=3)
    assert again.status.data() == counted(5, "2026-05-01T11:00:00Z", True, generation=3)
    assert start.status.data() == counted(0, HOUR, False, generation=3)


@pytest.mark.parametrize(
    ("schedule", "due"),
    [
        ({}, "2026-05-01T10:05:00Z"),
        ({"interval": "90s"}, "2026-05-01T10:01:30Z"),
        ({"interval": "soon"}, "2026-05-01T10:05:00Z"),
        ({"cronSpec": "0 12 * * *", "interval": "90s"}, "2026-05-01T12:00:00Z"),
        ({"cronSpec": "0 25 * * *", "interval": "90s"}, "2026-05-01T10:01:30Z"),
        ({"cronSpec": "0 25 * * *"}, "2026-05-01T10:05:00Z"),
    ],
    ids=["the default", "an interval", "a wrong interval", "cron before interval", "a wrong cron", "a wrong cron alone"],
)  # fmt: skip
def test_when_it_is_due(schedule: dict[str, Any], due: str) -> None:
    """By cron, else by interval, else after the default; what cannot be read is left out. Due is what is later, not the same."""
    known = {
        "phase": "Failed",
        "automaticReconcileStatus": counted(1, HOUR, True, generation=3),
    }

    at_the_time = decided({"failedReconcile": schedule}, known, due)
    unix = unix_seconds(due)
    assert unix is not None
    later = decided({"failedReconcile": schedule}, known, format_time(unix + 1))

    assert (at_the_time.action, at_the_time.next_time) == ("wait", unix)
    assert later.action == "reconcile"


def test_a_day_for_successes() -> None:
    """Without a word about time, a success is reconciled after a day."""
    known = {
        "phase": "Succeeded",
        "automaticReconcileStatus": counted(1, HOUR, False, generation=3),
    }

    assert decided({"succeededReconcile": {}}, known, "2026-05-02T10:00:00Z").action == "wait"
    assert decided({"succeededReconcile": {}}, known, "2026-05-02T10:00:01Z").action == "reconcile"


@pytest.mark.parametrize(
    ("spec", "phase", "known", "expected"),
    [
        ({"failedReconcile": {"numberOfReconciles": 0}}, "Failed", None, ("none", "not-configured")),
        ({"failedReconcile": {"numberOfReconciles": 1}}, "Failed", None, ("reconcile", "retry")),
        ({"failedReconcile": {"numberOfReconciles": 1}}, "Failed", counted(1, HOUR, True), ("none", "max-retries")),
        ({"failedReconcile": {}, "succeededReconcile": {}}, "Progressing", None, ("none", "not-configured")),
        ({"failedReconcile": {}, "succeededReconcile": {}}, "", None, ("none", "not-configured")),
        ({"succeededReconcile": {}}, "Failed", None, ("none", "not-configured")),
        ({"failedReconcile": {}}, "Succeeded", None, ("none", "not-configured")),
        ({"failedReconcile": {}}, "Failed", counted(9, HOUR, False), ("reconcile", "retry")),
        ({"failedReconcile": {}}, "Failed", {"generation": 1, "numberOfReconciles": 9}, ("reconcile", "retry")),
    ],
    ids=["no retries", "one retry", "it is used up", "still running", "new", "only for successes", "only for failures", "a success before", "a count without a time"],
)  # fmt: skip
def test_phases(
    spec: dict[str, Any], phase: str, known: dict[str, Any] | None, expected: tuple[str, str]
) -> None:
    """Which schedule counts for which phase, and what a count of another phase is worth."""
    assert decide(spec, {"phase": phase, "automaticReconcileStatus": known}, HOUR) == expected


@pytest.mark.parametrize("text", ["", "soon", "2026-05-01", "2026-05-01T10:00:00", "9" * 100])
def test_no_time(text: str) -> None:
    """A time has a date, an hour and a zone."""
    assert unix_seconds(text) is None


def test_times_come_back() -> None:
    """A time with an offset is written in UTC."""
    unix = unix_seconds("2026-05-01T12:00:00+02:00")
    assert unix is not None

    assert format_time(unix) == HOUR
