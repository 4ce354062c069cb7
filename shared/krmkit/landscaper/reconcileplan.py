"""The Installations of a list that Landscaper would reconcile at a given time, with the reasons."""

from __future__ import annotations

from krmkit.krm.finding import ERROR, INFO, WARNING, Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.landscaper.errors import InstallationError
from krmkit.landscaper.installationform import schedule_errors
from krmkit.landscaper.items import read
from krmkit.landscaper.reconcile import Decision, plan
from krmkit.landscaper.structure import name_of, namespace_of
from krmkit.landscaper.timestamps import format_time, parse_time

_REASONS = {
    "retry": "its schedule is due",
    "spec-changed": "reconcile-if-changed is set, and the generation is not the observed one",
    "operation-annotation-present": "an operation annotation is there already",
    "not-up-to-date": "the observed generation is not the current one",
    "too-early": "its schedule is not due",
    "max-retries": "numberOfReconciles is reached",
    "start-succeeded-schedule": "its schedule starts now",
    "not-configured": "automaticReconcile has no schedule for its phase",
}


def plan_items(resources: ResourceList, installations: list[str], now: str, write: bool) -> list[Finding]:
    """Return one info for each Installation; with `write`, set the annotations that the controller would set."""
    unix = parse_time(now)
    if unix is None:
        raise InstallationError("bad-time", f"must be a time as 2026-05-01T08:00:00Z, got {now}", "spec.now")
    items = read(resources)
    wanted = items.installations(installations)
    found = list(items.findings)
    if any(one.severity == ERROR for one in found):
        return found
    for installation in items.world.of_kind("Installation"):
        if wanted is not None and name_of(installation) not in wanted:
            continue
        item = items.place("Installation", namespace_of(installation), name_of(installation))
        for error in schedule_errors(installation):
            said = f"{error.message}; Landscaper goes on without this field"
            found.append(Finding("bad-schedule", said, WARNING, item, error.field))
        decision = plan(installation, unix)
        tags = {"action": decision.action, "reason": decision.reason}
        found.append(Finding("reconcile-plan", described(decision), INFO, item, tags=tags))
        if write and item is not None:
            for key, value in decision.annotations.items():
                item.set(("metadata", "annotations", key), value)
    return found


def described(decision: Decision) -> str:
    """Return a decision as a sentence: `wait until 2026-05-01T09:00:00Z: its schedule is not due`."""
    reason = _REASONS[decision.reason]
    if decision.action == "wait" and decision.next_time is not None:
        return f"wait until {format_time(decision.next_time)}: {reason}"
    if decision.action == "reconcile" and decision.status is not None:
        return f"reconcile: {reason} (number {decision.status.number})"
    return f"{decision.action}: {reason}"
