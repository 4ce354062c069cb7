"""Machine pools read from a Cluster's objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import put
from krmkit.systems.palette.constraints.poolitems import PoolSource, cluster_named
from krmkit.systems.palette.constraints.pools import CPU, DISK, MEMORY
from krmkit.systems.palette.errors import PackError

CLUSTER = "cluster.x-k8s.io/cluster-name"
FUNCTION = Path(__file__).parents[5] / "functions/validate-pack-constraints"
TYPES: dict[str, object] = {"large": {"cpu": 8, "memoryMiB": 1024, "diskGB": 10}}


def item(
    kind: str, name: str, spec: Object, api_version: str = "cluster.x-k8s.io/v1beta2", **own: str
) -> Resource:
    labels = {CLUSTER: "c1", **own}
    metadata = {"name": name, "labels": labels}
    return Resource.from_data({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})


def worker(kind: str, machine: str) -> Object:
    reference = {"apiGroup": "i", "kind": machine, "name": "machines"}
    return {"replicas": 2, "template": {"spec": {"infrastructureRef": reference}}}


def test_control_plane_and_workers_are_pools() -> None:
    """Names come from the topology, sizes from replicas, machines from the templates that are referred to."""
    items = [
        item("KubeadmControlPlane", "c1-cp", {"replicas": 3, "machineTemplate": {"spec": {
            "infrastructureRef": {"kind": "MachineTemplate", "name": "machines"}}}}, "controlplane.x/v1"),
        item("MachineDeployment", "c1-md-x", worker("MachineDeployment", "MachineTemplate"),
             **{"topology.cluster.x-k8s.io/deployment-name": "md"}),
        item("MachinePool", "c1-mp-x", worker("MachinePool", "PoolMachines"),
             **{"topology.cluster.x-k8s.io/pool-name": "mp"}),
        item("MachineTemplate", "machines", {"template": {"spec": {"instanceType": "large"}}}, "i/v1"),
        item("PoolMachines", "machines", {"vmSize": "large"}, "i/v1"),
    ]  # fmt: skip

    pools = PoolSource(items, TYPES).pools("c1")

    assert [(pool.name, pool.size, pool.control_plane) for pool in pools] == [
        ("c1-cp", 3, True), ("md", 2, False), ("mp", 2, False)]  # fmt: skip
    assert all(pool.node[CPU] == 8 * 10**9 for pool in pools)


def test_old_references_and_unknown_types() -> None:
    """A control plane of contract v1beta1, and a machine type that the config does not list."""
    template = {"infrastructureRef": {"kind": "MachineTemplate", "name": "machines"}}
    items = [
        item("OtherControlPlane", "c1-cp", {"machineTemplate": template}, "controlplane.x/v1"),
        item("MachineTemplate", "machines", {"template": {"spec": {"flavor": "huge"}}}, "i/v1"),
    ]

    [pool] = PoolSource(items, TYPES).pools("c1")

    assert (pool.size, pool.instance_type, pool.node) == (None, "huge", {})


def test_a_cluster_without_machines_is_an_error() -> None:
    """The message names the label that was looked for."""
    with pytest.raises(PackError, match=r'has the label cluster\.x-k8s\.io/cluster-name: "c2"'):
        PoolSource([item("MachineDeployment", "md", {})]).pools("c2")


def in_namespace(namespace: str, machine: Object, kind: str = "AWSMachineTemplate") -> list[Resource]:
    """A MachineDeployment of c1 and its template."""
    spec = worker("MachineDeployment", kind)
    found = [
        item("MachineDeployment", "md", spec),
        item(kind, "machines", {"template": {"spec": machine}}, "infrastructure.x/v1"),
    ]
    for one in found:
        one.set(("metadata", "namespace"), namespace)
    return found


def test_clusters_of_one_name_in_two_namespaces() -> None:
    """They are two Clusters: a name alone is an error that lists both, and each has its own templates."""
    items = in_namespace("a", {"instanceType": "large"}) + in_namespace("b", {"instanceType": "huge"})

    with pytest.raises(PackError, match="2 Clusters have the name c1; give one of a/c1, b/c1"):
        PoolSource(items, TYPES).pools("c1")
    [pool] = PoolSource(items, TYPES).pools("a/c1")

    assert (pool.size, pool.node[CPU], pool.instance_type) == (2, 8 * 10**9, "")


MIB = 1024 * 1024 * 10**9
TEMPLATES: list[tuple[str, str, Object, Object]] = [
    ("vSphere", "VSphereMachineTemplate", {"numCPUs": 4, "memoryMiB": 8192, "diskGiB": 40},
     {CPU: 4 * 10**9, MEMORY: 8192 * MIB, DISK: 40 * 1024 * MIB}),
    ("KubeVirt", "KubevirtMachineTemplate", {"virtualMachineTemplate": {"spec": {"template": {"spec": {"domain": {
        "cpu": {"sockets": 2}, "memory": {"guest": "4Gi"}}}}}}}, {CPU: 2 * 10**9, MEMORY: 4096 * MIB}),
    ("OpenStack", "OpenStackMachineTemplate", {"flavor": "large"},
     {CPU: 8 * 10**9, MEMORY: 1024 * MIB, DISK: 10 * 10**18}),
    ("Azure", "AzureMachineTemplate", {"vmSize": "d8"}, {CPU: 6 * 10**9}),
    ("Metal3 by a label", "Metal3MachineTemplate", {"hostSelector": {"matchLabels": {"class": "d8"}}}, {CPU: 6 * 10**9}),
    ("Docker by its kind", "DockerMachineTemplate", {}, {CPU: 1 * 10**9}),
    ("others by their fields", "OtherMachineTemplate", {"size": {"vcpus": 3, "ram": "2Gi"}},
     {CPU: 3 * 10**9, MEMORY: 2048 * MIB}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "machine", "node"), [case[1:] for case in TEMPLATES], ids=[case[0] for case in TEMPLATES]
)
def test_what_templates_say(kind: str, machine: Object, node: Object) -> None:
    """Each provider says in fields of its own what a machine has, or names something that the config knows."""
    types = {**TYPES, "d8": {"cpu": 6}, "DockerMachineTemplate": {"cpu": 1}}
    mapping = {
        "Metal3MachineTemplate": {"instanceType": "hostSelector.matchLabels.class"},
        "OtherMachineTemplate": {"cpu": "size.vcpus", "memoryMiB": "size.ram"},
    }

    [pool] = PoolSource(in_namespace("a", machine, kind), types, mapping).pools("c1")

    assert pool.node == node


def test_a_provider_runs_the_control_plane() -> None:
    """A control plane without machines is no pool."""
    managed = item("AWSManagedControlPlane", "c1", {"region": "eu-1"}, "controlplane.x/v1")
    managed.set(("metadata", "namespace"), "a")

    [pool] = PoolSource([managed, *in_namespace("a", {"instanceType": "large"})], TYPES).pools("c1")

    assert pool.name == "md"


def test_one_name_for_two_pools() -> None:
    """A MachineDeployment and a MachinePool of one name stay two pools."""
    pool = item("MachinePool", "md", worker("MachinePool", "AWSMachineTemplate"))
    pool.set(("metadata", "namespace"), "a")

    pools = PoolSource([*in_namespace("a", {"instanceType": "large"}), pool], TYPES).pools("c1")

    assert [one.name for one in pools] == ["md", "MachinePool/md"]


def cluster(name: str, **spec: object) -> Resource:
    """A Cluster in the namespace a."""
    found = item("Cluster", name, dict(spec))
    found.set(("metadata", "namespace"), "a")
    return found


MISSING = [
    (
        "not rendered",
        "c1",
        [cluster("c1", topology={"version": "v1.31.0"})],
        "run render-cluster-topology before",
    ),
    ("another name", "c2", [cluster("c1")], "there is no Cluster c2 among the items; there is a/c1"),
    ("another namespace", "b/c1", [cluster("c1")], "there is no Cluster b/c1 among the items; there is a/c1"),
]


@pytest.mark.parametrize(
    ("wanted", "items", "message"), [case[1:] for case in MISSING], ids=[case[0] for case in MISSING]
)
def test_why_there_are_no_pools(wanted: str, items: list[Resource], message: str) -> None:
    """The error says what to do, and names poolsOfCluster."""
    with pytest.raises(PackError, match=message) as caught:
        PoolSource(items).pools(wanted)

    assert caught.value.field == "poolsOfCluster"


def test_a_name_from_a_macro() -> None:
    """The pipeline reads configs before it starts, so the name is taken from the item that resolve-macros edited."""
    macro = "{{ .spectro.system.cluster.name }}"

    def config(name: str) -> Resource:
        spec = {"poolsOfCluster": name}
        return Resource.from_data(
            {
                "apiVersion": "krmkit.dev/v1alpha1",
                "kind": "ValidatePackConstraints",
                "metadata": {"name": "c"},
                "spec": spec,
            }
        )

    assert cluster_named(macro, [config("west")], config(macro)) == "west"
    assert cluster_named("blueprint", [config("west")], config("blueprint")) == "west"
    assert cluster_named("one", [config("west"), config("east")], config("one")) == "one"
    with pytest.raises(PackError, match="a macro that is not resolved: run resolve-macros before"):
        cluster_named(macro, [config(macro)], config(macro))


def test_advice_that_one_can_follow() -> None:
    """Pools of a Cluster have no entry in the config, so the result names the keys of the config that help."""
    pack = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, annotations: {config.kubernetes.io/local-config: "true"}}\ndata:\n'
        '  pack.json: \'{"name": "app", "version": "1.0.0", "layer": "addon", "constraints": {"resources": [{"type": "cpu",'
        ' "minLimit": 1000}]}}\'\n  values.yaml: ""\n'
    )
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidatePackConstraints\nmetadata: {name: c}\nspec: {poolsOfCluster: a/c1%s}\n"
    items = [pack, *(one.text for one in in_namespace("a", {}, "DockerMachineTemplate"))]

    [unknown] = [
        one
        for one in run_function(FUNCTION, resource_list(items, config % "")).results
        if one.rule == "capacity-unknown"
    ]
    known = run_function(
        FUNCTION, resource_list(items, config % ", instanceTypes: {DockerMachineTemplate: {cpu: 4}}")
    )
    wrong = run_function(FUNCTION, resource_list(items, config.replace("a/c1", "b/c1") % ""))

    assert "set instanceTypes.machines or instanceTypes.DockerMachineTemplate" in unknown.message
    assert not [one for one in known.results if one.rule == "capacity-unknown"]
    assert [(one.rule, one.field) for one in wrong.results] == [("invalid-config", "spec.poolsOfCluster")]


@pytest.mark.parametrize("value", ["text", ["a"], 7])
@pytest.mark.parametrize(
    "path",
    [
        "spec template", "spec template spec", "spec template spec infrastructureRef", "spec", "metadata annotations",
        "spec machineTemplate", "spec machineTemplate spec", "spec machineTemplate infrastructureRef", "metadata",
    ],
)  # fmt: skip
def test_values_of_a_wrong_type(path: str, value: object) -> None:
    """A pool that has a text, list or number where a map belongs lacks what the map says; nothing falls over it, twice neither."""
    kind = "KubeadmControlPlane" if "machineTemplate" in path else "MachineDeployment"
    holder = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": {"name": "m", "labels": {CLUSTER: "c"}},
        "spec": {"clusterName": "c", "replicas": 2},
    }
    source = PoolSource([Resource.from_data(put(holder, tuple(path.split()), value)) for _ in range(2)])

    pools = source.pools("c")

    assert [pool.size for pool in pools] == ([] if path == "spec" else [2, 2])
    assert all(not pool.node for pool in pools)
