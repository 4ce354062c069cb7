"""Validate the objects of a package as the webhooks do, and report all errors at once."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.finding import WARNING, Finding
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import NOT_SUPPORTED, REQUIRED, FieldError
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import nearest
from krmkit.systems.clusterapi.api.collection import CollectedObject, Key
from krmkit.systems.clusterapi.api.decode import STRING, DecodeProblem, Struct
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.labels import group_of
from krmkit.systems.clusterapi.api.objectversion import how_to_export, is_unknown_conversion
from krmkit.systems.clusterapi.desired.current import CurrentObjects, state_objects
from krmkit.systems.clusterapi.desired.package import (
    Class,
    DecodedObject,
    TopologyPackage,
    class_errors,
    default_cluster,
    shortened,
)
from krmkit.systems.clusterapi.webhooks import compatibility
from krmkit.systems.clusterapi.webhooks.cluster import Surroundings, class_key, validate_cluster
from krmkit.systems.clusterapi.webhooks.clusterclass import validate_class_for_clusters
from krmkit.systems.clusterapi.webhooks.repairs import meant
from krmkit.systems.clusterapi.webhooks.undefinedvariables import undefined_in_class

_SHOWN_USERS = 3
_TEMPLATE = Struct(
    "Template",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": Struct("ObjectMeta", {}, open=True),
        "spec": Struct("TemplateSpec", {"template": Struct("TemplateResource", {}, open=True)}),
        "status": Struct("Status", {}, open=True),
    },
)


def validate_package(
    package: TopologyPackage, features: FeatureGates, running: CurrentObjects | None = None
) -> list[Finding]:
    """Return the findings of the classes, then of the Clusters, each against its class and its old state.

    running: the existing objects, in place of the items' own.
    """
    findings = list(package.findings)
    users: dict[Key, list[DecodedObject]] = {}
    for decoded in package.clusters:
        if decoded.usable and compatibility.topology_of(decoded.data):
            users.setdefault(class_key(decoded.data), []).append(decoded)
    for key, owner in package.classes.items():
        findings += _validate_class(package, owner, users.get(key, []), features)
    findings += _removed_classes(package, users)
    current = running or CurrentObjects(state_objects(package.collected) if package.previous_clusters else ())
    for decoded in package.clusters:
        findings += decoded.findings()
        if decoded.usable:
            findings += _validate_cluster(package, decoded, features, current)
    for previous in (*package.previous_classes.values(), *package.previous_clusters.values()):
        findings += [finding for finding in previous.findings() if finding.severity != WARNING]
    return findings


def _validate_class(
    package: TopologyPackage, owner: Class, users: list[DecodedObject], features: FeatureGates
) -> list[Finding]:
    decoded = owner.decoded
    findings = decoded.findings()
    if not decoded.usable:
        return findings
    old = package.previous_class(decoded.item.key)
    findings += class_errors(decoded, old, features)
    findings += undefined_in_class(decoded.data, decoded.item.resource)
    if owner.definitions is None:
        if owner.stops:
            message = f"{owner.problem}; the controller reconciles neither the class nor its Clusters"
            findings.append(decoded.finding("bad-variables", message, "spec.variables"))
        else:
            findings.append(decoded.finding("unknown-variables", owner.problem, "spec.patches"))
    # A class that does not change is not sent again, so its webhook does not run.
    if old is not None and old != decoded.data:
        clusters = [user.data for user in users]
        for error in validate_class_for_clusters(decoded.data, old, clusters):
            findings.append(decoded.error("class-in-use", error))
    return findings + _templates(package, decoded)


def _removed_classes(package: TopologyPackage, users: dict[Key, list[DecodedObject]]) -> Iterator[Finding]:
    """Report removed classes that Clusters still use."""
    for key, decoded in package.previous_classes.items():
        if key in package.classes or key not in users:
            continue
        names = [f"{user.item.namespace}/{user.item.name}" for user in users[key]]
        more = len(names) - _SHOWN_USERS
        shown = ", ".join(names[:_SHOWN_USERS]) + (f", ... ({more} more)" if more > 0 else "")
        message = f"ClusterClass cannot be deleted because it is used by Cluster(s): {shown}"
        yield decoded.finding("class-in-use", message)


def _templates(package: TopologyPackage, decoded: DecodedObject) -> list[Finding]:
    """Report absent templates, and unknown fields of templates."""
    found = []
    seen: set[tuple[str, str, str]] = set()
    for part, reference in compatibility.template_refs(decoded.data):
        path, kind, name = f"{part}.templateRef", reference.get("kind", ""), reference.get("name")
        group = group_of(reference.get("apiVersion", ""))
        if not name or (group, kind, name) in seen:
            continue
        seen.add((group, kind, name))
        item = package.collected.find(group, kind, decoded.item.namespace, name)
        if item is None:
            message = (
                f"{kind} {decoded.item.namespace}/{name} of group {group} is not among the items; Clusters of this class"
                " need it"
            )
            found.append(decoded.finding("missing-template", message, path))
            continue
        version = reference.get("apiVersion", "")
        if is_unknown_conversion(item.api_version, version, kind):
            message = (
                f"{item.label} is in {item.api_version}, and the class reads it in {version}: no conversion between the two is"
                f" known, so patches and Clusters cannot be checked against it; {how_to_export(version, kind, decoded.item.namespace, name)}"
            )
            found.append(decoded.finding("template-version", message, f"{path}.apiVersion"))
        found += _template_findings(item)
    return found


def _template_findings(item: CollectedObject) -> list[Finding]:
    problems: list[DecodeProblem] = []
    _TEMPLATE.decode(item.data, "", problems)
    return [Finding(problem.rule, problem.message, item.resource, problem.field) for problem in problems]


def _validate_cluster(
    package: TopologyPackage, decoded: DecodedObject, features: FeatureGates, current: CurrentObjects
) -> list[Finding]:
    """Validate one Cluster against its class; if the class changed, also against the old class."""
    owner = package.class_of(decoded.data)
    old = package.previous(decoded)
    around = Surroundings(features, owner.data if owner is not None else None)
    if old is not None:
        around.state = current.validation_state(old)
        around.old_class = package.class_before(old)
    errors, variable_errors, warnings = _errors(decoded.data, old, owner, around)
    near = package.near_class(decoded.data) if owner is None else ""
    found = [decoded.finding("warning", text + near, "spec.topology") for text in warnings]
    if owner is not None and owner.definitions is None:
        message = f"the variables are not checked: {owner.problem}"
        found.append(decoded.finding("unknown-variables", message, "spec.topology.variables"))
    known = _known_before(package, decoded, old, owner, around) if errors or variable_errors else None
    by = owner.decoded if owner is not None else None
    for rule, some in (("invalid-variable", variable_errors), ("invalid-cluster", errors)):
        for error in some:
            if known is None or str(error) in known:
                found.append(decoded.error(rule, error, meant(error, around.cluster_class), by))
            else:
                assert owner is not None
                found.append(_broken(decoded, owner, error))
    return found


def _errors(
    cluster: Object, old: Object | None, owner: Class | None, around: Surroundings
) -> tuple[list[FieldError], list[FieldError], list[str]]:
    """Return the errors of validation, the errors of defaulting (mostly about variables), and warnings."""
    defaulted, variable_errors = default_cluster(cluster, owner, old)
    errors, warnings = validate_cluster(defaulted, old, around)
    if variable_errors and not class_key(cluster)[1]:
        variable_errors = []  # both report the missing class
    return errors, variable_errors, warnings


def _known_before(
    package: TopologyPackage,
    decoded: DecodedObject,
    old: Object | None,
    owner: Class | None,
    around: Surroundings,
) -> set[str] | None:
    """Return the Cluster's errors before its class changed; None if the class did not change."""
    before = package.previous_classes.get(class_key(decoded.data))
    if before is None or owner is None or not before.usable or before.data == owner.data:
        return None
    past = Class(before, package.extensions)
    surroundings = Surroundings(around.features, before.data, old_class=around.old_class, state=around.state)
    errors, variable_errors, _ = _errors(decoded.data, old, past, surroundings)
    return {str(error) for error in (*errors, *variable_errors)}


