"""A plan as data, and without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.fn.masking import Mask, secrets_among
from krmkit.systems.clusterapi.api.collection import Collected
from krmkit.systems.clusterapi.plan.model import ClusterPlan, ObjectChange, Roll, Step, TopologyPlan, said


def as_data(plan: TopologyPlan) -> dict[str, Any]:
    """Return the plan as data: the classes of krmkit.systems.clusterapi.plan.model, without the objects."""
    return {
        "clusters": [
            {"namespace": one.namespace, "name": one.name, **_cluster(one)} for one in plan.clusters
        ],
        "errors": [*map(str, plan.errors)],
        "warnings": [*map(str, plan.warnings)],
    }


def _cluster(one: ClusterPlan) -> dict[str, Any]:
    data: dict[str, Any] = {
        "action": one.action,
        "changes": [_change(change) for change in one.changes],
        "rolls": [roll_data(roll) for roll in one.rolls],
        "waits": one.waits,
        "errors": [*map(said, one.errors)],
    }
    if one.steps:
        data["steps"] = [_step(step) for step in one.steps]
    if one.then is not None:
        data["then"] = _cluster(one.then)
    return data


def _step(step: Step) -> dict[str, Any]:
    return {
        "controlPlaneVersion": step.version,
        "changes": [_change(change) for change in step.changes],
        "rolls": [roll_data(roll) for roll in step.rolls],
        "waits": step.waits,
    }


def roll_data(roll: Roll) -> dict[str, Any]:
    """Return the replacement of a group's machines as data."""
    data: dict[str, Any] = {"group": roll.group, "sure": roll.sure, "reasons": roll.reasons}
    if roll.only:
        data["only"] = roll.only
    if roll.times > 1:
        data["times"] = roll.times
    limits = {"replicas": roll.replicas, "maxSurge": roll.max_surge, "maxUnavailable": roll.max_unavailable}
    data.update((name, value) for name, value in limits.items() if value is not None)
    return data


def _change(change: ObjectChange) -> dict[str, Any]:
    data: dict[str, Any] = {
        "action": change.action,
        "role": str(change.role),
        "kind": change.kind,
        "name": change.name,
    }
    if change.old_name and change.old_name != change.name:
        data["oldName"] = change.old_name
    if change.fields:
        data["fields"] = change.fields
    return data


def mask_plan(plan: TopologyPlan, *packages: Collected) -> None:
    """Mask the secrets of the compared packages in a plan; the names of objects stay."""
    items = [
        one.resource for package in packages for one in package.others.values() if one.resource is not None
    ]
    mask = Mask(secrets_among(items))
    if not mask:
        return

    messages = mask.messages

    def value(item: dict[str, Any] | None) -> Any:
        return None if item is None else mask.value(item)

    findings = [*plan.errors, *plan.warnings, *(error for one in plan.clusters for error in one.errors)]
    for finding in findings:
        finding.message, finding.field = mask.message(finding.message), mask.message(finding.field)
        finding.current, finding.proposed = mask.value(finding.current), mask.value(finding.proposed)
    for cluster in (one for first in plan.clusters for one in _with_later(first)):
        cluster.waits = messages(cluster.waits)
        for step in cluster.steps:
            step.waits = messages(step.waits)
        for roll in (*cluster.rolls, *(roll for step in cluster.steps for roll in step.rolls)):
            roll.reasons = messages(roll.reasons)
        for change in (*cluster.changes, *(change for step in cluster.steps for change in step.changes)):
            change.fields = messages(change.fields)
            change.before, change.after = value(change.before), value(change.after)


def _with_later(plan: ClusterPlan) -> Iterator[ClusterPlan]:
    """Yield the plan of a Cluster, and its later plan if it is blocked."""
    while True:
        yield plan
        if plan.then is None:
            return
        plan = plan.then
