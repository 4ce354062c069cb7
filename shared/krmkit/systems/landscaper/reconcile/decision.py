"""Decide about automatic reconciliation as Landscaper does at a given time, with the reason.

plan(installation, now)   # Decision(action="wait", reason="too-early", next_time=1588323600, ...)

Actions: none, init (only start counting), wait (until next_time), reconcile (set the annotations).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.cron import parse as parse_cron
from krmkit.libraries.go.time.durations import parse_duration
from krmkit.libraries.kube.timestamps import format_time, unix_seconds
from krmkit.libraries.schema.fields import mapping, text, texts
from krmkit.systems.landscaper import apinames
from krmkit.systems.landscaper.items.identity import parent_of

_NANO = 1_000_000_000
_DEFAULT_FAILED = 5 * 60
_DEFAULT_SUCCEEDED = 24 * 3600
_FAILED_PHASES = ("Failed", "DeleteFailed")


@dataclass(slots=True)
class Status:
    """status.automaticReconcileStatus."""

    generation: int
    number: int
    last: float
    on_failed: bool

    @classmethod
    def of(cls, data: object) -> Status | None:
        """Parse the status; None if it is absent or has no time."""
        known = mapping(data)
        last = unix_seconds(text(known.get("lastReconcileTime")))
        if not known or last is None:
            return None
        return cls(
            _whole(known.get("generation")),
            _whole(known.get("numberOfReconciles")),
            last,
            known.get("onFailed") is True,
        )

    def data(self) -> dict[str, object]:
        return {
            "generation": self.generation,
            "numberOfReconciles": self.number,
            "lastReconcileTime": format_time(self.last),
            "onFailed": self.on_failed,
        }


@dataclass(slots=True)
class Decision:
    """The controller's action. `annotations`: the annotations that it sets. `status`: the new status."""

    action: str
    reason: str
    annotations: dict[str, str] = field(default_factory=dict)
    status: Status | None = None
    next_time: float | None = None


def plan(installation: dict[str, object], now: float) -> Decision:
    """Return the controller's decision at `now` (seconds since 1970)."""
    metadata = mapping(installation.get("metadata"))
    status = mapping(installation.get("status"))
    annotations = texts(metadata.get("annotations"))
    generation = _whole(metadata.get("generation"))
    operation = annotations.get(apinames.OPERATION_ANNOTATION, "")
    changed = generation != _whole(status.get("observedGeneration"))
    if (
        annotations.get(apinames.RECONCILE_IF_CHANGED_ANNOTATION) == "true"
        and not parent_of(installation)
        and not operation
        and changed
        and status.get("jobID") == status.get("jobIDFinished")
    ):
        return Decision("reconcile", "spec-changed", {apinames.OPERATION_ANNOTATION: "reconcile"})
    if apinames.OPERATION_ANNOTATION in annotations:
        return Decision("none", "operation-annotation-present")
    if changed:
        return Decision("none", "not-up-to-date")
    return _automatic(installation, text(status.get("phase")), generation, now)


def _automatic(installation: dict[str, object], phase: str, generation: int, now: float) -> Decision:
    configured = mapping(mapping(installation.get("spec")).get("automaticReconcile"))
    known = Status.of(mapping(installation.get("status")).get("automaticReconcileStatus"))
    if known is not None and (
        known.generation != generation
        or (phase == "Succeeded" and known.on_failed)
        or (phase in _FAILED_PHASES and not known.on_failed)
    ):
        known = None
    failed = configured.get("failedReconcile")
    if isinstance(failed, dict) and phase in _FAILED_PHASES:
        most = failed.get("numberOfReconciles")
        if most is None or _whole(most) > 0:
            return _failed(failed, known, generation, now)
    succeeded = configured.get("succeededReconcile")
    if isinstance(succeeded, dict) and phase == "Succeeded":
        if known is None:
            return Decision("init", "start-succeeded-schedule", {}, Status(generation, 0, now, False))
        return _scheduled(succeeded, known, _DEFAULT_SUCCEEDED, now)
    return Decision("none", "not-configured")


def _failed(schedule: dict[str, object], known: Status | None, generation: int, now: float) -> Decision:
    if known is None:
        return _reconcile(Status(generation, 1, now, True))
    most = schedule.get("numberOfReconciles")
    if most is not None and _whole(most) <= known.number:
        return Decision("none", "max-retries", {}, known)
    return _scheduled(schedule, known, _DEFAULT_FAILED, now)


def _scheduled(schedule: dict[str, object], known: Status, default: int, now: float) -> Decision:
    due = next_time(schedule, known.last, default)
    if due is None or now <= due:
        return Decision("wait", "too-early", {}, known, due)
    return _reconcile(Status(known.generation, known.number + 1, now, known.on_failed))


def _reconcile(status: Status) -> Decision:
    annotations = {apinames.OPERATION_ANNOTATION: "reconcile", apinames.RECONCILE_REASON_ANNOTATION: "retry"}
    return Decision("reconcile", "retry", annotations, status)


def next_time(schedule: dict[str, object], last: float, default: int) -> float | None:
    """Return the time after `last` by cronSpec if it parses, else by interval, else in `default` seconds."""
    spec = text(schedule.get("cronSpec"))
    if spec:
        try:
            return parse_cron(spec).next(last)
        except GoInputError:
            pass  # the controller falls back to the interval; validate-installation names the error
    interval = text(schedule.get("interval"))
    try:
        return last + (parse_duration(interval) / _NANO if interval else default)
    except GoInputError:
        return last + default


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