def _broken(decoded: DecodedObject, owner: Class, error: FieldError) -> Finding:
    """Report a Cluster that became invalid by its class's change, with the repair."""
    label = f"{owner.decoded.item.namespace}/{owner.decoded.item.name}"
    message = f"the change of ClusterClass {label} breaks this Cluster: {shortened(error.body())}"
    wanted = need(error, owner.data)
    if wanted:
        message += f"; needed: {wanted}"
    finding = decoded.finding("class-breaks-cluster", message, field=error.field, type=error.type)
    finding.tags["class"] = label
    return finding


_VARIABLES = ".variables"


def need(error: FieldError, cluster_class: Object) -> str:
    """Return the repair for an error of a Cluster, "" if the error itself names it.

    >>> from krmkit.libraries.kube.fielderror import required
    >>> need(required("spec.topology.variables", 'required variable "region" must be set'), {})
    'a value for the variable "region" in spec.topology.variables'
    """
    spec = compatibility.spec_of(cluster_class)
    if error.field == "spec.topology.version":
        return f"one of the versions {_listed(spec.get('kubernetesVersions') or [])}"
    if error.field.endswith(".class"):
        for kind, what in compatibility.WORKER_KINDS.items():
            if error.field.startswith(f"spec.topology.workers.{kind}["):
                names = [worker.get("class", "") for worker in compatibility.workers_of(spec, kind)]
                return f"one of the {what} classes {_listed(names)}"
    if _VARIABLES not in error.field:
        return ""
    if error.type == REQUIRED and error.detail.startswith("required variable "):
        return f"a value for the variable {error.detail.split(' ')[2]} in {error.field}"
    if error.detail == "variable is not defined":
        name = error.field.rpartition("[")[2].removesuffix("]")
        names = [variable.get("name", "") for variable in spec.get("variables") or ()]
        near = nearest(name, names)
        return f"no such variable in the Cluster{f', or the new name {near}' if near else ''}"
    return "" if error.type == NOT_SUPPORTED else f"another value at {error.field}"


def _listed(names: list[str]) -> str:
    return listed(names) or "(none)"
