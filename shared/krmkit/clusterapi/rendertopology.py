"""Render the managed topologies among items: the rule of the function render-cluster-topology."""

from __future__ import annotations

from krmkit.clusterapi.collect import collect
from krmkit.clusterapi.desiredstate import WHEN_UID
from krmkit.clusterapi.generateditems import GeneratedItems, summary
from krmkit.clusterapi.hooks.extensionitems import package_extensions
from krmkit.clusterapi.topology import Topologies, TopologyOptions
from krmkit.krm.finding import ERROR, INFO, Finding
from krmkit.lang.nested import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from krmkit.krm.resourcelist import ResourceList

    Object = dict[str, Any]


def options_of(spec: Mapping[str, Any]) -> TopologyOptions:
    """Return the options in the spec of a RenderClusterTopology."""
    return TopologyOptions(
        spec["clusters"], spec["names"], spec["contracts"], spec["ownerReferences"], spec["featureGates"]
    )


def render_topologies(resources: ResourceList, spec: Mapping[str, Any]) -> list[Finding]:
    """Render the Clusters that a RenderClusterTopology names, and write their desired objects into the items.

    After an error nothing is written.
    """
    collected = collect(resources)
    options = options_of(spec)
    extensions, findings = package_extensions(collected)
    topologies = Topologies(collected, options, extensions)
    generated = GeneratedItems(resources, spec["apply"], spec["writeReferences"])
    without_uid = 0
    for item in topologies.managed():
        one = topologies.render(item)
        if one is not None:
            generated.add(one)
            without_uid += not find(one.cluster, ("metadata", "uid"))
    findings += topologies.findings + topologies.unfit_names()
    count = len(generated.owners)
    if without_uid and options.owner_references == WHEN_UID:
        findings.append(_without_owner(without_uid, count))
    for owner, kind, name in generated.clashes:
        message = f"two objects of kind {kind} would have the name {name}; a naming template needs {{{{ .random }}}} or the topology's name"
        findings.append(Finding("name-clash", message, ERROR, owner.resource))
    if any(finding.severity == ERROR for finding in findings):
        return findings
    generated.commit(everything=not options.clusters)
    if spec["writeStatus"]:
        _write_status(topologies)
    findings.append(summary(generated.counts, count))
    return findings


def _without_owner(without: int, count: int) -> Finding:
    message = (
        f"{without} of {count} Clusters have no metadata.uid, so what is made of them has no ownerReferences;"
        " ownerReferences: always writes them with an empty uid"
    )
    return Finding("no-owner-references", message, INFO)


def _write_status(topologies: Topologies) -> None:
    """Write status.variables of the classes in use, like their controller."""
    for work in topologies.classes():
        resource = work.decoded.item.resource
        if resource is not None and resource.get("status", "variables") != work.variables:
            resource.set(("status", "variables"), work.variables)
