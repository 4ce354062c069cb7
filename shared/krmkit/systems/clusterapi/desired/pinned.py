"""Read pinned names by `<cluster>/<role>` or `<namespace>/<cluster>/<role>`; warn about unused ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.api.roles import HEALTH_CHECK, Role
from krmkit.systems.clusterapi.model.state import ClusterState

_ROLES = (
    "infrastructureCluster",
    "controlPlane",
    "controlPlaneInfrastructureMachineTemplate",
    "machineDeployments",
    "machinePools",
)
_NOT_PINNED = ("cluster", "controlPlaneMachineHealthCheck")


class PinnedNames:
    """The names of a config by Cluster.

    PinnedNames({"prod/controlPlane": "plane"}).of(item)   # {"controlPlane": "plane"} for the Cluster prod
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._by_cluster: dict[str, dict[str, str]] = {}
        self._roles: dict[str, dict[str, None]] = {}
        for key, name in names.items():
            cluster, role = _split(key)
            self._by_cluster.setdefault(cluster, {})[role] = name

    def of(self, item: CollectedObject) -> dict[str, str]:
        """Return the names of a Cluster's objects by role; keys with a namespace override."""
        return {
            **self._by_cluster.get(item.name, {}),
            **self._by_cluster.get(f"{item.namespace}/{item.name}", {}),
        }

    def take(self, item: CollectedObject, state: ClusterState) -> None:
        """Remember the roles of a rendered Cluster."""
        for cluster in (item.name, f"{item.namespace}/{item.name}"):
            if cluster in self._by_cluster:
                roles = self._roles.setdefault(cluster, {})
                roles.update((role, None) for role, _ in state.objects() if _can_be_pinned(role))

    def unfit(self, clusters: Iterable[CollectedObject], config: Resource | None = None) -> list[Finding]:
        """Return warnings about names that no object of the rendered Clusters uses.

        clusters: all Clusters among the items. config: the item with the names.
        """
        known = {name for item in clusters for name in (item.name, f"{item.namespace}/{item.name}")}
        ordered = sorted(known)
        found = []
        for cluster, names in self._by_cluster.items():
            roles = self._roles.get(cluster)
            if cluster not in known:
                hint = f"no Cluster has the name {cluster}" + did_you_mean(cluster, ordered)
                found += [_finding(f"{cluster}/{role}", hint, config) for role in names]
            elif roles is not None:
                found += [
                    _finding(
                        f"{cluster}/{role}", f"{cluster} has no {role}" + did_you_mean(role, roles), config
                    )
                    for role in names
                    if role not in roles
                ]
        return found


def _split(key: str) -> tuple[str, str]:
    """Split a key into Cluster and role. `_split("ns/prod/controlPlane")` is ("ns/prod", "controlPlane")."""
    parts = key.split("/")
    depth = 2 if len(parts) > 2 and parts[1] not in _ROLES and parts[2] in _ROLES else 1
    return "/".join(parts[:depth]), "/".join(parts[depth:])


def _can_be_pinned(role: Role) -> bool:
    return role not in _NOT_PINNED and role.part != HEALTH_CHECK


def _finding(key: str, why: str, config: Resource | None) -> Finding:
    return Finding("unknown-name", f"{key} names no object: {why}", config, join("spec.names", key))
