"""Compare two states of a Cluster: objects that differ, and machines that are replaced for it."""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.roles import CLUSTER, INFRASTRUCTURE_CLUSTER
from krmkit.systems.clusterapi.desired.comparison import (
    changed_fields,
    is_live,
    owned_part,
    without_unset_endpoint,
)
from krmkit.systems.clusterapi.desired.rotation import ROTATED, Rotation
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.plan.model import CHANGE, CREATE, REMOVE, REPLACE, ObjectChange, Roll
from krmkit.systems.clusterapi.plan.rolls import Clock, rolls

_MOST_REASONS = 5


def all_objects(state: ClusterState, action: str) -> list[ObjectChange]:
    """Return every object of a state as created or removed."""
    changes = []
    for role, item in state.objects():
        if role != CLUSTER and item:
            change = ObjectChange(action, role, str(item.get("kind", "")), _name(item))
            setattr(change, "after" if action == CREATE else "before", item)
            changes.append(change)
    return changes


def _name(item: Object) -> str:
    return str(find(item, ("metadata", "name"), ""))


class StateComparison:
    """Compare states of a Cluster. first: the state before the change, with its applied fields."""

    def __init__(self, first: ClusterState, clock: Clock) -> None:
        self._first = first
        self._applied = first.applied
        self._clock = clock

    def changes(
        self, before: ClusterState, after: ClusterState, rotations: list[Rotation]
    ) -> list[ObjectChange]:
        """Return the objects that differ between two states. Raises TopologyError."""
        old = {role: item for role, item in before.objects() if item and role != CLUSTER}
        new = {role: item for role, item in after.objects() if role != CLUSTER}
        rotated = {one.role: one for one in rotations if one.outcome == ROTATED}
        applied = self._applied if before is self._first else {}
        found: list[ObjectChange] = []
        for role, item in new.items():
            kind, name = str(item.get("kind", "")), _name(item)
            there, last = old.get(role), applied.get(role)
            if there is None:
                found.append(ObjectChange(CREATE, role, kind, name, after=item))
                continue
            if role == INFRASTRUCTURE_CLUSTER:
                there, item = without_unset_endpoint(there), without_unset_endpoint(item)
                last = None if last is None else without_unset_endpoint(last)
            fields = list(changed_fields(there, item, last))
            old_name = _name(there)
            if role in rotated and (fields or old_name != name):
                change = ObjectChange(REPLACE, role, kind, name, old_name, rotated[role].fields)
            elif fields or old_name != name or there.get("kind") != kind:
                change = ObjectChange(CHANGE, role, kind, name, old_name, fields)
            else:
                continue
            change.before, change.after = owned_part(there, item, last)
            found.append(change)
        for role, item in old.items():
            if role not in new:
                own = owned_part(item, applied.get(role, item), applied.get(role))[0]
                found.append(ObjectChange(REMOVE, role, str(item.get("kind", "")), _name(item), before=own))
        return found

    def rolls(
        self, changes: list[ObjectChange], rotations: list[Rotation], after: ClusterState
    ) -> tuple[list[Roll], list[str]]:
        """Return the replaced machines, with their groups' size, and the changes of a later date."""
        rotated = {one.role: one for one in rotations if one.outcome == ROTATED}
        found, later = rolls(changes, rotated, self._clock)
        holders = {role.owner: item for role, item in after.objects() if role.is_holder}
        running = {role.owner: item for role, item in self._first.objects() if is_live(item)}
        kept = []
        for roll in found:
            holder = holders.get(roll.group, {})
            if find(holder, ("spec", "rollout", "strategy", "type")) == "OnDelete":
                later.append(
                    f"{roll.group} rolls a machine when somebody deletes it (OnDelete): {listed(roll.reasons, _MOST_REASONS)}"
                )
                continue
            _limit(roll, holder, running.get(roll.group, {}))
            kept.append(roll)
        return kept, later


def _limit(roll: Roll, desired: Object, running: Object) -> None:
    """Fill in a group's size and its rolling update's limits: desired, running or default ones."""
    replicas = find(desired, ("spec", "replicas"), find(running, ("spec", "replicas"), 1))
    roll.replicas = replicas if type(replicas) is int else None
    if roll.group.startswith("MachinePool"):
        return  # The provider decides how many at a time.
    path = ("spec", "rollout", "strategy", "rollingUpdate")
    limits = {"maxSurge": 1, **mapping(running, *path), **mapping(desired, *path)}
    roll.max_surge = limits["maxSurge"]
    # The control plane never has fewer machines than it should.
    roll.max_unavailable = 0 if roll.group == "controlPlane" else limits.get("maxUnavailable", 0)
