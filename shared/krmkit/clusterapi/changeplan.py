"""The effects of a change of Clusters, classes or templates: objects created, changed, removed, and machines that roll.

The old package is rendered first; its result is the current state of the new render. Thus names stay, and templates with changed
content rotate as in the controller.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from krmkit.clusterapi.currentstate import CurrentObjects, state_objects
from krmkit.clusterapi.extensions import NoExtensions
from krmkit.clusterapi.features import FeatureGates
from krmkit.clusterapi.hooks.extensionitems import package_extensions
from krmkit.clusterapi.packagevalidation import validate_package
from krmkit.clusterapi.rotation import ROTATED, changed_fields
from krmkit.clusterapi.topology import Topologies, TopologyOptions, waiting
from krmkit.clusterapi.topologypackage import TopologyPackage
from krmkit.clusterapi.versions import is_running
from krmkit.krm.finding import ERROR
from krmkit.lang.listed import listed
from krmkit.lang.nested import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from krmkit.clusterapi.collect import Collected, CollectedObject, Key
    from krmkit.clusterapi.extensions import Extensions
    from krmkit.clusterapi.rotation import Rotation
    from krmkit.clusterapi.state import ClusterState
    from krmkit.clusterapi.topology import RenderedCluster
    from krmkit.clusterapi.topologypackage import DecodedObject
    from krmkit.krm.finding import Finding

    Object = dict[str, Any]

CREATE = "create"
CHANGE = "change"
REPLACE = "replace"
REMOVE = "remove"
SAME = "same"
REFUSED = "refused"
_KUBEADM = "KubeadmControlPlane"
_MOST_FIELDS = 10


@dataclass(slots=True)
class ObjectChange:
    """One object. action: create, change, replace (a template that rotates; `old_name` goes) or remove."""

    action: str
    role: str
    kind: str
    name: str
    old_name: str = ""
    fields: list[str] = field(default_factory=list)
    before: Object | None = None
    after: Object | None = None


@dataclass(slots=True)
class Roll:
    """Machines that are replaced: of the control plane, a MachineDeployment or a MachinePool, and why.

    sure: the core controllers replace them; otherwise the provider of the kind decides.
    """

    group: str
    reasons: list[str]
    sure: bool = True


@dataclass(slots=True)
class ClusterPlan:
    """The change of one Cluster. action: same, create, change, remove or refused (`errors` say why)."""

    namespace: str
    name: str
    action: str
    changes: list[ObjectChange] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TopologyPlan:
    """All Clusters by namespace and name, errors about classes and other items, and warnings."""

    clusters: list[ClusterPlan] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def make_plan(old: Collected, new: Collected, options: TopologyOptions, keys: Iterable[Key]) -> TopologyPlan:
    """Return the plan for the Clusters of these keys (namespace, name), which may be in either package or in both."""
    wanted = sorted(set(keys))
    plan = TopologyPlan()
    running = CurrentObjects(state_objects(old))
    states, previous_errors = _states(old, _of(options, old, wanted), running, plan)
    new.previous_clusters = {item.key: item for item in old.clusters}
    new.previous_classes = dict(old.classes)
    rendered: dict[Key, RenderedCluster] = {}
    errors: dict[Key, list[str]] = {}
    chosen = _of(options, new, wanted)
    extensions = _extensions(new, chosen, plan)
    for decoded, outcome, texts in _render(new, chosen, extensions, running, states):
        if outcome is not None:
            rendered[decoded.item.key] = outcome
        errors[decoded.item.key] = texts
    refused = _refusals(new, chosen, extensions, running, plan)
    there = {item.key for item in new.clusters}
    for key in wanted:
        before = states.get(key)
        after = rendered.get(key)
        found = [*refused.get(key, ()), *errors.get(key, ())]
        one = ClusterPlan(*key, SAME, errors=list(dict.fromkeys(found)))
        if key in there and (after is None or one.errors):
            one.action = REFUSED
        elif after is None:
            one.action = REMOVE
            one.changes = _all(before, REMOVE) if before else []
        elif before is None:
            one.action = CREATE
            one.changes = _all(after.state, CREATE)
        else:
            _compare(one, before, after)
        plan.clusters.append(one)
    plan.warnings += [f"as it was: {text}" for text in previous_errors]
    return plan


def _of(options: TopologyOptions, collected: Collected, wanted: list[Key]) -> TopologyOptions:
    there = {item.key for item in collected.clusters}
    names = [f"{namespace}/{name}" for namespace, name in wanted if (namespace, name) in there]
    return replace(options, clusters=names)


def _states(
    old: Collected, options: TopologyOptions, running: CurrentObjects, plan: TopologyPlan
) -> tuple[dict[Key, ClusterState], list[str]]:
    """Return the current state of each Cluster: the objects of a running cluster if the package has them, else the old render.

    The list has the errors of Clusters without either, for example because an export lacks the ClusterClass.
    """
    states: dict[Key, ClusterState] = {}
    wrong: list[str] = []
    for decoded, one, texts in _render(old, options, _extensions(old, options, plan), running, None):
        state = one.state if one is not None else None
        found = running.of(decoded.data, one.blueprint if one is not None else None)
        if found is not None and is_running(found.control_plane.object):
            state = found
        if state is not None:
            states[decoded.item.key] = state
        else:
            wrong += texts
    return states, wrong


def _extensions(collected: Collected, options: TopologyOptions, plan: TopologyPlan) -> Extensions:
    """Return what answers the hooks of one package, made once: it keeps what extensions discover. Its problems go to the plan."""
    if not options.clusters:
        return NoExtensions()
    package, problems = package_extensions(collected)
    plan.errors += [str(problem) for problem in problems if problem.severity == ERROR]
    return package if options.around is None else options.around(package)


def _render(
    collected: Collected,
    options: TopologyOptions,
    extensions: Extensions,
    running: CurrentObjects,
    states: Mapping[Key, ClusterState] | None,
) -> Iterator[tuple[DecodedObject, RenderedCluster | None, list[str]]]:
    """Yield each Cluster with its outcome, or with the errors that prevent one."""
    if not options.clusters:
        return
    topologies = Topologies(collected, options, extensions, running, states)
    for decoded in topologies.managed():
        seen = len(topologies.findings)
        one = topologies.render(decoded)
        texts = [_text(finding) for finding in topologies.findings[seen:] if finding.severity == ERROR]
        yield decoded, one, texts if one is None else []


def _refusals(
    collected: Collected,
    options: TopologyOptions,
    extensions: Extensions,
    running: CurrentObjects,
    plan: TopologyPlan,
) -> dict[Key, list[str]]:
    """Return the errors of the webhooks by Cluster; errors about classes go to the plan."""
    if not options.clusters:
        return {}
    package = TopologyPackage(collected, options.clusters, extensions)
    by_reference = {_reference(item): item.key for item in collected.clusters}
    found: dict[Key, list[str]] = {}
    for finding in validate_package(package, FeatureGates.of(options.feature_gates), running):
        if finding.severity != ERROR:
            continue
        reference = finding.resource_ref or {}
        key = by_reference.get((reference.get("kind"), reference.get("namespace"), reference.get("name")))
        if key is None:
            plan.errors.append(str(finding))
        else:
            found.setdefault(key, []).append(_text(finding))
    return found


def _reference(item: CollectedObject) -> tuple[str | None, str | None, str | None]:
    resource = item.resource
    reference = resource.ref() if resource is not None else {"kind": item.kind, "name": item.name}
    return reference.get("kind"), reference.get("namespace"), reference.get("name")


def _text(finding: Finding) -> str:
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def _all(state: ClusterState, action: str) -> list[ObjectChange]:
    side = "after" if action == CREATE else "before"
    changes = []
    for role, item in state.objects():
        if role != "cluster" and item:
            change = ObjectChange(action, role, str(item.get("kind", "")), _name(item))
            setattr(change, side, item)
            changes.append(change)
    return changes


def _name(item: Object) -> str:
    return str(find(item, ("metadata", "name"), ""))


def _compare(one: ClusterPlan, before: ClusterState, after: RenderedCluster) -> None:
    """Fill in the changes between two states of a Cluster."""
    old = {role: item for role, item in before.objects() if item and role != "cluster"}
    new = {role: item for role, item in after.state.objects() if role != "cluster"}
    rotations = {rotation.role: rotation for rotation in after.rotations if rotation.outcome == ROTATED}
    for role, item in new.items():
        kind, name = str(item.get("kind", "")), _name(item)
        there = old.get(role)
        if there is None:
            one.changes.append(ObjectChange(CREATE, role, kind, name, after=item))
            continue
        fields = list(changed_fields(there, item))
        if role in rotations:
            one.changes.append(
                ObjectChange(REPLACE, role, kind, name, _name(there), rotations[role].fields, there, item)
            )
        elif fields or _name(there) != name or there.get("kind") != kind:
            one.changes.append(ObjectChange(CHANGE, role, kind, name, _name(there), fields, there, item))
    for role, item in old.items():
        if role not in new:
            one.changes.append(
                ObjectChange(REMOVE, role, str(item.get("kind", "")), _name(item), before=item)
            )
    one.action = CHANGE if one.changes else SAME
    one.rolls = rolls(one.changes, rotations)
    one.waits = waiting(after.tracker)


def rolls(changes: list[ObjectChange], rotations: Mapping[str, Rotation]) -> list[Roll]:
    """Return the machines that changes replace, with the reasons, in the order of the objects."""
    found: dict[str, Roll] = {}

    def add(group: str, reason: str, sure: bool = True) -> None:
        roll = found.setdefault(group, Roll(group, [], sure))
        roll.sure = roll.sure or sure
        if reason not in roll.reasons:
            roll.reasons.append(reason)

    created = {change.role for change in changes if change.action == CREATE}
    for change in changes:
        group = group_of_role(change.role)
        if group == "" or change.action in (CREATE, REMOVE) or _holder(change.role) in created:
            continue
        if change.role in rotations:
            add(group, f"{change.kind} {listed(rotations[change.role].fields, _MOST_FIELDS)}")
        elif change.role == "controlPlane":
            _control_plane_rolls(change, add)
        elif change.role.endswith("/machineDeployment") or change.role.endswith("/machinePool"):
            for path in (
                "spec.template.spec.version",
                "spec.template.spec.failureDomain",
                "spec.rollout.after",
            ):
                if path in change.fields:
                    add(group, _from_to(change, path))
        elif change.role.startswith("machinePools/"):
            inner = [path for path in change.fields if path.startswith("spec")]
            if inner:
                add(group, f"{change.kind} {listed(inner, _MOST_FIELDS)}", sure=False)
    return list(found.values())


def _control_plane_rolls(change: ObjectChange, add: Any) -> None:
    """Add the rolls of a control plane's own changes. Those of Kubeadm's controller are known; for others only the provider knows."""
    group = "controlPlane"
    if "spec.version" in change.fields:
        add(group, _from_to(change, "spec.version"))
    if "spec.rollout.after" in change.fields:
        add(group, _from_to(change, "spec.rollout.after"))
    harmless = ("spec.version", "spec.replicas", "spec.rollout", "spec.machineTemplate")
    other = [path for path in change.fields if path.startswith("spec.") and not path.startswith(harmless)]
    if change.kind == _KUBEADM:
        other = [path for path in other if path.startswith("spec.kubeadmConfigSpec")]
    if other:
        add(group, f"{change.kind} {listed(other, _MOST_FIELDS)}", sure=change.kind == _KUBEADM)


def _from_to(change: ObjectChange, path: str) -> str:
    steps = tuple(path.split("."))
    return f"{steps[-1]} {find(change.before, steps)} -> {find(change.after, steps)}"


def group_of_role(role: str) -> str:
    """Return the owner of the machines that a role is about: `controlPlane`, `MachineDeployment md-0`; "" for the infrastructure cluster."""
    if role in ("controlPlane", "controlPlaneInfrastructureMachineTemplate"):
        return "controlPlane"
    listing, _, rest = role.partition("/")
    name = rest.rpartition("/")[0]
    kind = {"machineDeployments": "MachineDeployment", "machinePools": "MachinePool"}.get(listing, "")
    return f"{kind} {name}" if kind and name else ""


def _holder(role: str) -> str:
    """Return the role of the object that refers to a template."""
    listing, _, rest = role.partition("/")
    name = rest.rpartition("/")[0]
    part = {"machineDeployments": "machineDeployment", "machinePools": "machinePool"}.get(listing)
    return f"{listing}/{name}/{part}" if part else "controlPlane"
