"""Plan a change: objects created, changed and removed, and machines that are replaced.

The old package is rendered first. Its result, or the running objects that it holds, is the current state of
the new render. So names stay, and templates with changed content rotate as in the controller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from krmkit.krm.finding import ERROR, Finding
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject, Key
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.labels import group_of
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE
from krmkit.systems.clusterapi.desired.current import CurrentObjects, state_objects
from krmkit.systems.clusterapi.desired.generated import name_clashes
from krmkit.systems.clusterapi.desired.package import DecodedObject, TopologyPackage
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster, Topologies, TopologyOptions
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.model.extensions import Extensions, NoExtensions
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.packages.objects import CheckedPackage
from krmkit.systems.clusterapi.packages.validation import validate_package
from krmkit.systems.clusterapi.plan import model
from krmkit.systems.clusterapi.plan.applied import templates_as_applied, templates_as_stored
from krmkit.systems.clusterapi.plan.edits import TemplateEdits, references
from krmkit.systems.clusterapi.plan.objectchanges import StateComparison, all_objects
from krmkit.systems.clusterapi.plan.rolls import Clock
from krmkit.systems.clusterapi.plan.running import knows_applied, missing_objects, running_state
from krmkit.systems.clusterapi.plan.steps import plan_steps
from krmkit.systems.clusterapi.webhooks.cluster import class_key
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import created_errors, updated_errors

Place = tuple[str | None, str | None, str | None]  # kind, namespace, name

_BEFORE = "as it was: "
PAUSED_ANNOTATION = "cluster.x-k8s.io/paused"


def make_plan(
    old: Collected, new: Collected, options: TopologyOptions, keys: Iterable[Key], now: str = ""
) -> model.TopologyPlan:
    """Return the plan for the Clusters of these keys (namespace, name), in either or both packages.

    now: the time in RFC 3339, which decides whether a rollout.after has come; "" if it is not known.
    """
    return _Planner(old, new, options, sorted(set(keys)), now).plan()


class _Planner:
    """The data that the plans of all Clusters share."""

    def __init__(
        self, old: Collected, new: Collected, options: TopologyOptions, wanted: list[Key], now: str
    ) -> None:
        self._given = new
        self._old = old = templates_as_stored(old)
        self._new = new = templates_as_applied(old, templates_as_stored(new))
        self._options = options
        self._wanted = wanted
        self._now = now
        self._running = CurrentObjects(state_objects(old))
        self._edits = TemplateEdits(old, new, options.immutable)
        self._old_clusters = {item.key: item for item in old.clusters}
        self._plan = model.TopologyPlan()
        self._states: dict[Key, ClusterState] = {}
        self._errors: dict[Key, list[Finding]] = {}

    def plan(self) -> model.TopologyPlan:
        self._read_states()
        new, plan = self._new, self._plan
        # Only those that this plan is about: other processes plan the others.
        about = set(self._wanted)
        new.previous_clusters = {key: item for key, item in self._old_clusters.items() if key in about}
        new.previous_classes = dict(self._old.classes)
        chosen = _of(self._options, new, self._wanted)
        extensions = _extensions(new, chosen, plan)
        rendered: dict[Key, RenderedCluster] = {}
        topologies = Topologies(new, chosen, extensions, self._running, self._states)
        for decoded, outcome, errors in _render(topologies, chosen):
            key = decoded.item.key
            if outcome is not None:
                rendered[key] = outcome
            self._errors.setdefault(key, []).extend(errors)
        for key, found in self._refusals(chosen, extensions, rendered).items():
            known = [
                one
                for one in self._errors.get(key, ())
                if not any(model.said(each).endswith(one.message) for each in found)
            ]
            self._errors[key] = [*found, *known]
        there = {item.key: item for item in new.clusters}
        for key in self._wanted:
            plan.clusters.append(self._cluster(key, there.get(key), rendered.get(key), topologies))
        found = [*plan.errors, *(error for one in plan.clusters for error in one.errors)]
        told = [text for one in found for text in (str(one), model.said(one))]
        plan.errors = model.distinct(plan.errors)
        plan.warnings = [
            one
            for one in model.distinct(plan.warnings)
            if not one.message.startswith(_BEFORE)
            or not any(each.endswith(one.message.removeprefix(_BEFORE)) for each in told)
        ]
        return plan

    def _refusals(
        self, chosen: TopologyOptions, extensions: Extensions, rendered: dict[Key, RenderedCluster]
    ) -> dict[Key, list[Finding]]:
        """Return the refusals by server, webhooks or controller, by Cluster; report other objects' errors."""
        if not chosen.clusters:
            return {}
        # The package as it is given: what a server drops is warned about.
        given = replace(
            self._given,
            previous_clusters=self._new.previous_clusters,
            previous_classes=self._new.previous_classes,
        )
        package = TopologyPackage(given, chosen.clusters, extensions)
        checked = CheckedPackage(package)
        features = FeatureGates.of(chosen.feature_gates)
        found: dict[Key, list[Finding]] = {}
        there = {item.key: item for item in given.clusters}
        by_reference = {_reference(item): item.key for item in given.clusters}
        users = _users(package)
        for finding in checked.with_given(validate_package(package, features, self._running)):
            place = _of_reference(finding.resource_ref or {})
            key = by_reference.get(place)
            if finding.severity != ERROR:
                if finding.rule == UNKNOWN_FIELD:
                    self._plan.warnings.append(finding)
            elif key is not None:
                found.setdefault(key, []).append(finding)
            else:
                self._plan.errors.append(finding)
                for user in users.get(place, ()):
                    text = f"{place[0]} {place[1] or user[0]}/{place[2]} is refused, so nothing changes"
                    found.setdefault(user, []).extend(_refused(there[user], [text]))
        for key, one in rendered.items():
            if key not in found:
                found[key] = checked.made(one)
            self._plan.warnings += [
                model.warning(f"{'/'.join(key)}: {text}") for text in name_clashes(one.state)
            ]
        return found

    def _read_states(self) -> None:
        """Read each Cluster's state before the change, and the errors of running objects.

        Warn about Clusters without a state, for example because an export lacks the ClusterClass.
        """
        options = _of(self._options, self._old, self._wanted)
        extensions = _extensions(self._old, options, self._plan)
        topologies = Topologies(self._old, options, extensions, self._running, None)
        for decoded, one, errors in _render(topologies, options):
            key = decoded.item.key
            texts = [error.message for error in errors]
            found = self._running.of(decoded.data, one.blueprint if one is not None else None)
            state = running_state(one.state if one is not None else None, found)
            if state is None:
                self._plan.warnings += [model.warning(f"{_BEFORE}{text}") for text in texts]
                continue
            self._states[key] = state
            if state is found:
                missing = missing_objects(self._running, decoded.data, state)
                if missing:
                    self._errors[key] = _refused(decoded.item, missing)
                if not knows_applied(state):
                    self._plan.warnings.append(model.warning(_removals_unknown(key, texts)))

    def _cluster(
        self, key: Key, item: CollectedObject | None, after: RenderedCluster | None, topologies: Topologies
    ) -> model.ClusterPlan:
        plan = model.ClusterPlan(*key, model.SAME)
        before = self._states.get(key)
        if item is None:
            plan.action = model.REMOVE
            plan.changes = all_objects(before, model.REMOVE) if before else []
            return plan
        errors = list(self._errors.get(key, ()))
        if errors or after is None:
            errors = errors or _refused(item, ["the Cluster cannot be rendered"])
            plan.action, plan.errors = model.REFUSED, list({model.said(one): one for one in errors}.values())
            return plan
        refused, late = self._edits.of(after.blueprint.cluster_class)
        if before is None:
            plan.action = model.CREATE
            plan.changes = all_objects(after.state, model.CREATE)
        else:
            clock = Clock(self._now, lambda group: self._running.created(*key, group))
            plan_steps(plan, before, after, topologies, StateComparison(before, clock))
            if (
                plan.action == model.CHANGE
                and late
                and not refused
                and not self._reconciles_at_once(key, after)
            ):
                plan.waits += [
                    f"{text}: the change waits for the Cluster's next reconciliation, every 10 minutes by default"
                    for text in late
                ]
        if plan.action == model.REFUSED:
            return plan
        unwritten = _unwritten(plan, before)
        if unwritten:
            return model.ClusterPlan(*key, model.REFUSED, errors=_refused(item, unwritten))
        if refused:
            return model.ClusterPlan(*key, model.REFUSED, errors=_refused(item, refused), then=plan)
        return _paused(plan, after.cluster)

    def _reconciles_at_once(self, key: Key, after: RenderedCluster) -> bool:
        """Return whether the Cluster or its class changes: the controller watches these, not templates."""
        class_key = tuple(after.blueprint.label.split("/", 1))
        pairs = (
            (self._old_clusters.get(key), after.item),
            (
                self._old.classes.get((class_key[0], class_key[1])),
                self._new.classes.get((class_key[0], class_key[1])),
            ),
        )
        return any(
            one is None or other is None or not _holds(one.data.get("spec"), other.data.get("spec"))
            for one, other in pairs
        )


