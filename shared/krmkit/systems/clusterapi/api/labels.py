"""Labels, annotations and apiVersions with a meaning in Cluster API."""

from __future__ import annotations

GROUP = "cluster.x-k8s.io"
API_VERSION = "cluster.x-k8s.io/v1beta2"

CLUSTER_NAME = "cluster.x-k8s.io/cluster-name"
OWNED = "topology.cluster.x-k8s.io/owned"
DEPLOYMENT_NAME = "topology.cluster.x-k8s.io/deployment-name"
POOL_NAME = "topology.cluster.x-k8s.io/pool-name"
CONTROL_PLANE = "cluster.x-k8s.io/control-plane"

CLONED_FROM_NAME = "cluster.x-k8s.io/cloned-from-name"
CLONED_FROM_GROUP_KIND = "cluster.x-k8s.io/cloned-from-groupkind"
DEFER_UPGRADE = "topology.cluster.x-k8s.io/defer-upgrade"
HOLD_UPGRADE_SEQUENCE = "topology.cluster.x-k8s.io/hold-upgrade-sequence"
UPGRADE_CONCURRENCY = "topology.cluster.x-k8s.io/upgrade-concurrency"
UPGRADE_STEP = "topology.internal.cluster.x-k8s.io/upgrade-step"
BEFORE_CLUSTER_UPGRADE_PREFIX = "before-upgrade.hook.cluster.cluster.x-k8s.io"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
CONVERSION_DATA = "cluster.x-k8s.io/conversion-data"

BOOKKEEPING = frozenset((LAST_APPLIED, CONVERSION_DATA))
"""Annotations that the API machinery keeps for itself; no engine sees them."""


def group_of(api_version: str) -> str:
    """Return the group of an apiVersion: "cluster.x-k8s.io" of "cluster.x-k8s.io/v1beta2", "" of "v1"."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def version_of(api_version: str) -> str:
    """Return the version of an apiVersion. `version_of("cluster.x-k8s.io/v1beta2")` is "v1beta2"."""
    return api_version.rpartition("/")[2]
