"""Decode the Clusters and ClusterClasses of a package once, and read the variables of a class.

The functions that default and validate share it: schemas are compiled once for all Clusters of a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError
from krmkit.libraries.messages.nearest import did_you_mean, proposal
from krmkit.libraries.schema.fields import entries, find, is_list_of_maps, mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject, Key
from krmkit.systems.clusterapi.api.decode import TEMPLATE_VARIABLE, DecodeProblem
from krmkit.systems.clusterapi.api.errors import DefinitionsError, TopologyError
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.api.templatevariables import unfilled
from krmkit.systems.clusterapi.model.extensions import DISCOVER_VARIABLES, Extensions, NoExtensions, checked
from krmkit.systems.clusterapi.variables.cluster import default_and_validate
from krmkit.systems.clusterapi.variables.definitions import Definitions, status_variables
from krmkit.systems.clusterapi.webhooks.cluster import class_key, default_version, validate_class_name
from krmkit.systems.clusterapi.webhooks.clusterclass import validate_class
from krmkit.systems.clusterapi.webhooks.compatibility import spec_of, topology_of
from krmkit.systems.clusterapi.webhooks.repairs import class_need

if TYPE_CHECKING:
    from krmkit.krm.finding import Subject

INLINE = "inline"
_SHOWN = 2000


class DecodedObject:
    """An item with its decoded data (v1beta2). An item that is not `usable` is not checked further."""

    def __init__(
        self, item: CollectedObject, decode: Callable[[object], tuple[Object, list[DecodeProblem]]]
    ) -> None:
        self.item = item
        data, self.problems = decode(item.data)
        # Objects without a namespace belong to "default", also in references between classes and Clusters.
        metadata = mapping(data, "metadata")
        self.data: Object = {**data, "metadata": {**metadata, "namespace": item.namespace}}
        path, said = unfilled(item.data)
        if path:
            # Other errors follow from this one.
            self.problems = [DecodeProblem(path, said, TEMPLATE_VARIABLE)]
        self.usable = all(problem.unknown for problem in self.problems)

    def findings(self) -> list[Finding]:
        """Return errors about wrong types, and warnings about fields that a server drops."""
        return [self.finding(problem.rule, problem.message, problem.field) for problem in self.problems]

    def finding(self, rule: str, message: str, field: str = "", **tags: str) -> Finding:
        """Return a finding about the object. An object in a config has no resource: the message names it."""
        resource: Subject | None = self.item.resource
        if resource is None:
            message = f"previous {self.item.label}: {message}"
        return Finding(rule, message, resource, field, tags=tags)

    def error(
        self, rule: str, error: FieldError, hint: str = "", owner: DecodedObject | None = None
    ) -> Finding:
        """Return a webhook's error in its words, with a hint such as `; did you mean "worker"?`.

        owner: the class of a Cluster; of a variable, its definition there is a related place.
        """
        found = self.finding(rule, shortened(error.body()) + hint, error.field, type=error.type)
        name = error.field.partition(".variables")[2].partition("[")[2].partition("]")[0]
        for number, one in enumerate(entries(spec_of(owner.data).get("variables")) if owner and name else ()):
            if one.get("name") == name and owner is not None and owner.item.resource is not None:
                found.beside(
                    owner.item.resource, f"spec.variables[{number}]", "the definition of the variable"
                )
        return found


def class_errors(decoded: DecodedObject, old: Object | None, features: FeatureGates) -> list[Finding]:
    """Return why the webhooks refuse a class, or its change from `old`, each with what would be right."""
    return [
        decoded.error("invalid-class", error, class_need(error, decoded.data))
        for error in validate_class(decoded.data, old, features)
    ]


def shortened(text: str) -> str:
    """Cut the middle out of a long text: the reference shows whole values, which may have megabytes."""
    cut = len(text) - 2 * _SHOWN
    return text if cut <= 0 else f"{text[:_SHOWN]} ... ({cut} more characters) ... {text[-_SHOWN:]}"


class Class:
    """A ClusterClass and its variables, whose schemas are compiled on first use.

    `definitions` is None if they cannot be computed; `problem` says why, `stops` whether the controller
    stops.
    """

    def __init__(self, decoded: DecodedObject, extensions: Extensions) -> None:
        self.decoded = decoded
        self._extensions = extensions
        self._definitions: Definitions | None = None
        self._problem: str | None = None
        self.stops = False

    @property
    def data(self) -> Object:
        """Return the ClusterClass as v1beta2."""
        return self.decoded.data

    @property
    def definitions(self) -> Definitions | None:
        if self._problem is None:
            self._problem = ""
            try:
                self._definitions = Definitions(class_variables(self.data, self._extensions))
            except TopologyError as error:
                self._problem = str(error)
                self.stops = isinstance(error, DefinitionsError)
        return self._definitions

    @property
    def problem(self) -> str:
        """Return why there are no definitions, "" if there are."""
        return "" if self.definitions is not None else self._problem or ""


def class_variables(cluster_class: Object, extensions: Extensions) -> list[Object]:
    """Return the class's status.variables: its own definitions, and those of extensions.

    If no extension answers, the variables in the class's status are used. Raises TopologyError,
    DefinitionsError.
    """
    known = discovered(cluster_class)
    answers: dict[str, list[Object]] = {}
    metadata = mapping(cluster_class, "metadata")
    owner = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    for number, patch in enumerate(find(cluster_class, ("spec", "patches")) or []):
        field = f"spec.patches[{number}].external.discoverVariablesExtension"
        handler = find(patch, ("external", "discoverVariablesExtension"))
        if not handler:
            continue
        name = str(patch.get("name", ""))
        settings = find(patch, ("external", "settings"))
        try:
            request = {"settings": settings} if settings else {}
            response = extensions.call(DISCOVER_VARIABLES, handler, request, owner)
        except TopologyError as error:
            if name not in known:
                error.at(field)
                raise
            answers[name] = known[name]
            continue
        try:
            answers[name] = checked(handler, response).get("variables") or []
        except TopologyError as error:
            raise DefinitionsError(str(error)).at(field) from None
        if not is_list_of_maps(answers[name]):
            raise TopologyError(f"variables in the answer of {handler} must be a list of maps")
        if not all(isinstance(one.get("schema", {}), dict) for one in answers[name]):
            raise TopologyError(f"variables[].schema in the answer of {handler} must be a map")
    try:
        return status_variables(cluster_class, answers)
    except DefinitionsError as error:
        raise DefinitionsError("; ".join([str(error), *error.details]), error.variables) from None


def discovered(cluster_class: Object) -> dict[str, list[Object]]:
    """Return the definitions of external patches in the class's status, by patch name."""
    found: dict[str, list[Object]] = {}
    for variable in entries(find(cluster_class, ("status", "variables"))):
        for definition in entries(variable.get("definitions")):
            source = definition.get("from", "")
            if source and source != INLINE:
                kept = {name: value for name, value in definition.items() if name != "from"}
                found.setdefault(str(source), []).append({**kept, "name": variable.get("name", "")})
    return found


