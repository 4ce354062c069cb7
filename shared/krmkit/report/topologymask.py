"""Mask the secrets of both packages in a plan of Clusters, in every format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.clusterapi.api.collection import Collected
from krmkit.clusterapi.plan.model import ClusterPlan, TopologyPlan
from krmkit.fn.masking import Mask, secrets_among


def mask_plan(plan: TopologyPlan, *packages: Collected) -> None:
    """Mask the secrets of the compared packages in a plan; the names of objects stay."""
    items = [
        one.resource for package in packages for one in package.others.values() if one.resource is not None
    ]
    mask = Mask(secrets_among(items))
    if not mask:
        return

    def messages(texts: list[str]) -> list[str]:
        return [mask.message(text) for text in texts]

    def value(item: dict[str, Any] | None) -> Any:
        return None if item is None else mask.value(item)

    plan.errors, plan.warnings = messages(plan.errors), messages(plan.warnings)
    for cluster in (one for first in plan.clusters for one in _with_later(first)):
        cluster.errors, cluster.waits = messages(cluster.errors), messages(cluster.waits)
        for step in cluster.steps:
            step.waits = messages(step.waits)
        for roll in (*cluster.rolls, *(roll for step in cluster.steps for roll in step.rolls)):
            roll.reasons = messages(roll.reasons)
        for change in (*cluster.changes, *(change for step in cluster.steps for change in step.changes)):
            change.fields = messages(change.fields)
            change.before, change.after = value(change.before), value(change.after)


def _with_later(plan: ClusterPlan) -> Iterator[ClusterPlan]:
    """The plan of a Cluster, and its later plan, if it is held up."""
    while True:
        yield plan
        if plan.then is None:
            return
        plan = plan.then
