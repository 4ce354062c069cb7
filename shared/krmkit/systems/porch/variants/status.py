"""Conditions in the status of a PackageVariant that is an item."""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import is_null, lookup
from krmkit.libraries.yaml.tree import Map, Seq, deref
from krmkit.systems.porch.api.apinames import Condition
from krmkit.systems.porch.edits.minimaledit import own, value_of


def set_status(resource: Resource, conditions: Sequence[Condition]) -> None:
    """Put conditions into status.conditions: each in the place of its type, else at the end.

    A status with equal conditions stays unchanged. There is no lastTransitionTime: functions have no clock.
    """
    if is_null(own(resource, "status")):
        resource.set(("status",), {"conditions": [condition.data() for condition in conditions]})
        return
    existing = own(resource, "status", "conditions")
    if not isinstance(existing, Seq) or not existing.items:
        resource.set(("status", "conditions"), [condition.data() for condition in conditions])
        return
    positions: dict[object, int] = {}
    for position, item in enumerate(existing.items):
        entry = deref(item)
        if isinstance(entry, Map):
            positions.setdefault(value_of(lookup(entry, "type")), position)
    for condition in conditions:
        known = positions.get(condition.type)
        if known is None:
            resource.set(("status", "conditions", len(existing.items)), condition.data())
            continue
        for field, value in condition.data().items():
            if value_of(resource.node("status", "conditions", known, field)) != value:
                resource.set(("status", "conditions", known, field), value)
