"""Render the managed topologies among items: each Cluster's class, current state and desired state.

The parts of a class (decoded data, templates, variables, patches) are made once, on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import find
from krmkit.libraries.yaml import effort
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.api.errors import DefinitionsError, TopologyError
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.names import ClusterNames
from krmkit.systems.clusterapi.desired import package
from krmkit.systems.clusterapi.desired.blueprint import ClassTemplates, ClusterBlueprint, read_blueprint
from krmkit.systems.clusterapi.desired.cluster import WHEN_UID, DesiredStateSettings, desired_state
from krmkit.systems.clusterapi.desired.current import CurrentObjects, state_objects
from krmkit.systems.clusterapi.desired.pinned import PinnedNames
from krmkit.systems.clusterapi.desired.rotation import ROTATED, Rotation, rotate
from krmkit.systems.clusterapi.desired.versions import UpgradeTracker, waiting
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions
from krmkit.systems.clusterapi.model.causes import ClusterCauses
from krmkit.systems.clusterapi.model.extensions import Extensions, NoExtensions
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.variables.cluster import default_and_validate
from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.webhooks.cluster import (
    Surroundings,
    class_key,
    default_version,
    validate_cluster,
)
from krmkit.systems.clusterapi.webhooks.compatibility import topology_of
from krmkit.systems.clusterapi.webhooks.repairs import meant

_A_CLUSTER = 10_000
"""Steps of effort that each Cluster brings along; sound patches and rules take about 4,000."""


@dataclass(slots=True)
class TopologyOptions:
    """The config of a render. names: pinned names, `{"<cluster>/<role>": name}` (see PinnedNames).

    around: wraps the extensions among the items with running ones. immutable: kinds of templates,
    `Kind.group`, whose webhook refuses an edit (see krmkit.systems.clusterapi.plan.edits). explain: record
    what set the fields of the objects. config: the item with these options.
    """

    clusters: list[str] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)
    contracts: Mapping[str, str] = field(default_factory=dict)
    owner_references: str = WHEN_UID
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    around: Callable[[PackageExtensions], Extensions] | None = None
    immutable: list[str] = field(default_factory=list)
    explain: bool = False
    config: Resource | None = None


@dataclass(slots=True)
class RenderedCluster:
    """One Cluster's outcome: the `item`, the defaulted `cluster`, and the `causes` of its objects' fields."""

    item: CollectedObject
    cluster: Object
    state: ClusterState
    tracker: UpgradeTracker
    rotations: list[Rotation]
    blueprint: ClusterBlueprint
    causes: ClusterCauses | None = None


@dataclass(slots=True)
class ClassWork:
    """A class ready for its Clusters. `blueprint` is None if findings report errors."""

    decoded: package.DecodedObject
    variables: list[Object] = field(default_factory=list)
    definitions: Definitions | None = None
    blueprint: ClusterBlueprint | None = None
    findings: list[Finding] = field(default_factory=list)
    templates: dict[int, CollectedObject] = field(default_factory=dict)  # by the id of their data


class Topologies:
    """The managed Clusters of a package. `findings` lists their problems, in the order of the items."""

    def __init__(
        self,
        collected: Collected,
        options: TopologyOptions,
        extensions: Extensions | None = None,
        running: CurrentObjects | None = None,
        current: Mapping[tuple[str, str], ClusterState] | None = None,
    ) -> None:
        """Read the package. running: existing objects in place of the items' own.

        current: the state of each Cluster, by namespace and name, in place of the state among these objects.
        """
        self._collected = collected
        self._given = current
        self._options = options
        self._features = FeatureGates.of(options.feature_gates)
        self._package = package.TopologyPackage(collected, options.clusters or None, config=options.config)
        effort.take(-_A_CLUSTER * len(self._package.clusters))
        for decoded in self._package.clusters:
            if decoded.item.resource is not None:
                decoded.item.resource.forget_tree()  # its data were read, and it is not edited
        self._extensions = extensions or NoExtensions()
        self._contracts = Contracts((crd.data for crd in collected.crds), options.contracts)
        self._pinned = PinnedNames(options.names)
        self._classes: dict[tuple[str, str], ClassWork] = {}
        self._current = running or CurrentObjects(state_objects(collected))
        self.findings: list[Finding] = list(self._package.findings)

    def managed(self) -> list[package.DecodedObject]:
        """Return the Clusters with a topology that the config names, or all.

        A named Cluster without a topology is reported.
        """
        found = []
        for decoded in self._package.clusters:
            if not decoded.usable or topology_of(decoded.data):
                found.append(decoded)
            elif self._options.clusters:
                message = "must have spec.topology to be rendered, got a Cluster without one"
                self.findings.append(decoded.finding("not-managed", message, "spec"))
        return found

    def classes(self) -> list[ClassWork]:
        return list(self._classes.values())

    def class_work(self, key: tuple[str, str]) -> ClassWork | None:
        known = self._classes.get(key)
        if known is None:
            owner = self._package.classes.get(key)
            if owner is None:
                return None
            known = self._classes[key] = self._prepare(owner.decoded)
            self.findings += known.findings
        return known

    def _prepare(self, decoded: package.DecodedObject) -> ClassWork:
        work = ClassWork(decoded, findings=decoded.findings())
        if not decoded.usable:
            return work
        work.findings += self._gated(decoded)
        if any(finding.severity == ERROR for finding in work.findings):
            return work
        try:
            work.variables = package.class_variables(decoded.data, self._extensions)
            work.definitions = Definitions(work.variables)
            templates = ClassTemplates(self._collected, decoded.item)
            work.blueprint = read_blueprint(decoded.data, templates, self._contracts, work.variables)
            work.templates = templates.found
        except TopologyError as error:
            if isinstance(error, DefinitionsError):
                work.variables = error.variables
            work.findings.append(decoded.finding("class-error", str(error), error.field))
            return work
        blueprint = work.blueprint
        message = f"contract {blueprint.contract} of the control plane comes from {blueprint.contract_source}"
        work.findings.append(decoded.finding("contract", message, "spec.controlPlane.templateRef"))
        return work

    def _gated(self, decoded: package.DecodedObject) -> list[Finding]:
        """Return errors about external patches if their feature gate is off."""
        if self._features.runtime_sdk:
            return []
        message = (
            "patch.external can be used only if the RuntimeSDK feature flag is enabled;"
            " set featureGates.RuntimeSDK: true in the config"
        )
        return [
            decoded.finding("feature-gate", message, f"spec.patches[{index}].external")
            for index, patch in enumerate(find(decoded.data, ("spec", "patches")) or [])
            if patch.get("external")
        ]

    def render(self, decoded: package.DecodedObject) -> RenderedCluster | None:
        """Return the desired state of one Cluster; None after an error finding."""
        self.findings += decoded.findings()
        if not decoded.usable:
            return None
        if not decoded.item.name:
            self.findings.append(decoded.finding("wrong-type", "metadata.name must be set", "metadata.name"))
            return None
        key = class_key(decoded.data)
        place = "spec.topology.classRef.name"
        work = self.class_work(key)
        if work is None:
            hint = package.elsewhere(key, self._collected.classes) or did_you_mean(
                key[1], [name for namespace, name in self._collected.classes if namespace == key[0]]
            )
            message = f"ClusterClass {'/'.join(key)} must be among the items" + hint
            self.findings.append(decoded.finding("missing-class", message, place))
            return None
        if work.blueprint is None:
            why = next((one.message for one in work.findings if one.severity == ERROR), "it cannot be read")
            message = f"cannot be rendered: its ClusterClass {'/'.join(key)} has errors: {why}"
            self.findings.append(decoded.finding("class-error", message, place))
            return None
        cluster = self._admitted(decoded, work)
        return None if cluster is None else self._compute(decoded.item, cluster, work, work.blueprint)

    def _admitted(self, decoded: package.DecodedObject, work: ClassWork) -> Object | None:
        """Return the Cluster after the webhooks; None, with findings, if they refuse it."""
        old = self._package.previous(decoded)
        cluster = default_version(decoded.data)
        assert work.definitions is not None
        topology, errors = default_and_validate(
            topology_of(cluster), topology_of(old) if old is not None else None, work.definitions
        )
        if not errors:
            cluster = {**cluster, "spec": {**cluster["spec"], "topology": topology}}
            around = Surroundings(self._features, work.decoded.data)
            if old is not None:
                around.old_class = self._package.class_before(old)
                around.state = self._current.validation_state(old)
            errors, warnings = validate_cluster(cluster, old, around)
            for text in warnings:
                self.findings.append(decoded.finding("warning", text, "spec.topology"))
        by = work.decoded
        self.findings += [decoded.error("invalid", error, meant(error, by.data), by) for error in errors]
        return None if errors else cluster

    def unfit_names(self) -> list[Finding]:
        """Return warnings about the config's names that no rendered object uses."""
        return self._pinned.unfit(self._collected.clusters, self._options.config)

    def _compute(
        self, item: CollectedObject, cluster: Object, work: ClassWork, blueprint: ClusterBlueprint
    ) -> RenderedCluster | None:
        if self._given is None:
            current = self._current.of(cluster, blueprint)
        else:
            current = self._given.get(item.key)
        upgrading = self._current.upgrading(cluster, current) if current is not None else []
        causes = self._causes(item, work) if self._options.explain else None
        try:
            found = self._state(item, cluster, blueprint, current, upgrading, causes)
        except TopologyError as error:
            message = f"error computing the desired state of the Cluster topology: {error}{error.hint}"
            place = (error.resource or work.decoded.item.resource) if error.field else item.resource
            tags = {"cluster": f"{item.namespace}/{item.name}"}
            self.findings.append(
                Finding("topology-error", message, resource=place, field=error.field, tags=tags)
            )
            return None
        self._pinned.take(item, found.state)
        self.findings += _told(item, found.tracker, found.rotations)
        return found

    def _state(
        self,
        item: CollectedObject,
        cluster: Object,
        blueprint: ClusterBlueprint,
        current: ClusterState | None,
        upgrading: list[str],
        causes: ClusterCauses | None = None,
    ) -> RenderedCluster:
        pinned = self._pinned.of(item)
        settings = DesiredStateSettings(self._options.owner_references, pinned, self._extensions)
        settings.upgrading = upgrading
        settings.causes = causes
        state, tracker = desired_state(blueprint, cluster, current, settings)
        rotations: list[Rotation] = []
        if current is not None:
            rotations = rotate(current, state, ClusterNames(item.namespace, item.name, pinned), item.name)
        return RenderedCluster(item, cluster, state, tracker, rotations, blueprint, causes)

    def _causes(self, item: CollectedObject, work: ClassWork) -> ClusterCauses:
        from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions
        from krmkit.systems.clusterapi.model.causes import ClusterCauses

        known = self._extensions
        explained = known.explained if isinstance(known, PackageExtensions) else None
        return ClusterCauses(item, work.decoded.item, work.templates, explained)

    def next_state(self, rendered: RenderedCluster, current: ClusterState) -> RenderedCluster:
        """Return the desired state after `current` is reached and all machines have upgraded.

        Raises TopologyError.
        """
        return self._state(rendered.item, rendered.cluster, rendered.blueprint, current, [])


def _told(item: CollectedObject, tracker: UpgradeTracker, rotations: list[Rotation]) -> Iterator[Finding]:
    """Yield infos about waiting upgrades and about machines that are replaced."""
    for rotation in rotations:
        if rotation.outcome == ROTATED:
            message = (
                f"{rotation.role}: {rotation.kind} {rotation.current_name} is replaced by {rotation.name}, so its machines"
                f" roll; changed: {', '.join(rotation.fields)}"
            )
            tags = {"role": str(rotation.role), "from": rotation.current_name, "to": rotation.name}
            yield Finding("rotated", message, item.resource, "spec.topology", tags=tags)
    for message in waiting(tracker):
        yield Finding("upgrade", message, item.resource, "spec.topology.version")
