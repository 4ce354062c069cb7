"""Render the managed topologies among items: what the function render-cluster-topology does."""

from __future__ import annotations

from krmkit.clusterapi.collect import collect
from krmkit.clusterapi.desiredstate import WHEN_UID
from krmkit.clusterapi.generate import Generated, owner_of, summary
from krmkit.clusterapi.responses import recorded_responses
from krmkit.clusterapi.topology import Options, Topologies
from krmkit.krm.finding import ERROR, INFO, Finding
from krmkit.lang.nested import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from krmkit.clusterapi.topology import Rendered
    from krmkit.krm.resourcelist import ResourceList

    Object = dict[str, Any]


def options_of(spec: Mapping[str, Any]) -> Options:
    """The options that the spec of a RenderClusterTopology gives."""
    return Options(
        spec["clusters"], spec["names"], spec["contracts"], spec["ownerReferences"], spec["featureGates"]
    )


def render_topologies(resources: ResourceList, spec: Mapping[str, Any]) -> list[Finding]:
    """Render the Clusters that a RenderClusterTopology names, and write what they should be into the items.

    Nothing is written where a finding is an error.
    """
    collected = collect(resources)
    options = options_of(spec)
    extensions, findings = recorded_responses(collected)
    topologies = Topologies(collected, options, extensions)
    rendered = []
    for item in topologies.managed():
        one = topologies.render(item)
        if one is not None:
            rendered.append(one)
    findings += topologies.findings
    findings += _without_owner(rendered, options)
    if any(finding.severity == ERROR for finding in findings):
        return findings
    generated = Generated(resources)
    generated.write(rendered, spec["apply"], spec["writeReferences"])
    if not options.clusters:
        generated.remove_orphans(map(owner_of, rendered))
    if spec["writeStatus"]:
        _write_status(topologies)
    findings.append(summary(generated.counts, len(rendered)))
    return findings


def _without_owner(rendered: list[Rendered], options: Options) -> list[Finding]:
    if options.owner_references != WHEN_UID:
        return []
    count = sum(1 for one in rendered if not find(one.cluster, ("metadata", "uid")))
    if not count:
        return []
    message = (
        f"{count} of {len(rendered)} Clusters have no metadata.uid, so what is made of them has no ownerReferences;"
        " ownerReferences: always writes them with an empty uid"
    )
    return [Finding("no-owner-references", message, INFO)]


def _write_status(topologies: Topologies) -> None:
    """Write status.variables of the classes in use, as their controller does."""
    for work in topologies.classes():
        resource = work.decoded.item.resource
        if resource is not None and resource.get("status", "variables") != work.variables:
            resource.set(("status", "variables"), work.variables)
