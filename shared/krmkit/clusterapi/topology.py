"""Managed topologies among items: for each Cluster its class, its current state, and what it should be.

What belongs to a class (decoding, templates, variables, patches) is made once, on first use by one of its Clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.clusterapi.api import decode_cluster, decode_cluster_class
from krmkit.clusterapi.blueprint import read_blueprint
from krmkit.clusterapi.contract import Contracts
from krmkit.clusterapi.currentstate import CurrentObjects
from krmkit.clusterapi.desiredstate import WHEN_UID, Settings, desired_state
from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.extensions import NoExtensions, checked
from krmkit.clusterapi.labels import GROUP, OWNED, group_of
from krmkit.clusterapi.names import Names
from krmkit.clusterapi.rotation import ROTATED, rotate
from krmkit.krm.finding import ERROR, EXPLAIN, INFO, WARNING, Finding
from krmkit.lang.gotemplate.printing import quote
from krmkit.lang.nearest import did_you_mean
from krmkit.lang.nested import find, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from krmkit.clusterapi.blueprint import Blueprint
    from krmkit.clusterapi.collect import Collected, Item
    from krmkit.clusterapi.extensions import Extensions
    from krmkit.clusterapi.rotation import Rotation
    from krmkit.clusterapi.state import ClusterState
    from krmkit.clusterapi.versions import UpgradeTracker

    Object = dict[str, Any]


@dataclass(slots=True)
class Options:
    """The config of a render. names: pinned names, `{"<cluster>/<role>": name}`."""

    clusters: list[str] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)
    contracts: Mapping[str, str] = field(default_factory=dict)
    owner_references: str = WHEN_UID
    feature_gates: Mapping[str, bool] = field(default_factory=dict)


@dataclass(slots=True)
class Rendered:
    """One Cluster's outcome. `item` is the Cluster among the items, `cluster` what it is after defaulting."""

    item: Item
    cluster: Object
    state: ClusterState
    tracker: UpgradeTracker
    rotations: list[Rotation]
    is_new: bool


@dataclass(slots=True)
class ClassWork:
    """A class, ready for its Clusters: decoded, with its status.variables and its blueprint. Or what is wrong with it."""

    item: Item
    cluster_class: Object
    variables: list[Object] = field(default_factory=list)
    blueprint: Blueprint | None = None
    findings: list[Finding] = field(default_factory=list)


