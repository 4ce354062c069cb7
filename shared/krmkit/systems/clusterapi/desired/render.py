"""Render the managed topologies among items: the rule of the function render-cluster-topology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.refusals import refusal
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.messages.extras import MissingDependencyError
from krmkit.libraries.schema.fields import find, is_list_of_maps
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.desired.cluster import WHEN_UID
from krmkit.systems.clusterapi.desired.generated import GeneratedItems, clash, refused, summary
from krmkit.systems.clusterapi.desired.package import class_errors
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster, Topologies, TopologyOptions
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck
from krmkit.systems.clusterapi.webhooks.undefinedvariables import undefined_in_class

_REASON = "FieldValueInvalid"


def options_of(spec: Mapping[str, Any]) -> TopologyOptions:
    return TopologyOptions(
        spec["clusters"],
        spec["names"],
        spec["contracts"],
        spec["ownerReferences"],
        spec["featureGates"],
        immutable=spec.get("immutableTemplates", []),
    )


def render_topologies(
    resources: ResourceList, spec: Mapping[str, Any], config: Resource | None = None
) -> list[Finding]:
    """Render the Clusters that a RenderClusterTopology names, and write their desired objects into the items.

    config: the item of the RenderClusterTopology, to which findings about it point. After an error nothing is
    written but status.variables of classes with conflicts, as their controller does before it stops.
    """
    collected = collect(resources)
    options = options_of(spec)
    options.explain = resources.causes is not None
    options.config = config
    extensions, findings = package_extensions(collected)
    topologies = Topologies(collected, options, extensions)
    check = ObjectCheck(crd.data for crd in collected.crds)
    generated = GeneratedItems(resources, spec["apply"], spec["writeReferences"])
    without_uid = 0
    for item in topologies.managed():
        one = topologies.render(item)
        if one is not None:
            generated.add(one)
            findings += _refused(check, one)
            without_uid += not find(one.cluster, ("metadata", "uid"))
    findings += topologies.findings + topologies.unfit_names()
    count = len(generated.owners)
    if without_uid and options.owner_references == WHEN_UID:
        findings.append(_without_owner(without_uid, count))
    for owner, kind, name in generated.clashes:
        message = clash(kind, name)
        findings.append(Finding("name-clash", message, owner.resource))
    for work in topologies.classes():
        findings += undefined_in_class(work.decoded.data, work.decoded.item.resource)
    findings += extensions.undefined_variables()
    if not any(finding.severity == ERROR for finding in findings):
        features = FeatureGates.of(options.feature_gates)
        for work in topologies.classes():
            findings += class_errors(work.decoded, None, features)
    if any(finding.severity == ERROR for finding in findings):
        if spec["writeStatus"]:
            _write_status(topologies)
        return findings
    if not options.clusters:
        findings += extensions.unused_patches()
    generated.commit(everything=not options.clusters)
    if spec["writeStatus"]:
        _write_status(topologies)
    findings.append(summary(generated.counts, count))
    return findings


def _refused(check: ObjectCheck, rendered: RenderedCluster) -> list[Finding]:
    """Return errors for refused objects, or for what the API refuses of their Cluster, which is the cause.

    An info says so if a package that their schemas' rules need is absent.
    """
    try:
        found, given = refused(check, rendered), rendered.item
        causes = check.given(given.data) if found else ()
        return [refusal(error, given.resource) for error in causes] or found
    except MissingDependencyError as error:
        message = f"what is made of it is not checked by the API's schemas: {error}"
        return [Finding("not-checked", message, rendered.item.resource)]


def _without_owner(without: int, count: int) -> Finding:
    message = (
        f"{without} of {count} Clusters have no metadata.uid, so what is made of them has no ownerReferences;"
        " ownerReferences: always writes them with an empty uid"
    )
    return Finding("no-owner-references", message)


def _write_status(topologies: Topologies) -> None:
    """Write status.variables of the classes in use, as their controller does."""
    for work in topologies.classes():
        resource = work.decoded.item.resource
        variables = [_as_stored(variable) for variable in work.variables]
        if resource is not None and variables and resource.get("status", "variables") != variables:
            resource.set(("status", "variables"), variables)


def _as_stored(variable: Object) -> Object:
    """Add the `reason` of CEL rules, a default of the CRD, to an entry of status.variables."""
    definitions = []
    for definition in variable["definitions"]:
        rules = find(definition, ("schema", "openAPIV3Schema", "x-kubernetes-validations"))
        if is_list_of_maps(rules) and any("reason" not in rule for rule in rules):
            with_reason = [rule if "reason" in rule else {**rule, "reason": _REASON} for rule in rules]
            schema = {**definition["schema"]["openAPIV3Schema"], "x-kubernetes-validations": with_reason}
            definition = {**definition, "schema": {**definition["schema"], "openAPIV3Schema": schema}}
        definitions.append(definition)
    return {**variable, "definitions": definitions}
