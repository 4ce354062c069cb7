"""A ClusterClass with ten variables and seven patches, and as many Clusters of it as wanted, five MachineDeployments each."""

from __future__ import annotations

import json
from typing import Any

from krmkit.libraries.json import Object

INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta2"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io/v1beta2"
BOOTSTRAP = "bootstrap.cluster.x-k8s.io/v1beta2"
CORE = "cluster.x-k8s.io/v1beta2"
WORKERS = 5
_FLAGS = [
    {"name": f"flag-{number}", "value": f"value of flag {number}, which is as long as flags are"}
    for number in range(8)
]


def _meta(name: str) -> Object:
    return {
        "name": name,
        "namespace": "default",
        "annotations": {"config.kubernetes.io/local-config": "true"},
    }


def _reference(api_version: str, kind: str) -> Object:
    return {"templateRef": {"apiVersion": api_version, "kind": kind, "name": "fleet"}}


def _patch(name: str, kind: str, api_version: str, resources: Object, *operations: Object) -> Object:
    selector = {"apiVersion": api_version, "kind": kind, "matchResources": resources}
    return {"name": name, "definitions": [{"selector": selector, "jsonPatches": list(operations)}]}


def _add(path: str, **source: Any) -> Object:
    return {"op": "add", "path": "/spec/template/spec" + path, **source}


_WORKER: Object = {"machineDeploymentClass": {"names": ["*"]}}
PATCHES = [
    _patch("region", "FleetClusterTemplate", INFRASTRUCTURE, {"infrastructureCluster": True},
           _add("/region", valueFrom={"variable": "region"})),
    _patch("registry", "KubeadmControlPlaneTemplate", CONTROL_PLANE, {"controlPlane": True},
           _add("/kubeadmConfigSpec/clusterConfiguration/imageRepository", valueFrom={"variable": "registry"})),
    _patch("audit", "KubeadmControlPlaneTemplate", CONTROL_PLANE, {"controlPlane": True},
           _add("/kubeadmConfigSpec/files", value=[]),
           _add("/kubeadmConfigSpec/files/-", valueFrom={"template":
                "path: /etc/kubernetes/audit.yaml\ncontent: |\n  level: {{ .auditLevel }}\n"
                "  cluster: {{ .builtin.cluster.name }}\n"})),
    _patch("machineType", "FleetMachineTemplate", INFRASTRUCTURE, {"controlPlane": True},
           _add("/type", valueFrom={"variable": "controlPlaneType"})),
    _patch("workerType", "FleetMachineTemplate", INFRASTRUCTURE, _WORKER,
           _add("/type", valueFrom={"variable": "workerType"}),
           _add("/diskGiB", valueFrom={"variable": "disk.sizeGiB"})),
    _patch("image", "FleetMachineTemplate", INFRASTRUCTURE, {**_WORKER, "controlPlane": True},
           _add("/image", valueFrom={"template":
                "fleet-{{ with .builtin.machineDeployment }}{{ .version }}{{ else }}{{ .builtin.controlPlane.version }}{{ end }}-{{ .imageFlavor }}"})),
    _patch("proxy", "KubeadmConfigTemplate", BOOTSTRAP, _WORKER,
           _add("/preKubeadmCommands/-", valueFrom={"template": "export HTTPS_PROXY={{ .proxy }} NO_PROXY={{ .noProxy | join \",\" }}"})),
]  # fmt: skip
PATCHES[-1]["enabledIf"] = '{{ ne .proxy "" }}'


def _variable(name: str, schema: Object, required: bool = True) -> Object:
    return {"name": name, "required": required, "schema": {"openAPIV3Schema": schema}}


VARIABLES = [
    _variable("region", {"type": "string", "enum": ["north", "south", "east", "west"]}),
    _variable("registry", {"type": "string", "default": "registry.example.com"}),
    _variable("auditLevel", {"type": "string", "default": "Metadata"}),
    _variable("controlPlaneType", {"type": "string", "default": "medium"}),
    _variable("workerType", {"type": "string", "default": "large"}),
    _variable("disk", {"type": "object", "default": {}, "properties": {
        "sizeGiB": {"type": "integer", "minimum": 10, "default": 50}}}),
    _variable("imageFlavor", {"type": "string", "default": "ubuntu"}),
    _variable("proxy", {"type": "string", "default": ""}),
    _variable("noProxy", {"type": "array", "items": {"type": "string"}, "default": ["localhost"]}),
    _variable("owner", {"type": "string", "pattern": "^[a-z-]+$"}),
]  # fmt: skip