class Topologies:
    """The managed Clusters among collected items. `findings` has what is wrong with them, in the order of the items."""

    def __init__(self, collected: Collected, options: Options, extensions: Extensions | None = None) -> None:
        self._collected = collected
        self._options = options
        self._extensions = extensions or NoExtensions()
        self._contracts = Contracts((crd.data for crd in collected.crds), options.contracts)
        self._classes: dict[tuple[str, str], ClassWork] = {}
        self._current = CurrentObjects(_state_objects(collected))
        self.findings: list[Finding] = []

    def managed(self) -> list[Item]:
        """The Clusters with a topology, those that the config names or all. A name that is none is a finding."""
        wanted = set(self._options.clusters)
        found = []
        names = set()
        for item in self._collected.clusters:
            names.add(item.name)
            if wanted and item.name not in wanted:
                continue
            if isinstance(find(item.data, ("spec", "topology")), dict):
                found.append(item)
            elif wanted:
                message = "must have spec.topology to be rendered, got a Cluster without one"
                self.findings.append(Finding("not-managed", message, WARNING, item.resource, "spec"))
        for name in sorted(wanted - names):
            message = f"no Cluster {quote(name)} is among the items{did_you_mean(name, names)}"
            self.findings.append(Finding("no-cluster", message))
        return found

    def classes(self) -> list[ClassWork]:
        """The classes in use, in the order of their first Cluster."""
        return list(self._classes.values())

    def class_work(self, key: tuple[str, str]) -> ClassWork | None:
        """A class by namespace and name; None where it is not among the items."""
        known = self._classes.get(key)
        if known is None:
            item = self._collected.classes.get(key)
            if item is None:
                return None
            known = self._classes[key] = self._prepare(item)
            self.findings += known.findings
        return known

    def _prepare(self, item: Item) -> ClassWork:
        decoded, problems = decode_cluster_class(item.data)
        work = ClassWork(item, decoded)
        work.findings = _problems(item, problems)
        if any(not problem.unknown for problem in problems):
            return work
        work.findings += self._gated(item, decoded)
        if any(finding.severity == ERROR for finding in work.findings):
            return work
        try:
            work.variables = class_variables(decoded, self._extensions)
            work.blueprint = read_blueprint(
                _with_namespace(decoded, item), self._template(item), self._contracts, work.variables
            )
        except TopologyError as error:
            work.findings.append(Finding("class-error", str(error), resource=item.resource))
            return work
        blueprint = work.blueprint
        message = f"contract {blueprint.contract} of the control plane comes from {blueprint.contract_source}"
        work.findings.append(
            Finding("contract", message, EXPLAIN, item.resource, "spec.controlPlane.templateRef")
        )
        return work

    def _gated(self, item: Item, cluster_class: Object) -> list[Finding]:
        """External patches need the feature gate that the reference has for them."""
        if self._options.feature_gates.get("RuntimeSDK"):
            return []
        message = (
            "patch.external can be used only if the RuntimeSDK feature flag is enabled;"
            " set featureGates.RuntimeSDK: true in the config"
        )
        return [
            Finding("feature-gate", message, ERROR, item.resource, f"spec.patches[{index}].external")
            for index, patch in enumerate(find(cluster_class, ("spec", "patches")) or [])
            if patch.get("external")
        ]

    def _template(self, owner: Item) -> _Templates:
        return _Templates(self._collected, owner)

    def render(self, item: Item) -> Rendered | None:
        """The desired state of one Cluster; None where a finding says why there is none."""
        cluster, problems = decode_cluster(item.data)
        self.findings += _problems(item, problems)
        if any(not problem.unknown for problem in problems):
            return None
        cluster = _with_namespace(cluster, item)
        reference = mapping(cluster, "spec", "topology", "classRef")
        key = (str(reference.get("namespace") or item.namespace), str(reference.get("name", "")))
        work = self.class_work(key)
        if work is None:
            known = [name for namespace, name in self._collected.classes if namespace == key[0]]
            message = f"ClusterClass {'/'.join(key)} must be among the items{did_you_mean(key[1], known)}"
            self.findings.append(
                Finding("missing-class", message, resource=item.resource, field="spec.topology.classRef.name")
            )
            return None
        if work.blueprint is None:
            message = f"cannot be rendered: its ClusterClass {'/'.join(key)} has errors"
            self.findings.append(
                Finding("class-error", message, resource=item.resource, field="spec.topology.classRef.name")
            )
            return None
        prepared = self._prepared(item, cluster, work)
        return None if prepared is None else self._compute(item, prepared, work.blueprint)

    def _prepared(self, item: Item, cluster: Object, work: ClassWork) -> Object | None:
        return cluster

    def _compute(self, item: Item, cluster: Object, blueprint: Blueprint) -> Rendered | None:
        current = self._current.of(cluster, blueprint)
        pinned = {
            name.partition("/")[2]: value
            for name, value in self._options.names.items()
            if name.partition("/")[0] == item.name
        }
        settings = Settings(self._options.owner_references, pinned, self._extensions)
        if current is not None:
            settings.upgrading = self._current.upgrading(cluster, current)
        try:
            state, tracker = desired_state(blueprint, cluster, current, settings)
            rotations: list[Rotation] = []
            if current is not None:
                rotations = rotate(current, state, Names(item.namespace, item.name, pinned), item.name)
        except TopologyError as error:
            message = f"error computing the desired state of the Cluster topology: {error}"
            self.findings.append(Finding("topology-error", message, resource=item.resource))
            return None
        self.findings += _told(item, tracker, rotations)
        return Rendered(item, cluster, state, tracker, rotations, current is None)


class _Templates:
    """The templates of one class by reference: (templateRef, field) -> data."""

    __slots__ = ("_collected", "_owner")

    def __init__(self, collected: Collected, owner: Item) -> None:
        self._collected = collected
        self._owner = owner

    def __call__(self, reference: Object, where: str) -> Object:
        kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
        group = group_of(str(reference.get("apiVersion", "")))
        found = self._collected.find(group, kind, self._owner.namespace, name)
        if found is None:
            place = (group, kind, self._owner.namespace)
            hint = did_you_mean(name, [key[3] for key in self._collected.others if key[:3] == place])
            raise TopologyError(
                f"{where} must name a template among the items, got {kind}.{group} {quote(name)} in namespace"
                f" {self._owner.namespace}{hint}"
            )
        return found.data


