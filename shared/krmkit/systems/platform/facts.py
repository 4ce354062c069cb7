"""Read the facts about a package's systems once for all rules: Clusters, classes, packs, configs."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, mapping
from krmkit.systems.palette.packs.items import Carrier, Packs

CLUSTER_GROUP = "cluster.x-k8s.io/"
CONFIG_GROUP = "krmkit.dev/"
DEFAULT_NAMESPACE = "default"


class PlatformCluster:
    """A Cluster among the items. `topology`: its spec.topology, or {}."""

    def __init__(self, item: Resource) -> None:
        self.item = item
        self.name = item.name
        self.namespace = item.namespace or DEFAULT_NAMESPACE
        self.topology: Object = mapping(item.get("spec", "topology"))

    @property
    def label(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def version(self) -> str:
        """Return spec.topology.version; "" if it is absent or holds a macro."""
        return plain(self.topology.get("version"))

    @property
    def class_key(self) -> tuple[str, str]:
        """Return namespace and name of the ClusterClass; in v1beta1 classNamespace and class."""
        reference = mapping(self.topology.get("classRef"))
        name = reference.get("name") or self.topology.get("class")
        namespace = reference.get("namespace") or self.topology.get("classNamespace")
        return plain(namespace) or self.namespace, plain(name)

    def variables(self) -> Iterator[tuple[str, str, object]]:
        """Yield name, field and value of each variable of the topology."""
        for position, variable in enumerate(entries(self.topology.get("variables"))):
            field = f"spec.topology.variables[{position}].value"
            yield plain(variable.get("name")), field, variable.get("value")

    def pools(self) -> dict[str, object]:
        """Return replicas of each MachineDeployment and MachinePool of the topology, by name."""
        workers = mapping(self.topology.get("workers"))
        found: dict[str, object] = {}
        for kind in ("machineDeployments", "machinePools"):
            for worker in entries(workers.get(kind)):
                found[plain(worker.get("name"))] = worker.get("replicas")
        return found


class PlatformFacts:
    """The facts of the package.

    `clusters`: the Clusters that the config selects. `all_clusters`: every one.
    """

    def __init__(self, resources: ResourceList, spec: Object) -> None:
        """Read the facts. spec: a ValidatePlatform's. validate-pack-constraints reports unreadable packs."""
        self.spec = spec
        self.items = list(resources)
        self.packs: list[Carrier] = Packs.read(resources).carriers
        self.all_clusters: list[PlatformCluster] = []
        self.classes: dict[tuple[str, str], Resource] = {}
        self.configs: list[Resource] = []
        for item in self.items:
            group, kind = item.api_version, item.kind
            if group.startswith(CLUSTER_GROUP) and kind == "Cluster":
                self.all_clusters.append(PlatformCluster(item))
            elif group.startswith(CLUSTER_GROUP) and kind == "ClusterClass":
                self.classes[item.namespace or DEFAULT_NAMESPACE, item.name] = item
            elif group.startswith(CONFIG_GROUP):
                self.configs.append(item)
        wanted = spec.get("cluster")
        self.clusters = [one for one in self.all_clusters if not wanted or wanted in (one.name, one.label)]

    def of_kind(self, group: str, kind: str) -> Iterator[Resource]:
        """Return the items of a kind whose apiVersion begins with `group`."""
        for item in self.items:
            if item.kind == kind and item.api_version.startswith(group):
                yield item

    def configs_of(self, kind: str) -> Iterator[Resource]:
        """Return the function configs of a kind among the items."""
        return (item for item in self.configs if item.kind == kind)


def plain(value: object) -> str:
    """Return a text without macros, else "": an unresolved value is not compared."""
    return value if isinstance(value, str) and "{{" not in value else ""


def at_file(item: Resource) -> str:
    """Name a pack's item and file in a message: `ConfigMap kubernetes in kubernetes.yaml`."""
    path = item.path
    return f"{item.kind} {item.name}" + (f" in {path}" if path else "")
