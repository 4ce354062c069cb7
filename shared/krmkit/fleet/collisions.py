"""Find objects that two packages make for one cluster, where the last apply would win.

Group, kind, namespace and name identify an object. Objects of Cluster API and Landscaper go to a management
cluster, all others to the cluster of the package's repository, as Porch has one deployment repository for
each cluster. Annotations of the Repository override this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from krmkit.fleet.objects import FleetObjects
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.kube.scopes import CLUSTER_SCOPED
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError

RULE = "collision"
# The cluster of a repository's packages (default: one of its own; "" for several), and its management
# cluster.
CLUSTER, MANAGEMENT = "krmkit.dev/cluster", "krmkit.dev/management-cluster"
_SHOWN = 3
_MANAGED = "cluster.x-k8s.io"
_LANDSCAPER = "landscaper.gardener.cloud"


def objects_of(contents: Mapping[str, str]) -> list[str]:
    """Return the objects in resource files for a cluster: `Cluster.cluster.x-k8s.io default/site`.

    Local configuration and objects of unknown namespace are left out.
    """
    identities: set[str] = set()
    for path, text in contents.items():
        try:
            identities.update(filter(None, map(object_identity, SourceFile(path, text, "", path).items)))
        except (Refused, YamlError):
            continue
    return sorted(identities)


def object_identity(item: Resource) -> str:
    """Return the identity of an object in its cluster, "" if it is not for a cluster."""
    try:
        group = item.api_version.rpartition("/")[0]
        kind = f"{item.kind}.{group}" if group else item.kind
        name, namespace = item.name, item.namespace
        if not name or item.kind in ("", "Kptfile") or item.is_local_config:
            return ""
    except (YamlError, Refused):
        return ""
    # Objects of other kinds without a namespace get one when they are applied, so theirs is unknown.
    if (group, item.kind) in CLUSTER_SCOPED:
        return f"{kind} {name}"
    if not namespace and not _is_managed(group):
        return ""
    return f"{kind} {namespace or 'default'}/{name}"


def _is_managed(group: str) -> bool:
    return group in (_MANAGED, _LANDSCAPER) or group.endswith(f".{_MANAGED}")


@dataclass(slots=True)
class Collisions:
    """Collect the objects of packages, and find packages that make the same ones.

    Example: after `add("north/site", "north", "", ["Cluster.cluster.x-k8s.io default/site"])` and the same
    for south, `found()` is one text, with the names of both packages.
    """

    _objects: FleetObjects
    _makers: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _places: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)

    def add(self, package: str, repository: str, namespace: str, objects: Iterable[str]) -> None:
        """Add the objects of a package; the Repository is looked up in the variant's namespace."""
        place = self._place(repository, namespace)
        if place is None:
            return
        cluster, management = place
        for one in objects:
            managed = _is_managed(one.partition(" ")[0].partition(".")[2])
            scope = management if managed else cluster
            if scope:
                self._makers.setdefault((scope, one), []).append(package)

    def _place(self, repository: str, namespace: str) -> tuple[str, str] | None:
        """Return the cluster and management cluster of a deployment repository's packages, or None."""
        key = (repository, namespace)
        if key not in self._places:
            described = self._objects.repository(repository, namespace)
            if described is None:
                self._places[key] = (f"the cluster of {repository}", "one management cluster")
            elif described.get("spec", "deployment") is not True:
                self._places[key] = None
            else:
                said = described.annotations
                cluster = f"the cluster {said[CLUSTER]}" if said.get(CLUSTER) else ""
                if CLUSTER not in said:
                    cluster = f"the cluster of {repository}"
                management = f"the management cluster {said[MANAGEMENT]}" if said.get(MANAGEMENT) else ""
                self._places[key] = (cluster, management or "one management cluster")
        return self._places[key]

    def found(self) -> dict[str, list[str]]:
        """Return each message with its packages, one for all objects that the same packages share."""
        groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (scope, one), packages in self._makers.items():
            if len(packages) > 1:
                groups.setdefault((scope, tuple(sorted(packages))), []).append(one)
        said: dict[str, list[str]] = {}
        for (scope, makers), objects in sorted(groups.items()):
            packages = list(makers)
            names = listed([_shown(one) for one in sorted(objects, key=_rank)], _SHOWN)
            are = "is" if len(objects) == 1 else "are"
            said[f"{names} {are} made by {listed(packages, _SHOWN)}, which go to {scope}"] = packages
        return said


def _rank(one: str) -> tuple[bool, str]:
    """Return the sort key that puts Clusters first, whose names other Cluster API objects carry."""
    return not one.startswith(f"Cluster.{_MANAGED} "), one


def _shown(one: str) -> str:
    kind, _, place = one.partition(" ")
    return f"{kind.partition('.')[0]} {place}"
