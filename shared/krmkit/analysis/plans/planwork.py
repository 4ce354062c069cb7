"""Plan many Clusters, shared among processes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Protocol

from krmkit.fleet.engine.jobs import local
from krmkit.krm.errors import Refused
from krmkit.systems.clusterapi.api.collection import Collected, Key
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions
from krmkit.systems.clusterapi.plan.changes import make_plan
from krmkit.systems.clusterapi.plan.model import ClusterPlan, TopologyPlan, distinct, warning


class Progress(Protocol):
    """A display for the number of planned Clusters."""

    @property
    def watched(self) -> bool: ...

    def line(self, text: str) -> None: ...


_CHUNKS_PER_JOB = 4
_FEWEST = 8  # Clusters from which on a second process pays
_SILENT_SECONDS = 1.0


@dataclass(slots=True)
class Work:
    """A package before and after a change, and the data for both. `warnings` come first in the plan.

    with_objects: the plan keeps the objects, for a diff; they are most of the data sent between processes.
    """

    old: Collected
    new: Collected
    options: TopologyOptions
    warnings: list[str] = field(default_factory=list)
    with_objects: bool = False
    now: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def keys(self, names: Iterable[str] = ()) -> list[Key]:
        """Return (namespace, name) of both packages' Clusters called `name` or `namespace/name`, or all."""
        keys = sorted({item.key for item in (*self.old.clusters, *self.new.clusters)})
        wanted = frozenset(names)
        return [key for key in keys if not wanted or key[1] in wanted or "/".join(key) in wanted]

    def __call__(self, keys: list[Key]) -> TopologyPlan:
        plan = make_plan(self.old, self.new, self.options, keys, self.now)
        plan.warnings[:0] = map(warning, self.warnings)
        for change in (change for one in plan.clusters for change in one.all_changes()):
            if not self.with_objects:
                change.before = change.after = None
        return plan


def compute(work: Work, keys: list[Key], jobs: int, progress: Progress) -> TopologyPlan:
    """Return the plan of the Clusters, many of them shared among processes. Raises Refused if one dies."""
    total = len(keys)
    jobs = min(jobs, max(1, total // _FEWEST))
    if jobs == 1:
        return work(keys)
    chunks = [keys[number :: jobs * _CHUNKS_PER_JOB] for number in range(min(total, jobs * _CHUNKS_PER_JOB))]
    started, done = monotonic(), 0
    plans: list[TopologyPlan] = []
    for plan, problem in local(jobs, len(chunks)).map(work, chunks):
        if plan is None:
            raise Refused(f"some Clusters cannot be planned: {problem}; fewer --jobs need less memory")
        plans.append(plan)
        done += len(plan.clusters)
        if progress.watched and monotonic() - started > _SILENT_SECONDS:
            progress.line(f"{done} of {total} Clusters")
    progress.line("")
    clusters: list[ClusterPlan] = [one for plan in plans for one in plan.clusters]
    clusters.sort(key=lambda one: (one.namespace, one.name))
    return TopologyPlan(
        clusters,
        sorted(distinct(one for plan in plans for one in plan.errors), key=str),
        sorted(distinct(one for plan in plans for one in plan.warnings), key=str),
    )
