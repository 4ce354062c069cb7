"""List the Installations that Landscaper would reconcile at a given time, with the reasons."""

from __future__ import annotations

from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import join
from krmkit.libraries.kube.timestamps import format_time
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping, text
from krmkit.libraries.schema.walk import kind_of
from krmkit.systems.landscaper.apinames import OPERATION_ANNOTATION
from krmkit.systems.landscaper.form.installation import schedule_errors
from krmkit.systems.landscaper.items.identity import name_of, namespace_of, parent_of
from krmkit.systems.landscaper.items.installations import read
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.reconcile.decision import Decision, plan
from krmkit.systems.landscaper.templates.context import moment

# The values of the annotation, and Landscaper's actions (apis/core/v1alpha1).
_OPERATIONS = {
    "reconcile": "reconcile now",
    "interrupt": "interrupt now",
    "test-reconcile": "none, this operation is for tests of DeployItems",
}
_FORMER = {"force-reconcile": "reconcile", "abort": "interrupt"}  # operations of older versions

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


def plan_items(
    resources: ResourceList, installations: list[str], now: str, write: bool, config: Resource | None = None
) -> list[Finding]:
    """Return one info for each Installation; with `write`, set the controller's annotations.

    config: the item with the names.
    """
    unix = moment(now, config) or 0
    items = read(resources)
    wanted = items.installations(installations, config)
    findings = list(items.findings)
    if any(one.severity == ERROR for one in findings):
        secrets = Secrets(items.world)
        for one in findings:
            one.message = secrets.scrub(one.message)
        return findings
    for installation in items.world.of_kind("Installation"):
        if wanted is not None and name_of(installation) not in wanted:
            continue
        item = items.place("Installation", namespace_of(installation), name_of(installation))
        spec = installation.get("spec", {})
        if not isinstance(spec, dict):
            message = f"spec must be a map, got {kind_of(spec)}"
            findings.append(Finding("unreadable", message, item, "spec"))
            continue
        for error in schedule_errors(installation):
            said = f"{error.message}; Landscaper goes on without this field"
            findings.append(Finding("bad-schedule", said, item, error.field))
        decision = plan(installation, unix)
        action, said = asked_for(installation, decision) or (decision.action, described(decision))
        tags = {"action": action, "reason": decision.reason}
        findings.append(Finding("reconcile-plan", said, item, tags=tags))
        findings += operation_warnings(installation, item)
        if write and item is not None:
            for key, value in decision.annotations.items():
                item.set(("metadata", "annotations", key), value)
    return findings


def asked_for(installation: dict[str, object], decision: Decision) -> tuple[str, str] | None:
    """Return (action, sentence) of the operation annotation on an Installation without a schedule, or None.

    `annotated`: the annotation is set, so the controller acts at once. `needs-annotation`: the spec waits
    until it is set. None if `decision` itself is the answer.
    """
    operation = _operation(installation)
    if operation is not None:
        does = _OPERATIONS.get(operation, "none")
        return "annotated", f"{does}: it has the annotation {OPERATION_ANNOTATION}: {operation}"
    status = mapping(installation.get("status"))
    is_new = not text(status.get("phase"))
    waits = decision.reason == "not-up-to-date" or (decision.action == "none" and is_new)
    is_running = status.get("jobID") != status.get("jobIDFinished")
    if not waits or is_running or parent_of(installation):
        return None
    why = "its spec is newer than what Landscaper reconciled last"
    if is_new:
        why = "Landscaper has not reconciled it yet"
    return "needs-annotation", f"needs the annotation {OPERATION_ANNOTATION}: reconcile: {why}"


def operation_warnings(installation: dict[str, object], item: Resource | None) -> list[Finding]:
    """Warn about an operation that Landscaper does not know: the annotation then does nothing."""
    operation = _operation(installation)
    if operation is None or operation in _OPERATIONS:
        return []
    meant = did_you_mean(_FORMER.get(operation, operation), ("reconcile", "interrupt"))
    problem = f"Landscaper knows no operation {operation}" + meant
    field = join("metadata.annotations", OPERATION_ANNOTATION)
    return [Finding("unknown-operation", problem, item, field, current=operation)]


def _operation(installation: dict[str, object]) -> str | None:
    annotations = mapping(mapping(installation.get("metadata")).get("annotations"))
    return text(annotations[OPERATION_ANNOTATION]) if OPERATION_ANNOTATION in annotations else None


def described(decision: Decision) -> str:
    """Format a decision as a sentence: `wait until 2026-05-01T09:00:00Z: its schedule is not due`."""
    reason = _REASONS[decision.reason]
    if decision.action == "wait" and decision.next_time is not None:
        return f"wait until {format_time(decision.next_time)}: {reason}"
    if decision.action == "reconcile" and decision.status is not None:
        return f"reconcile: {reason} (number {decision.status.number})"
    return f"{decision.action}: {reason}"