def class_variables(cluster_class: Object, extensions: Extensions) -> list[Object]:
    """The class's status.variables: definitions from the class, then those that extensions discover."""
    by_name: dict[str, Object] = {}

    def add(variable: Object, source: str) -> None:
        entry = by_name.setdefault(
            str(variable.get("name", "")), {"name": variable.get("name"), "definitions": []}
        )
        definition = {key: value for key, value in variable.items() if key != "name"}
        entry["definitions"].append({"from": source, **definition})

    for variable in find(cluster_class, ("spec", "variables")) or []:
        add(variable, "inline")
    for patch in find(cluster_class, ("spec", "patches")) or []:
        handler = find(patch, ("external", "discoverVariablesExtension"))
        if handler:
            response = checked(handler, extensions.discover_variables(handler, _discovery(patch)))
            for variable in response.get("variables") or []:
                add(variable, str(patch.get("name", "")))
    return [by_name[name] for name in sorted(by_name)]


def _discovery(patch: Object) -> Object:
    settings = find(patch, ("external", "settings"))
    return {"settings": settings} if settings else {}


def _state_objects(collected: Collected) -> Iterable[Object]:
    """What may be part of a current state: what carries the label of managed topologies, and Machines."""
    for (group, kind, *_), item in collected.others.items():
        resource = item.resource
        if resource is None or resource.may_hold(OWNED) or (group == GROUP and kind == "Machine"):
            yield _with_namespace(item.data, item)


def _with_namespace(data: Object, item: Item) -> Object:
    metadata = mapping(data, "metadata")
    if metadata.get("namespace"):
        return data
    return {**data, "metadata": {**metadata, "namespace": item.namespace}}


def _problems(item: Item, problems: Iterable[Any]) -> list[Finding]:
    found = []
    for problem in problems:
        rule, severity = ("unknown-field", WARNING) if problem.unknown else ("bad-object", ERROR)
        found.append(Finding(rule, problem.message, severity, item.resource, problem.field))
    return found


def _told(item: Item, tracker: UpgradeTracker, rotations: list[Rotation]) -> list[Finding]:
    """What waits for what, and which machines roll."""
    found = []
    for rotation in rotations:
        if rotation.outcome == ROTATED:
            message = (
                f"{rotation.role}: {rotation.kind} {rotation.current_name} is replaced by {rotation.name}, so its machines"
                f" roll; changed: {', '.join(rotation.fields)}"
            )
            tags = {"role": rotation.role, "from": rotation.current_name, "to": rotation.name}
            found.append(Finding("rotated", message, INFO, item.resource, "spec.topology", tags=tags))
    for message in waiting(tracker):
        found.append(Finding("upgrade", message, INFO, item.resource, "spec.topology.version"))
    return found


def waiting(tracker: UpgradeTracker) -> list[str]:
    """How an upgrade stands, a line for each part that waits. `[]` where nothing does."""
    lines = []
    if tracker.plan:
        lines.append(f"the control plane goes through {', '.join(tracker.plan)}")
    if tracker.is_provisioning:
        lines.append("the control plane is being created; it takes the new version afterwards")
    if tracker.is_upgrading:
        lines.append("the control plane is still upgrading; the next step waits for it")
    if tracker.is_waiting_for_workers:
        lines.append("the control plane waits for the workers to upgrade first")
    for kind, workers in (
        ("MachineDeployments", tracker.machine_deployments),
        ("MachinePools", tracker.machine_pools),
    ):
        if workers.plan:
            lines.append(f"{kind} go through {', '.join(workers.plan)}")
        if workers.deferred:
            lines.append(f"{kind} put off by annotation: {', '.join(workers.deferred)}")
        pending = [name for name in workers.pending_upgrade if name not in workers.deferred]
        if pending:
            lines.append(f"{kind} that wait for their turn: {', '.join(pending)}")
        if workers.pending_create:
            lines.append(
                f"{kind} that are created when the control plane is stable: {', '.join(workers.pending_create)}"
            )
    return lines
