"""Where the value of a variable comes from that a patch uses."""

from __future__ import annotations

import pytest

from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.model.causes import ClusterCauses

CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: prod}
spec:
  topology:
    version: v1.33.1
    variables:
    - {name: image, value: a}
    - {name: region, value: b}
    workers:
      machineDeployments:
      - {class: small, name: md-0, replicas: 2}
      - class: small
        name: md-1
        replicas: 3
        variables:
          overrides:
          - {name: image, value: c}
"""
CLASS = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: class}
spec:
  variables:
  - {name: image, schema: {openAPIV3Schema: {type: string}}}
  - {name: size, schema: {openAPIV3Schema: {type: string, default: big}}}
"""
TOPOLOGY: Path = ("spec", "topology")
WORKERS: Path = ("workers", "machineDeployments")


@pytest.mark.parametrize(
    ("path", "entry", "holder", "field"),
    [
        ("image", (*WORKERS, 1), "Cluster", (*TOPOLOGY, *WORKERS, 1, "variables", "overrides", 0, "name")),
        ("image", (*WORKERS, 0), "Cluster", (*TOPOLOGY, "variables", 0, "name")),
        ("image", None, "Cluster", (*TOPOLOGY, "variables", 0, "name")),
        ("region.zone[0]", (*WORKERS, 1), "Cluster", (*TOPOLOGY, "variables", 1, "name")),
        ("size", (*WORKERS, 1), "ClusterClass", ("spec", "variables", 1, "name")),
        (
            "builtin.machineDeployment.replicas",
            (*WORKERS, 1),
            "Cluster",
            (*TOPOLOGY, *WORKERS, 1, "replicas"),
        ),
        ("builtin.cluster.topology.version", None, "Cluster", (*TOPOLOGY, "version")),
        ("builtin.cluster.name", None, "Cluster", ("metadata", "name")),
        ("unknown", None, "", ()),
    ],
)
def test_what_gives_a_value(path: str, entry: Path | None, holder: str, field: Path) -> None:
    """The override of the worker group comes before the Cluster's value, and that before the default of the class."""
    cluster, of_class = (CollectedObject(Resource(text)) for text in (CLUSTER, CLASS))
    causes = ClusterCauses(cluster, of_class, {})

    found = causes.variable(path, entry)

    assert (found.kind, found.name, found.field) == ("variable", path, field)
    assert (found.resource.kind if found.resource is not None else "") == holder