def _unwritten(one: model.ClusterPlan, before: ClusterState | None) -> list[str]:
    """Return the reasons why the control plane's webhook refuses the controller's writes."""
    found = []
    for change in one.changes:
        if change.role != CONTROL_PLANE or change.after is None:
            continue
        if change.action == model.CREATE or before is None:
            errors = created_errors(change.after)
        else:
            errors = updated_errors(before.control_plane.object, change.after, change.fields)
        found += [
            f"{change.kind} {one.namespace}/{change.name}: {error}: its webhook refuses that, so the controller stops with an error"
            for error in errors
        ]
    return found


def _holds(old: Any, new: Any) -> bool:
    """Return whether `old` holds every value of `new`; an API server may have added more."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in old and _holds(old[name], value) for name, value in new.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(_holds(one, other) for one, other in zip(old, new, strict=True))
    return bool(old == new)


def _removals_unknown(key: Key, texts: list[str]) -> str:
    why = f" ({texts[0]})" if texts else ""
    return (
        f"{'/'.join(key)}: fields that the change removes are not seen: the export holds neither managedFields (kubectl get"
        f" --show-managed-fields) nor a ClusterClass with its templates that renders{why}"
    )


def _paused(one: model.ClusterPlan, cluster: Object) -> model.ClusterPlan:
    """Move the changes of a paused Cluster to `then`; other plans stay."""
    if find(cluster, ("spec", "paused")) is True:
        why = "spec.paused is true"
    elif PAUSED_ANNOTATION in mapping(cluster, "metadata", "annotations"):
        why = f"the annotation {PAUSED_ANNOTATION} is set"
    else:
        return one
    if one.action == model.SAME:
        one.waits.append(f"{why}: the controllers leave the Cluster alone until it is resumed")
        return one
    waits = [f"{why}: nothing happens until the Cluster is resumed"]
    return model.ClusterPlan(one.namespace, one.name, model.PAUSED, waits=waits, then=one)


def _of(options: TopologyOptions, collected: Collected, wanted: list[Key]) -> TopologyOptions:
    there = {item.key for item in collected.clusters}
    names = [f"{namespace}/{name}" for namespace, name in wanted if (namespace, name) in there]
    return replace(options, clusters=names)


def _extensions(collected: Collected, options: TopologyOptions, plan: model.TopologyPlan) -> Extensions:
    """Return the extensions of a package, made once as they cache discoveries; report their problems."""
    if not options.clusters:
        return NoExtensions()
    package, problems = package_extensions(collected)
    plan.errors += [problem for problem in problems if problem.severity == ERROR]
    return package if options.around is None else options.around(package)


def _render(
    topologies: Topologies, options: TopologyOptions
) -> Iterator[tuple[DecodedObject, RenderedCluster | None, list[Finding]]]:
    """Yield each Cluster with its outcome, or with the errors that prevent one."""
    if not options.clusters:
        return
    for decoded in topologies.managed():
        seen = len(topologies.findings)
        one = topologies.render(decoded)
        found = [finding for finding in topologies.findings[seen:] if finding.severity == ERROR]
        # An error of a class is part of what is said of its Cluster.
        whole = [
            error
            for error in found
            if not any(o is not error and o.message.endswith(error.message) for o in found)
        ]
        yield decoded, one, whole if one is None else []


def _users(package: TopologyPackage) -> dict[Place, list[Key]]:
    """Return the Clusters that use each class and each template of a package."""
    found: dict[Place, list[Key]] = {}
    for decoded in package.clusters:
        owner = package.classes.get(class_key(decoded.data)) if decoded.usable else None
        if owner is None:
            continue
        items = [owner.decoded.item]
        for reference in references(owner.data):
            group = group_of(str(reference.get("apiVersion", "")))
            kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
            item = package.collected.find(group, kind, owner.decoded.item.namespace, name)
            items += [] if item is None else [item]
        for item in items:
            users = found.setdefault(_reference(item), [])
            if decoded.item.key not in users:
                users.append(decoded.item.key)
    return found


def _reference(item: CollectedObject) -> Place:
    resource = item.resource
    return _of_reference(resource.ref() if resource is not None else {"kind": item.kind, "name": item.name})


def _of_reference(reference: Mapping[str, str]) -> Place:
    return reference.get("kind"), reference.get("namespace"), reference.get("name")


def _refused(item: CollectedObject, texts: Iterable[str]) -> list[Finding]:
    return [Finding(model.REFUSED, text, resource=item.resource) for text in texts]
