"""krmkit.systems.clusterapi.api.objects: decoding of Cluster and ClusterClass, and conversion of v1beta1."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.api.objects import V1BETA1, V1BETA2, decode_cluster, decode_cluster_class


def cluster(topology: dict[str, Any], version: str = V1BETA1, **spec: Any) -> dict[str, Any]:
    metadata = {"name": "c", "namespace": "n"}
    return {
        "apiVersion": version,
        "kind": "Cluster",
        "metadata": metadata,
        "spec": {**spec, "topology": topology},
    }


TOPOLOGIES = {
    "class": ({"class": "k", "classNamespace": "ns"}, {"classRef": {"name": "k", "namespace": "ns"}}),
    "rolloutAfter is gone": (
        {"version": "v1.33.1", "rolloutAfter": "2026-01-02T03:04:05Z"},
        {"version": "v1.33.1"},
    ),
    "durations are cut off": (
        {"controlPlane": {"nodeDrainTimeout": "1500ms", "nodeDeletionTimeout": "999ms"}},
        {"controlPlane": {"deletion": {"nodeDrainTimeoutSeconds": 1, "nodeDeletionTimeoutSeconds": 0}}},
    ),
    "machineHealthCheck": (
        {
            "controlPlane": {
                "machineHealthCheck": {
                    "enable": False,
                    "maxUnhealthy": 2,
                    "unhealthyRange": "[1-2]",
                    "nodeStartupTimeout": "15m",
                    "unhealthyConditions": [{"type": "Ready", "status": "False", "timeout": "5m"}],
                    "remediationTemplate": {"kind": "R", "name": "r", "apiVersion": "g/v1", "namespace": "n"},
                }
            }
        },
        {
            "controlPlane": {
                "healthCheck": {
                    "enabled": False,
                    "checks": {
                        "nodeStartupTimeoutSeconds": 900,
                        "unhealthyNodeConditions": [
                            {"type": "Ready", "status": "False", "timeoutSeconds": 300}
                        ],
                    },
                    "remediation": {
                        "triggerIf": {"unhealthyLessThanOrEqualTo": 2, "unhealthyInRange": "[1-2]"},
                        "templateRef": {"kind": "R", "name": "r", "apiVersion": "g/v1"},
                    },
                }
            }
        },
    ),
    "strategy is split": (
        {
            "workers": {
                "machineDeployments": [
                    {
                        "class": "w",
                        "name": "md",
                        "strategy": {
                            "type": "RollingUpdate",
                            "rollingUpdate": {"maxSurge": "50%", "deletePolicy": "Oldest"},
                            "remediation": {"maxInFlight": 1},
                        },
                    }
                ]
            }
        },
        {
            "workers": {
                "machineDeployments": [
                    {
                        "class": "w",
                        "name": "md",
                        "rollout": {
                            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%"}}
                        },
                        "deletion": {"order": "Oldest"},
                        "healthCheck": {"remediation": {"maxInFlight": 1}},
                    }
                ]
            }
        },
    ),
    "definitionFrom is gone": (
        {"variables": [{"name": "a", "definitionFrom": "p", "value": 0}]},
        {"variables": [{"name": "a", "value": 0}]},
    ),
}


@pytest.mark.parametrize(("old", "new"), TOPOLOGIES.values(), ids=TOPOLOGIES.keys())
def test_topology_of_v1beta1(old: dict[str, Any], new: dict[str, Any]) -> None:
    """A v1beta1 topology becomes the v1beta2 one."""
    decoded, problems = decode_cluster(cluster(old))

    assert problems == []
    assert decoded["spec"]["topology"] == new
    assert decoded["apiVersion"] == V1BETA2


def test_references_lose_version_and_namespace() -> None:
    """References of a v1beta1 Cluster keep group, kind and name."""
    reference = {"apiVersion": "infra.x/v1beta1", "kind": "C", "name": "i", "namespace": "n"}
    decoded, _ = decode_cluster(cluster({"class": "k"}, infrastructureRef=reference))

    assert decoded["spec"]["infrastructureRef"] == {"apiGroup": "infra.x", "kind": "C", "name": "i"}


def test_class_of_v1beta1() -> None:
    """References, naming, templates, variables and external patches of a v1beta1 class get their new places."""
    reference = {"apiVersion": "infra.x/v1", "kind": "T", "name": "t", "namespace": "n"}
    kept = {"apiVersion": "infra.x/v1", "kind": "T", "name": "t"}
    spec = {
        "infrastructure": {"ref": reference},
        "infrastructureNamingStrategy": {"template": "{{ .cluster.name }}"},
        "controlPlane": {"ref": reference, "machineInfrastructure": {"ref": reference}},
        "workers": {
            "machinePools": [
                {
                    "class": "p",
                    "template": {
                        "metadata": {"labels": {"a": "b"}},
                        "bootstrap": {"ref": reference},
                        "infrastructure": {"ref": reference},
                    },
                }
            ]
        },
        "variables": [
            {
                "name": "v",
                "metadata": {"labels": {"x": "y"}},
                "schema": {"openAPIV3Schema": {"type": "string"}},
            }
        ],
        "patches": [{"name": "p", "external": {"generateExtension": "a.b", "settings": {"s": "1"}}}],
    }
    decoded, problems = decode_cluster_class({"apiVersion": V1BETA1, "kind": "ClusterClass", "spec": spec})

    assert problems == []
    assert decoded["spec"] == {
        "infrastructure": {"templateRef": kept, "naming": {"template": "{{ .cluster.name }}"}},
        "controlPlane": {"templateRef": kept, "machineInfrastructure": {"templateRef": kept}},
        "workers": {
            "machinePools": [
                {
                    "class": "p",
                    "metadata": {"labels": {"a": "b"}},
                    "bootstrap": {"templateRef": kept},
                    "infrastructure": {"templateRef": kept},
                }
            ]
        },
        "variables": [
            {
                "required": False,
                "name": "v",
                "deprecatedV1Beta1Metadata": {"labels": {"x": "y"}},
                "schema": {"openAPIV3Schema": {"type": "string"}},
            }
        ],
        "patches": [{"name": "p", "external": {"generatePatchesExtension": "a.b", "settings": {"s": "1"}}}],
    }


def test_absent_in_go_is_absent() -> None:
    """Null, empty texts and empty structs go; false, 0 and empty lists behind pointers and slices stay."""
    topology = {
        "version": "",
        "classRef": {"name": "k", "namespace": None},
        "controlPlane": {
            "replicas": 0,
            "metadata": {},
            "readinessGates": [],
            "healthCheck": {"enabled": False},
        },
        "workers": {},
    }
    decoded, problems = decode_cluster(cluster(topology, V1BETA2))

    assert problems == []
    assert decoded["spec"]["topology"] == {
        "classRef": {"name": "k"},
        "controlPlane": {"replicas": 0, "readinessGates": [], "healthCheck": {"enabled": False}},
    }


UNKNOWN = {
    "a typing error": ({"versoin": "v1"}, V1BETA2, "spec.topology.versoin", 'did you mean "version"?'),
    "a field of v1beta1": ({"class": "k"}, V1BETA2, "spec.topology.class", 'did you mean "classRef.name"?'),
    "a field of v1beta2": (
        {"classRef": {"name": "k"}},
        V1BETA1,
        "spec.topology.classRef",
        'did you mean "class"?',
    ),
    "labels outside of metadata": (
        {"controlPlane": {"labels": {"a": "b"}}},
        V1BETA2,
        "spec.topology.controlPlane.labels",
        'did you mean "metadata.labels"?',
    ),
    "nothing near": ({"zzz": 1}, V1BETA2, "spec.topology.zzz", "Topology has classRef, version"),
}


@pytest.mark.parametrize(("topology", "version", "field", "hint"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_unknown_field(topology: dict[str, Any], version: str, field: str, hint: str) -> None:
    """An unknown field is dropped; the problem names its path and the right place."""
    decoded, problems = decode_cluster(cluster(topology, version))

    assert [(problem.field, problem.unknown) for problem in problems] == [(field, True)]
    assert hint in problems[0].message
    assert decoded["metadata"]["name"] == "c"


WRONG = {
    "text for a number": (
        {"controlPlane": {"replicas": "three"}},
        "spec.topology.controlPlane.replicas",
        "json: cannot unmarshal string into Go struct field ControlPlaneTopology.spec.topology.controlPlane.replicas"
        " of type int32",
    ),
    "a fraction": (
        {"controlPlane": {"replicas": 1.5}},
        "spec.topology.controlPlane.replicas",
        "json: cannot unmarshal number 1.5 into Go struct field"
        " ControlPlaneTopology.spec.topology.controlPlane.replicas of type int32",
    ),
    "true is not a number": (
        {"controlPlane": {"replicas": True}},
        "spec.topology.controlPlane.replicas",
        "json: cannot unmarshal bool into Go struct field ControlPlaneTopology.spec.topology.controlPlane.replicas"
        " of type int32",
    ),
    "a number of 33 bits": (
        {"controlPlane": {"replicas": 2147483648}},
        "spec.topology.controlPlane.replicas",
        "json: cannot unmarshal number 2147483648 into Go struct field"
        " ControlPlaneTopology.spec.topology.controlPlane.replicas of type int32",
    ),
    "a mapping for a list": (
        {"workers": {"machineDeployments": {}}},
        "spec.topology.workers.machineDeployments",
        "json: cannot unmarshal object into Go struct field WorkersTopology.spec.topology.workers.machineDeployments"
        " of type []v1beta2.MachineDeploymentTopology",
    ),
    "a number as a label": (
        {"controlPlane": {"metadata": {"labels": {"a": 1}}}},
        "spec.topology.controlPlane.metadata.labels[a]",
        "json: cannot unmarshal number into Go struct field ObjectMeta.spec.topology.controlPlane.metadata.labels"
        " of type string",
    ),
    "no RFC 3339": (
        {"controlPlane": {"rollout": {"after": "tomorrow"}}},
        "spec.topology.controlPlane.rollout.after",
        'parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"',
    ),
}


@pytest.mark.parametrize(("topology", "field", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_type(topology: dict[str, Any], field: str, message: str) -> None:
    """A value of a wrong type is an error in Go's words, with its path."""
    _, problems = decode_cluster(cluster(topology, V1BETA2))

    assert [(problem.field, problem.message, problem.unknown) for problem in problems] == [
        (field, message, False)
    ]


def test_wrong_duration() -> None:
    """A duration that Go cannot read is an error, and nothing is converted."""
    _, problems = decode_cluster(cluster({"controlPlane": {"nodeDrainTimeout": "1 hour"}}))

    assert [problem.message for problem in problems] == ['time: unknown unit " hour" in duration "1 hour"']


def test_all_problems_at_once() -> None:
    """Every problem of an object is reported."""
    _, problems = decode_cluster(cluster({"version": 1.33, "oops": 1, "variables": "x"}, V1BETA2))

    assert len(problems) == 3


@pytest.mark.parametrize("data", [None, [], "text", 3, {}])
def test_no_object(data: object) -> None:
    """Anything that is not a mapping is a problem, never an exception."""
    decoded, problems = decode_cluster_class(data)

    assert decoded == {}
    assert bool(problems) is (data != {})
