"""Cluster and ClusterClass, read from data of either version into v1beta2.

>>> cluster, problems = decode_cluster({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster",
...     "spec": {"topology": {"class": "small", "version": "v1.33.1", "workerz": {}}}})
>>> cluster["spec"]["topology"]["classRef"], problems[0].field
({'name': 'small'}, 'spec.topology.workerz')
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api import classtypes as apitypes_class
from krmkit.systems.clusterapi.api import types as apitypes
from krmkit.systems.clusterapi.api import v1beta1 as apitypes_v1beta1
from krmkit.systems.clusterapi.api.conversion import API_VERSION, convert_cluster, convert_cluster_class
from krmkit.systems.clusterapi.api.decode import DecodeProblem, Struct

GROUP = "cluster.x-k8s.io"
V1BETA1 = GROUP + "/v1beta1"
V1BETA2 = API_VERSION


def decode_cluster(data: object) -> tuple[Object, list[DecodeProblem]]:
    """Return a Cluster of v1beta1 or v1beta2 as v1beta2, and the problems of its data.

    The Cluster is usable only if all problems are unknown fields.
    """
    return _decode(data, apitypes.CLUSTER, apitypes_v1beta1.CLUSTER, convert_cluster)


def decode_cluster_class(data: object) -> tuple[Object, list[DecodeProblem]]:
    """Return a ClusterClass of v1beta1 or v1beta2 as v1beta2, and the problems of its data."""
    return _decode(data, apitypes_class.CLUSTER_CLASS, apitypes_v1beta1.CLUSTER_CLASS, convert_cluster_class)


def _decode(
    data: object, current: Struct, old: Struct, convert: Callable[[Object], Object]
) -> tuple[Object, list[DecodeProblem]]:
    problems: list[DecodeProblem] = []
    version = data.get("apiVersion") if isinstance(data, dict) else None
    of = old if version == V1BETA1 else current
    decoded = of.decode(data, "", problems) or {}
    if of is current or any(not problem.unknown for problem in problems):
        return decoded, problems
    try:
        return convert(decoded), problems
    except ValueError as error:
        problems.append(DecodeProblem("spec", str(error)))
        return decoded, problems
