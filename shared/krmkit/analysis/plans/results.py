"""Convert a plan to results: refusals are errors, replaced machines warnings, other changes infos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from krmkit.krm.finding import INFO, WARNING, Finding
from krmkit.render.findings.model import Result
from krmkit.render.findings.places import position_in
from krmkit.systems.clusterapi.api.collection import Collected
from krmkit.systems.clusterapi.plan.model import (
    CHANGE,
    CREATE,
    REFUSED,
    REMOVE,
    REPLACE,
    SAME,
    ClusterPlan,
    ObjectChange,
    Roll,
    TopologyPlan,
    said,
)

Place = tuple[str, int, int]
Places = Callable[[dict[str, str], str], Place]


def places_in(folder: str, collected: Collected) -> Places:
    """Return a function from the reference of an object and a field to their place: path, line, column."""
    known = {
        (one.kind, one.namespace, one.name): one.resource
        for one in (*collected.others.values(), *collected.classes.values(), *collected.clusters)
    }

    def place(reference: dict[str, str], field: str) -> Place:
        key = reference.get("kind", ""), reference.get("namespace") or "default", reference.get("name", "")
        item = known.get(key)
        return ("", 0, 0) if item is None else position_in(folder, item, field)

    return place


def results_of(plan: TopologyPlan, place: Places) -> Iterator[Result]:
    """Yield the results of a plan, each with its place."""
    for error in plan.errors:
        yield _result(error, place)
    for warning in plan.warnings:
        yield _result(warning, place)
    for one in plan.clusters:
        cluster = {"kind": "Cluster", "namespace": one.namespace, "name": one.name}
        for error in one.errors:
            yield _result(error, place)
        here = place(cluster, "")
        for roll in one.rolls:
            text = f"{_sentence(roll)}: {'; '.join(roll.reasons)}"
            yield Result(WARNING, "machines-roll", text, *here, cluster)
        if one.action not in (SAME, REFUSED) and not one.rolls:
            yield Result(INFO, one.action, f"{signs(one.changes) or 'no object'}: {why(one)}", *here, cluster)


def _result(finding: Finding, place: Places) -> Result:
    reference = {name: text for name, text in (finding.resource_ref or {}).items() if name != "apiVersion"}
    here = place(reference, finding.field) if reference else ("", 0, 0)
    return Result(
        finding.severity, finding.rule, finding.message, *here, reference, finding.field,
        current=finding.current, proposed=finding.proposed, instead=finding.instead,
    )  # fmt: skip


def without_known(results: Iterable[Result], known: Iterable[Result]) -> list[Result]:
    """Drop results that repeat a known one of the same severity, field and object."""
    seen = set(map(_said, known))
    return [one for one in results if _said(one) not in seen]


def each_once(results: Iterable[Result]) -> list[Result]:
    """Drop results that repeat another function's about the same place."""
    kept: dict[object, Result] = {}
    for one in results:
        kept.setdefault((one.rule, one.place, _said(one)) if one.line else id(one), one)
    return [*kept.values()]


def _said(one: Result) -> tuple[str, ...]:
    return one.severity, one.message, one.field, one.resource.get("kind", ""), one.resource.get("name", "")


def exit_code(plans: Iterable[TopologyPlan]) -> int:
    """Return 1 if anything is refused, else 2 if anything changes, else 0."""
    code = 0
    for plan in plans:
        actions = {one.action for one in plan.clusters}
        if plan.errors or REFUSED in actions:
            return 1
        code = max(code, 2 * bool(actions - {SAME}))
    return code


def _sentence(roll: Roll) -> str:
    """Return a sentence such as `the machines of controlPlane roll twice`, with its restrictions."""
    which = f" {roll.only}" if roll.only else ""
    times = "" if roll.times == 1 else f" {roll.times} times"
    sure = "" if roll.sure else ", unless the provider changes them in place"
    return f"the machines of {roll.group}{which} roll{times}{sure}"


def signs(changes: list[ObjectChange]) -> str:
    """Return `+2 ~1 -3`: objects created, changed and removed; a replaced template counts as changed."""
    counts = {
        "+": sum(change.action == CREATE for change in changes),
        "~": sum(change.action in (CHANGE, REPLACE) for change in changes),
        "-": sum(change.action == REMOVE for change in changes),
    }
    return " ".join(f"{sign}{count}" for sign, count in counts.items() if count)


def groups(rolls: list[Roll]) -> str:
    """Return the groups with the number of times: `controlPlane (2 times), MachineDeployment md-0`."""
    return ", ".join(group_text(roll) for roll in rolls)


def group_text(roll: Roll) -> str:
    """Return `controlPlane (2 times)`, or `MachineDeployment md-0 (created before 2026-01-01T00:00:00Z)`."""
    notes = [
        *([roll.only] if roll.only else []),
        *([f"{roll.times} times"] if roll.times > 1 else []),
        *([] if roll.sure else ["provider decides"]),
    ]
    return roll.group + (f" ({', '.join(notes)})" if notes else "")


def why(one: ClusterPlan) -> str:
    """Return the reason of a Cluster's plan in a line: errors, else replaced machines, else changes."""
    if one.errors:
        return "; ".join([*map(said, one.errors), *_then(one)])
    reasons: dict[str, None] = {}
    for roll in one.rolls:
        reasons.update(dict.fromkeys(roll.reasons))
    if not reasons:
        reasons = dict.fromkeys(changed(one.changes))
    return "; ".join([*reasons, *one.waits, *_then(one)])


def changed(changes: list[ObjectChange]) -> list[str]:
    """Return the first changed fields of each object: `KubeadmControlPlane spec.version`."""
    return [f"{one.kind} {', '.join(one.fields[:3])}" for one in changes if one.action == CHANGE]


def _then(one: ClusterPlan) -> list[str]:
    """Return the effects of a change after its obstacle is removed."""
    later = one.then
    if later is None:
        return []
    rolling = groups(later.rolls)
    return [
        f"then: {signs(later.changes) or 'no object'}, {f'{rolling} rolls' if rolling else 'no machine rolls'}: {why(later)}"
    ]
