"""Step through a change, one reconciliation at a time, each after the machines of the step before.

An upgrade takes several: the control plane goes through each version, and the workers wait for it and for
each other.
"""

from __future__ import annotations

from dataclasses import replace

from krmkit.krm.finding import Finding
from krmkit.libraries.schema.fields import find
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster, Topologies
from krmkit.systems.clusterapi.desired.versions import UpgradeTracker, is_running, waiting
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.plan.model import CHANGE, REFUSED, SAME, ClusterPlan, ObjectChange, Roll, Step
from krmkit.systems.clusterapi.plan.objectchanges import StateComparison
from krmkit.systems.clusterapi.plan.running import in_effect, reached

_MOST_STEPS = 100
_WORKER_VERSION = ("spec", "template", "spec", "version")


def plan_steps(
    one: ClusterPlan,
    before: ClusterState,
    after: RenderedCluster,
    topologies: Topologies,
    comparison: StateComparison,
) -> None:
    """Fill in the changes of a Cluster between its state before the change and the desired state."""
    try:
        now, later, steps, last, tracker = _steps(before, after, topologies, comparison)
    except TopologyError as error:
        one.action, one.errors = REFUSED, [Finding(REFUSED, str(error), resource=after.item.resource)]
        return
    if is_running(before.control_plane.object):
        one.changes = now
        one.waits = waiting(after.tracker)
    else:
        # In git the new version is everywhere at once, and what the steps lead to is what will be there.
        one.changes = now if len(steps) < 2 else comparison.changes(before, last, after.rotations)
        one.waits = [text for text in waiting(tracker) if "put off" in text]
    one.rolls = _merged(steps)
    one.waits += later
    one.action = CHANGE if one.changes or steps else SAME
    if len(steps) > 1:
        one.steps = steps


def _steps(
    before: ClusterState, after: RenderedCluster, topologies: Topologies, comparison: StateComparison
) -> tuple[list[ObjectChange], list[str], list[Step], ClusterState, UpgradeTracker]:
    """Return the changes at once, the changes of a later date, the steps, the last state, and its tracker.

    Raises TopologyError.
    """
    current, outcome = before, after
    upgrades = _has_other_version(before, after)
    if upgrades and not is_running(before.control_plane.object):
        outcome = topologies.next_state(after, reached(before))
    now: list[ObjectChange] = []
    later: list[str] = []
    steps: list[Step] = []
    state, tracker = before, after.tracker
    for number in range(_MOST_STEPS):
        tracker = outcome.tracker
        state = in_effect(current, outcome.state, tracker)
        changes = comparison.changes(current, state, outcome.rotations)
        if changes:
            rolls, dates = comparison.rolls(changes, outcome.rotations, outcome.state)
            later += [text for text in dates if text not in later]
            version = str(find(outcome.state.control_plane.object, ("spec", "version"), ""))
            steps.append(Step(version, changes, rolls, waiting(tracker)))
            now = changes if number == 0 else now
        elif number > 0:
            break
        # Without changes at first, an upgrade that runs already may hold back what comes next.
        if not (upgrades or tracker.is_planned() or _pending(tracker)):
            break
        current = reached(state)
        outcome = topologies.next_state(after, current)
    return now, later, steps, state, tracker


def _has_other_version(before: ClusterState, after: RenderedCluster) -> bool:
    """Return whether any control plane or worker group differs from the topology's version."""
    wanted = find(after.cluster, ("spec", "topology", "version"))
    groups = (*before.machine_deployments.values(), *before.machine_pools.values())
    versions = {find(group.object, _WORKER_VERSION) for group in groups}
    versions.add(find(before.control_plane.object, ("spec", "version")))
    return bool(versions - {None, wanted})


def _pending(tracker: UpgradeTracker) -> bool:
    workers = (tracker.machine_deployments, tracker.machine_pools)
    return tracker.is_pending_upgrade or any(one.pending_create or one.pending_upgrade for one in workers)


def _merged(steps: list[Step]) -> list[Roll]:
    """Merge the replaced machines of all steps: one entry for each group, with the number of times."""
    found: dict[str, Roll] = {}
    for step in steps:
        for roll in step.rolls:
            known = found.get(roll.group)
            if known is None:
                found[roll.group] = replace(roll, reasons=list(roll.reasons), times=1)
                continue
            known.times += 1
            known.sure = known.sure or roll.sure
            known.only = known.only if roll.only else ""
            known.reasons = _joined(known.reasons, roll.reasons)
    return list(found.values())


def _joined(reasons: list[str], more: list[str]) -> list[str]:
    """Join the reasons of two steps: `version a -> b` and `version b -> c` become `version a -> b -> c`."""
    joined = list(reasons)
    for reason in more:
        head, arrow, target = reason.rpartition(" -> ")
        start = head.removeprefix("version ")
        for index, known in enumerate(joined):
            if arrow and known.startswith("version ") and known.endswith(f" -> {start}"):
                joined[index] = f"{known} -> {target}"
                break
        else:
            if reason not in joined:
                joined.append(reason)
    return joined
