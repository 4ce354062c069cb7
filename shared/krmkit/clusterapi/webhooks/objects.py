"""The objects of a topology against the CRDs of their kinds: those among the items, and those that the controller would make.

No webhook of Clusters and classes sees this: the topology controller runs into it later, and the MachineDeployment is never made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.clusterapi.api.collection import Collected
from krmkit.clusterapi.desired.topologies import Topologies, TopologyOptions
from krmkit.clusterapi.hooks.extensions import Extensions
from krmkit.krm.finding import Finding
from krmkit.krm.refusals import refusal
from krmkit.kube.fielderror import FieldError
from krmkit.schema.kubernetes.crds import CrdSchemas


def refused_objects(
    collected: Collected,
    feature_gates: Mapping[str, bool],
    extensions: Extensions,
    clusters: list[str],
    crds: Iterable[Mapping[str, Any]] = (),
) -> list[Finding]:
    """Return an error for each value that the API refuses, of objects among the items first.

    clusters: the Clusters whose objects are made and checked; [] for all. What cannot be rendered is left out. crds: further ones than
    those among the items, which win.
    """
    schemas = CrdSchemas([*crds, *(crd.data for crd in collected.crds)], _published)
    found = []
    known = set()
    for item in collected.others.values():
        for error in schemas.errors(item.data):
            known.add(_essence(error))
            found.append(refusal(error, item.resource))
    topologies = Topologies(collected, TopologyOptions(clusters, feature_gates=feature_gates), extensions)
    for decoded in topologies.managed():
        rendered = topologies.render(decoded)
        for role, data in rendered.state.objects() if rendered is not None else ():
            if role != "cluster":
                made = f"the {data.get('kind', '')} of {role}"
                # An error of a template is one of all objects that are made of it.
                errors = [one for one in schemas.errors(data) if _essence(one) not in known]
                found += [refusal(error, decoded.item.resource, made) for error in errors]
    return found


def _essence(error: FieldError) -> str:
    """Return what a template's error and that of an object made of it have in common."""
    tail = error.field.removeprefix("spec.template.").removeprefix("spec.")
    return f"{tail}: {error.body().replace(error.field, tail)}"


def _published() -> str:
    from krmkit.clusterapi.api.publishedcrds import SCHEMAS

    return SCHEMAS