class TopologyPackage:
    """The decoded objects. `clusters` are the wanted ones, in the order of the items."""

    def __init__(
        self,
        collected: Collected,
        names: Iterable[str] | None = None,
        extensions: Extensions | None = None,
        config: Subject | None = None,
    ) -> None:
        """Decode the objects. config: the item with the names, to which findings about them point."""
        self.collected = collected
        self.extensions = extensions or NoExtensions()
        self.findings: list[Finding] = [_duplicate(item, collected) for item in collected.duplicates]
        self.clusters = [DecodedObject(item, decode_cluster) for item in self._chosen(names, config)]
        self.classes = {
            key: Class(DecodedObject(item, decode_cluster_class), self.extensions)
            for key, item in collected.classes.items()
        }
        self.previous_clusters = {
            key: DecodedObject(item, decode_cluster) for key, item in collected.previous_clusters.items()
        }
        self.previous_classes = {
            key: DecodedObject(item, decode_cluster_class) for key, item in collected.previous_classes.items()
        }
        for decoded in self.clusters:
            before = self.previous(decoded)
            if before is not None and decoded.usable:
                decoded.data = as_applied(decoded.data, before)

    def _chosen(self, names: Iterable[str] | None, config: Subject | None) -> list[CollectedObject]:
        """Return the Clusters called `names`, such as `prod` or `team-a/prod`; all Clusters without names."""
        clusters = self.collected.clusters
        if names is None:
            return clusters
        wanted = set(names)
        found = [one for one in clusters if one.name in wanted or f"{one.namespace}/{one.name}" in wanted]
        known = {name for one in found for name in (one.name, f"{one.namespace}/{one.name}")}
        for number, name in enumerate(names):
            if name not in known:
                hint = did_you_mean(name, [one.name for one in clusters])
                field = f"spec.clusters[{number}]" if config is not None else ""
                message = f"no Cluster has the name {name}" + hint
                self.findings.append(Finding("unknown-cluster", message, config, field))
        return found

    def class_of(self, cluster: Object) -> Class | None:
        """Return the usable class of a Cluster, or None."""
        found = self.classes.get(class_key(cluster))
        return found if found is not None and found.decoded.usable else None

    def near_class(self, cluster: Object) -> str:
        """Return a hint such as `; did you mean "quick-start"?` for an absent class, or ""."""
        namespace, name = class_key(cluster)
        return elsewhere((namespace, name), self.classes) or proposal(
            name, [one for space, one in self.classes if space == namespace]
        )

    def class_before(self, old: Object) -> Object | None:
        """Return the class of a Cluster before the change: its old state, else its present state."""
        key = class_key(old)
        before = self.previous_class(key)
        owner = self.class_of(old) if before is None else None
        return owner.data if owner is not None else before

    def previous_class(self, key: Key) -> Object | None:
        """Return the old state of a class, None if there is no usable one."""
        known = self.previous_classes.get(key)
        return known.data if known is not None and known.usable else None

    def previous(self, decoded: DecodedObject) -> Object | None:
        """Return the old state of a Cluster."""
        known = self.previous_clusters.get(decoded.item.key)
        return known.data if known is not None and known.usable else None


