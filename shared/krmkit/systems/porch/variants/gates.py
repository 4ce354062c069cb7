"""Write conditions, with gates for injection points into the Kptfile, else into a variant's status.

Source: setInjectionPointConditionsAndGates of the packagevariants controller. Unlike it, the lists are edited
in place: comments and unknown fields stay.
"""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries
from krmkit.libraries.yaml.data import is_null, lookup
from krmkit.libraries.yaml.tree import Map, Node, Seq, deref
from krmkit.systems.porch.api.apinames import Condition, PorchError
from krmkit.systems.porch.edits.minimaledit import arrange, own, settle, value_of
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_MATCH = "no resource matched any injection selector for this injection point"


def condition_of(point: InjectionPoint) -> Condition:
    """Return the condition of a point: True if an object was injected, else False with the reason."""
    if point.injected:
        message = f'injected resource "{point.injected_name}" from cluster'
        return Condition(point.condition_type, "True", "ConfigInjected", message)
    return Condition(
        point.condition_type, "False", "NoResourceSelected", ", ".join(point.errors) or _NO_MATCH
    )


def set_conditions_and_gates(
    kptfile: Resource, points: Sequence[InjectionPoint], causes: VariantCauses | None = None
) -> None:
    """Write a condition for each point, and a gate for each required one; sort both lists.

    Other gates and conditions stay. Neither list is created empty. Raises PorchError if a field has another
    type than Porch's.
    """
    _check_types(kptfile)
    gates = _list(kptfile, "info", "readinessGates")
    conditions = _list(kptfile, "status", "conditions")
    _set_gates(kptfile, gates, [point.condition_type for point in points if point.required])
    _set_conditions(kptfile, conditions, [condition_of(point) for point in points])
    if causes is not None:
        causes.conditions(kptfile, points)


def _check_types(kptfile: Resource) -> None:
    """Raise PorchError for types that Porch's JSON decoder refuses, though kpt accepts them."""
    from krmkit.libraries.schema.violations import validate
    from krmkit.systems.porch.api.specschemas import KPTFILE

    found = validate(KPTFILE, kptfile.get())[1]
    if found:
        raise PorchError(f"Porch cannot decode the Kptfile: {'; '.join(map(str, found))}")


def _set_gates(kptfile: Resource, gates: Seq | None, required: list[str]) -> None:
    positions: dict[str, int | object] = {}
    for position, item in enumerate(gates.items if gates is not None else ()):
        positions.setdefault(_text(item, "conditionType"), position)
    for gate in required:
        positions.setdefault(gate, {"conditionType": gate})
    wanted: list[int | object] = [positions[gate] for gate in sorted(positions)]
    _write(kptfile, gates, ("info", "readinessGates"), wanted)


def _set_conditions(kptfile: Resource, conditions: Seq | None, changed: list[Condition]) -> None:
    items = conditions.items if conditions is not None else ()
    listed: list[tuple[str, int | object]] = [(_text(item, "type"), at) for at, item in enumerate(items)]
    first: dict[str, int | object] = {}
    for name, entry in listed:
        first.setdefault(name, entry)
    for condition in changed:
        known = first.get(condition.type)
        if known is None:
            first[condition.type] = new = _in_order(condition)
            listed.append((condition.type, new))
        elif isinstance(known, int):
            for field, value in condition.data().items():
                if field != "type" and value_of(kptfile.node("status", "conditions", known, field)) != value:
                    kptfile.set(("status", "conditions", known, field), value)
    listed.sort(key=lambda entry: entry[0])
    settle(kptfile)
    conditions = _list(kptfile, "status", "conditions")
    _write(kptfile, conditions, ("status", "conditions"), [entry for _, entry in listed])


def _in_order(condition: Condition) -> dict[str, object]:
    """Return a condition in kyaml's order: type, status, message, reason."""
    data = condition.data()
    return {field: data[field] for field in ("type", "status", "message", "reason")}


def _write(kptfile: Resource, items: Seq | None, path: tuple[str, str], wanted: list[int | object]) -> None:
    if items is not None and items.items:
        arrange(kptfile, items, wanted)
    elif wanted:
        if is_null(kptfile.node(path[0])):
            kptfile.set((path[0],), {path[1]: wanted})
        else:
            kptfile.set(path, wanted)


def _list(kptfile: Resource, section: str, name: str) -> Seq | None:
    """Return the list at section.name for editing; None if it is absent or null."""
    own(kptfile, section)
    node = own(kptfile, section, name)
    return node if isinstance(node, Seq) else None


def _text(item: Node, field: str) -> str:
    """Return the sort key of a list entry; "" if it has none."""
    entry = deref(item)
    return str(value_of(lookup(entry, field)) or "") if isinstance(entry, Map) else ""


def open_gates(kptfile: Resource) -> list[str]:
    """Return the readiness gates whose condition is not "True"; Porch's package waits for these."""
    gates = entries(kptfile.get("info", "readinessGates"))
    conditions = entries(kptfile.get("status", "conditions"))
    done = {condition.get("type") for condition in conditions if condition.get("status") == "True"}
    return [
        str(gate["conditionType"])
        for gate in gates
        if gate.get("conditionType") and gate["conditionType"] not in done
    ]


def set_status(resource: Resource, conditions: Sequence[Condition]) -> None:
    """Set conditions in status.conditions: each replaces the condition of its type, or is added.

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