def class_items() -> list[Object]:
    """The class and its templates."""
    machines = _reference(INFRASTRUCTURE, "FleetMachineTemplate")
    cluster_class = {
        "apiVersion": CORE,
        "kind": "ClusterClass",
        "metadata": _meta("fleet"),
        "spec": {
            "infrastructure": _reference(INFRASTRUCTURE, "FleetClusterTemplate"),
            "controlPlane": {
                **_reference(CONTROL_PLANE, "KubeadmControlPlaneTemplate"),
                "machineInfrastructure": machines,
            },
            "workers": {
                "machineDeployments": [
                    {
                        "class": "worker",
                        "bootstrap": _reference(BOOTSTRAP, "KubeadmConfigTemplate"),
                        "infrastructure": machines,
                    }
                ]
            },
            "variables": VARIABLES,
            "patches": PATCHES,
        },
    }
    nodes = {"nodeRegistration": {"kubeletExtraArgs": _FLAGS, "name": "{{ ds.meta_data.hostname }}"}}

    def template(api_version: str, kind: str, spec: Object) -> Object:
        return {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": _meta("fleet"),
            "spec": {"template": {"spec": spec}},
        }

    return [
        cluster_class,
        template(
            INFRASTRUCTURE, "FleetClusterTemplate", {"network": {"cidr": "10.0.0.0/16", "private": True}}
        ),
        template(
            CONTROL_PLANE,
            "KubeadmControlPlaneTemplate",
            {
                "kubeadmConfigSpec": {
                    "clusterConfiguration": {
                        "apiServer": {"extraArgs": _FLAGS},
                        "certificatesDir": "/etc/pki",
                    },
                    "initConfiguration": nodes,
                    "joinConfiguration": nodes,
                }
            },
        ),
        template(
            INFRASTRUCTURE,
            "FleetMachineTemplate",
            {
                "network": {"interfaces": [{"name": f"eth{n}", "mtu": 1500} for n in range(3)]},
                "type": "small",
            },
        ),
        template(
            BOOTSTRAP,
            "KubeadmConfigTemplate",
            {"joinConfiguration": nodes, "preKubeadmCommands": ["systemctl restart chronyd"]},
        ),
    ]


def cluster(number: int) -> Object:
    """One Cluster; no two are alike."""
    return {
        "apiVersion": CORE,
        "kind": "Cluster",
        "metadata": {"name": f"site-{number}", "namespace": "default"},
        "spec": {
            "topology": {
                "classRef": {"name": "fleet"},
                "version": "v1.33.1",
                "controlPlane": {"replicas": 3},
                "workers": {
                    "machineDeployments": [
                        {
                            "class": "worker",
                            "name": f"pool-{index}",
                            "replicas": 2 + index,
                            "metadata": {"labels": {"pool": f"pool-{index}"}},
                        }
                        for index in range(WORKERS)
                    ]
                },
                "variables": [
                    {"name": "region", "value": ["north", "south", "east", "west"][number % 4]},
                    {"name": "owner", "value": "team-" + "abcdefghij"[number % 10]},
                    {"name": "disk", "value": {"sizeGiB": 20 + number % 50}},
                    {"name": "proxy", "value": "" if number % 3 else "http://proxy.example.com:3128"},
                ],
            }
        },
    }


CONFIG = """\
apiVersion: krmkit.dev/v1alpha1
kind: RenderClusterTopology
metadata:
  name: render
"""


def documents(count: int) -> list[str]:
    """The items of a package with `count` Clusters, each as YAML."""
    from krmkit.libraries.yaml import emit

    return [emit.document(item) for item in (*class_items(), *map(cluster, range(count)))]


def resource_list(count: int, config: str = CONFIG) -> str:
    """The package as a function gets it."""
    from krmkit.fn.testing import resource_list as listed

    return listed(documents(count), config)


def size_of(items: list[Object]) -> int:
    """Characters of items as JSON."""
    return len(json.dumps(items))