def elsewhere(key: Key, known: Iterable[Key]) -> str:
    """Return a hint about a class of the same name in another namespace, or ""."""
    found = sorted(namespace for namespace, name in known if name == key[1] and namespace != key[0])
    if not found:
        return ""
    return f"; there is {found[0]}/{key[1]}: to use it, set spec.topology.classRef.namespace to {found[0]}"


def _duplicate(item: CollectedObject, collected: Collected) -> Finding:
    """Report an object with the name of an earlier one: it is unknown which of them a server has."""
    severity = WARNING if item.kind.endswith("Template") else ERROR
    message = f"{item.label} is among the items twice; one of the two must go"
    known = (*collected.clusters, *collected.classes.values(), *collected.others.values())
    first = next(one for one in known if (one.group, one.kind, one.key) == (item.group, item.kind, item.key))
    found = Finding("duplicate", message, item.resource, severity=severity)
    return found.beside(first.resource, "metadata.name", "the first one")


_OF_THE_CONTROLLER = ("infrastructureRef", "controlPlaneRef", "controlPlaneEndpoint")


def as_applied(cluster: Object, before: Object) -> Object:
    """Return a Cluster from files as an apply over the running one leaves it: absent fields stay.

    The controller writes references into the running Cluster (it has a uid), and an apply keeps these.
    as_applied({"metadata": {}}, {"metadata": {"uid": "u"}})   # {"metadata": {"uid": "u"}, ...}
    """
    uid = find(before, ("metadata", "uid"))
    if not uid or find(cluster, ("metadata", "uid")):
        return cluster
    spec = spec_of(cluster)
    kept = {
        name: value
        for name, value in spec_of(before).items()
        if name in _OF_THE_CONTROLLER and not spec.get(name)
    }
    return {**cluster, "metadata": {**cluster["metadata"], "uid": uid}, "spec": {**spec, **kept}}


def default_cluster(
    cluster: Object, owner: Class | None, old: Object | None
) -> tuple[Object, list[FieldError]]:
    """Run the defaulting webhook; return the Cluster and the webhook's errors.

    Without a class, or without its variables, only the version is defaulted.
    """
    defaulted = default_version(cluster)
    errors = validate_class_name(defaulted)
    if errors or owner is None or owner.definitions is None or not topology_of(defaulted):
        return defaulted, errors
    before = topology_of(old) if old is not None else None
    topology, errors = default_and_validate(topology_of(defaulted), before, owner.definitions)
    return {**defaulted, "spec": {**spec_of(defaulted), "topology": topology}}, errors
