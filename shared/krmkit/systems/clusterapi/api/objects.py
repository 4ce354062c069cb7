"""Cluster and ClusterClass, read from data of either version into v1beta2.

>>> cluster, problems = decode_cluster({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster",
...     "spec": {"topology": {"class": "small", "version": "v1.33.1", "workerz": {}}}})
>>> cluster["spec"]["topology"]["classRef"], problems[0].field
({'name': 'small'}, 'spec.topology.workerz')
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.conversion import API_VERSION, convert_cluster, convert_cluster_class
from krmkit.systems.clusterapi.api.decode import DecodeProblem
from krmkit.systems.clusterapi.api.gotypes import type_of

GROUP = "cluster.x-k8s.io"
V1BETA1 = GROUP + "/v1beta1"
V1BETA2 = API_VERSION


def decode_cluster(data: object) -> tuple[Object, list[DecodeProblem]]:
    """Return a Cluster of v1beta1 or v1beta2 as v1beta2, and the problems of its data.

    The Cluster is usable only if all problems are unknown fields.
    """
    return _decode(data, "Cluster", convert_cluster)


def decode_cluster_class(data: object) -> tuple[Object, list[DecodeProblem]]:
    """Return a ClusterClass of v1beta1 or v1beta2 as v1beta2, and the problems of its data."""
    return _decode(data, "ClusterClass", convert_cluster_class)


def _decode(
    data: object, kind: str, convert: Callable[[Object], Object]
) -> tuple[Object, list[DecodeProblem]]:
    problems: list[DecodeProblem] = []
    version = data.get("apiVersion") if isinstance(data, dict) else None
    is_old = version == V1BETA1
    of = type_of(kind, "v1beta1" if is_old else "v1beta2")
    decoded = of.decode(data, "", problems) or {}
    if not is_old or any(not problem.unknown for problem in problems):
        return decoded, problems
    try:
        return convert(decoded), problems
    except ValueError as error:
        problems.append(DecodeProblem("spec", str(error)))
        return decoded, problems
