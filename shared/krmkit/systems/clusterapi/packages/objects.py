"""The objects of a topology against the CRDs of their kinds: those among the items, and those that the controller would make.

The API server checks Clusters and classes so before their webhooks. For the objects that are made of them the topology controller runs
into it later, and the MachineDeployment is never made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.refusals import refusal
from krmkit.libraries.kube.fielderror import FieldError
from krmkit.libraries.schema.kubernetes.crds import CrdSchemas, PublishedSchemas
from krmkit.systems.clusterapi.api.decode import UNKNOWN_VALUE
from krmkit.systems.clusterapi.api.roles import CLUSTER
from krmkit.systems.clusterapi.desired.package import DecodedObject, TopologyPackage
from krmkit.systems.clusterapi.desired.topologies import Topologies, TopologyOptions
from krmkit.systems.clusterapi.webhooks.cluster import class_key
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import created_errors


def with_refused_objects(
    findings: list[Finding],
    package: TopologyPackage,
    feature_gates: Mapping[str, bool],
    crds: Iterable[Mapping[str, Any]] = (),
) -> list[Finding]:
    """Return the webhooks' findings, and an error for each value that the API refuses by the CRD of its kind.

    Errors of webhooks or of decoding are not repeated; a value that decoding only warns about becomes an error.
    crds: further ones than those among the items, which win. Objects that the controller would make are checked if the Cluster and its class
    are taken, and the Cluster can be rendered.
    """
    schemas = CrdSchemas([*crds, *(crd.data for crd in package.collected.crds)], _PUBLISHED)
    wrong = {_place(finding) for finding in findings if finding.severity == ERROR}
    found: list[Finding] = []
    sound: list[DecodedObject] = []
    for decoded in (*(owner.decoded for owner in package.classes.values()), *package.clusters):
        errors = schemas.errors(decoded.item.data)
        found += [refusal(error, decoded.item.resource) for error in errors]
        if not errors:
            sound.append(decoded)
    found = [finding for finding in found if _place(finding) not in wrong]
    refused = {_place(finding) for finding in found}
    kept = [one for one in findings if one.rule != UNKNOWN_VALUE or _place(one) not in refused]
    return kept + found + _other_objects(package, sound, feature_gates, schemas)


def _place(finding: Finding) -> tuple[str, str]:
    return str(finding.resource_ref), finding.field


def _other_objects(
    package: TopologyPackage,
    sound: list[DecodedObject],
    feature_gates: Mapping[str, bool],
    schemas: CrdSchemas,
) -> list[Finding]:
    """Return the errors of the other objects among the items, then of those that are made of sound Clusters of sound classes."""
    found = []
    known = set()
    for item in package.collected.others.values():
        for error in schemas.errors(item.data):
            known.add(_essence(error))
            found.append(refusal(error, item.resource))
    options = TopologyOptions(feature_gates=feature_gates)
    topologies = Topologies(package.collected, options, package.extensions)
    taken = {id(decoded.item) for decoded in sound}
    classes = {key for key, owner in package.classes.items() if id(owner.decoded.item) in taken}
    for decoded in topologies.managed():
        if id(decoded.item) not in taken or class_key(decoded.data) not in classes:
            continue
        rendered = topologies.render(decoded)
        for role, data in rendered.state.objects() if rendered is not None else ():
            if role != CLUSTER:
                made = f"the {data.get('kind', '')} of {role}"
                # An error of a template is one of all objects that are made of it.
                errors = [one for one in schemas.errors(data) if _essence(one) not in known]
                errors += created_errors(data)
                found += [refusal(error, decoded.item.resource, made) for error in errors]
    return found


def _essence(error: FieldError) -> str:
    """Return what a template's error and that of an object made of it have in common."""
    tail = error.field.removeprefix("spec.template.").removeprefix("spec.")
    return f"{tail}: {error.body().replace(error.field, tail)}"


def _published() -> str:
    from krmkit.systems.clusterapi.api.publishedcrds import SCHEMAS

    return SCHEMAS


_PUBLISHED = PublishedSchemas(_published)
