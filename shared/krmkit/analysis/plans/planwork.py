"""The plan of many Clusters, shared among processes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import Protocol

from krmkit.krm.errors import Refused
from krmkit.systems.clusterapi.api.collection import Collected, Key
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions
from krmkit.systems.clusterapi.plan.changes import make_plan
from krmkit.systems.clusterapi.plan.model import ClusterPlan, TopologyPlan, distinct


class Progress(Protocol):
    """Where the number of planned Clusters is shown."""

    @property
    def watched(self) -> bool: ...

    def line(self, text: str) -> None: ...


_CHUNKS_PER_JOB = 4
_FEWEST = 8  # Clusters from which on a second process pays
_SILENT_SECONDS = 1.0


class Work:
    """The input that the processes share. with_objects: the plan keeps the objects, for a diff."""

    def __init__(
        self, old: Collected, new: Collected, options: TopologyOptions, keys: list[Key], with_objects: bool
    ) -> None:
        self.old = old
        self.new = new
        self.options = options
        self.keys = keys
        self.with_objects = with_objects
        self.chunks = [keys]
        self.now = datetime.now(UTC).isoformat(timespec="seconds")

    def plan(self, number: int) -> TopologyPlan:
        """The plan of one chunk of the Clusters."""
        plan = make_plan(self.old, self.new, self.options, self.chunks[number], self.now)
        if not self.with_objects:
            # The objects are most of the data that would be sent between processes.
            for cluster_plan in plan.clusters:
                for change in cluster_plan.all_changes():
                    change.before = change.after = None
        return plan


def compute(work: Work, jobs: int, progress: Progress) -> TopologyPlan:
    """The plan of all Clusters, shared among processes where there are many. Raises Refused where a process dies."""
    total = len(work.keys)
    jobs = min(jobs, max(1, total // _FEWEST))
    if jobs == 1:
        return work.plan(0)
    from krmkit.fleet.engine.processes import share

    chunks = min(total, jobs * _CHUNKS_PER_JOB)
    work.chunks = [work.keys[number::chunks] for number in range(chunks)]
    started, done = monotonic(), 0
    plans: list[TopologyPlan] = []
    for _, plan, how in share(range(chunks), jobs, _worker, work):
        if plan is None:
            raise Refused(f"a process that worked on the Clusters {how}; fewer --jobs need less memory")
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


def _worker(work: Work) -> Callable[[int], TopologyPlan]:
    return work.plan
