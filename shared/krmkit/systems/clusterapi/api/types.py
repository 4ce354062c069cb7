"""The types of Cluster, v1beta2, and those that ClusterClass shares: names and order as in Go.

Source: api/core/v1beta2/cluster_types.go and common_types.go.
"""

from __future__ import annotations

from krmkit.systems.clusterapi.api.decode import (
    BOOL,
    INT32,
    INT32_OR_NONE,
    INT_OR_STRING,
    RAW,
    STRING,
    STRING_POINTER,
    List,
    Map,
    ParsedText,
    Struct,
    Text,
)
from krmkit.systems.clusterapi.api.times import check_time

TIME = ParsedText("metav1.Time", check_time)
STRINGS = List(Text())
STRING_MAP = Map(Text())

OBJECT_META = Struct("ObjectMeta", {"labels": STRING_MAP, "annotations": STRING_MAP})
METADATA = Struct(
    "ObjectMeta",
    {"name": STRING, "namespace": STRING, "uid": STRING, "labels": STRING_MAP, "annotations": STRING_MAP},
    open=True,
    package="v1",
)
POLARITY = Text(values=("Positive", "Negative"))
STATUS = Text(values=("True", "False", "Unknown"))
ROLLOUT_TYPE = Text(values=("RollingUpdate", "OnDelete"))
DELETION_ORDER = Text(values=("Random", "Newest", "Oldest"))
TAINT_EFFECT = Text(values=("NoSchedule", "PreferNoSchedule", "NoExecute"))
TAINT_PROPAGATION = Text(values=("Always", "OnInitialization"))
READINESS_GATES = List(Struct("MachineReadinessGate", {"conditionType": STRING, "polarity": POLARITY}))
AVAILABILITY_GATES = List(Struct("ClusterAvailabilityGate", {"conditionType": STRING, "polarity": POLARITY}))
TAINTS = List(
    Struct(
        "MachineTaint",
        {"key": STRING, "value": STRING_POINTER, "effect": TAINT_EFFECT, "propagation": TAINT_PROPAGATION},
    )
)
TEMPLATE_REF = Struct("ClusterClassTemplateReference", {"kind": STRING, "name": STRING, "apiVersion": STRING})
OBJECT_REF = Struct("ContractVersionedObjectReference", {"kind": STRING, "name": STRING, "apiGroup": STRING})
_CONDITIONS = List(
    Struct("UnhealthyNodeCondition", {"type": STRING, "status": STRING, "timeoutSeconds": INT32})
)
_MACHINE_CONDITIONS = List(
    Struct("UnhealthyMachineCondition", {"type": STRING, "status": STATUS, "timeoutSeconds": INT32})
)
_TIMEOUTS = {
    "nodeDrainTimeoutSeconds": INT32,
    "nodeVolumeDetachTimeoutSeconds": INT32,
    "nodeDeletionTimeoutSeconds": INT32,
}
_OLD_TIMEOUTS = {name.removesuffix("Seconds"): "deletion." + name for name in _TIMEOUTS}
OLD_WORKER = {
    **_OLD_TIMEOUTS,
    "machineHealthCheck": "healthCheck",
    "strategy": "rollout.strategy",
    "namingStrategy": "naming",
}


def health_check(owner: str, topology: bool, deployment: bool) -> Struct:
    """healthCheck of a control plane or a MachineDeployment, in a class or (`topology`) in a Cluster."""
    name = owner + "HealthCheck"
    remediation = {
        "triggerIf": Struct(
            name + "RemediationTriggerIf",
            {"unhealthyLessThanOrEqualTo": INT_OR_STRING, "unhealthyInRange": STRING},
        ),
        "templateRef": Struct(
            "MachineHealthCheckRemediationTemplateReference",
            {"kind": STRING, "name": STRING, "apiVersion": STRING},
        ),
    }
    fields = {
        "checks": Struct(
            name + "Checks",
            {
                "nodeStartupTimeoutSeconds": INT32,
                "unhealthyNodeConditions": _CONDITIONS,
                "unhealthyMachineConditions": _MACHINE_CONDITIONS,
            },
        ),
        "remediation": Struct(
            name + "Remediation", {"maxInFlight": INT_OR_STRING, **remediation} if deployment else remediation
        ),
    }
    moved = {
        "enable": "enabled",
        "maxUnhealthy": "remediation.triggerIf.unhealthyLessThanOrEqualTo",
        "unhealthyRange": "remediation.triggerIf.unhealthyInRange",
        "unhealthyConditions": "checks.unhealthyNodeConditions",
        "nodeStartupTimeout": "checks.nodeStartupTimeoutSeconds",
        "remediationTemplate": "remediation.templateRef",
    }
    return Struct(name, {"enabled": BOOL, **fields} if topology else fields, moved=moved)


def deletion(owner: str, order: bool = False) -> Struct:
    """deletion of a control plane or pool; that of a MachineDeployment has an `order`."""
    return Struct(
        owner + "MachineDeletionSpec", {"order": DELETION_ORDER, **_TIMEOUTS} if order else _TIMEOUTS
    )


def rollout_strategy(owner: str) -> Struct:
    """rollout.strategy of a MachineDeployment."""
    name = owner + "RolloutStrategy"
    rolling = Struct(name + "RollingUpdate", {"maxUnavailable": INT_OR_STRING, "maxSurge": INT_OR_STRING})
    return Struct(name, {"type": ROLLOUT_TYPE, "rollingUpdate": rolling})


CLUSTER_VARIABLES = List(Struct("ClusterVariable", {"name": STRING, "value": RAW}))


def overrides(owner: str) -> Struct:
    """variables of a control plane, MachineDeployment or MachinePool."""
    return Struct(owner + "Variables", {"overrides": CLUSTER_VARIABLES})


_CONTROL_PLANE = Struct(
    "ControlPlaneTopology",
    {
        "metadata": OBJECT_META,
        "replicas": INT32,
        "rollout": Struct("ControlPlaneTopologyRolloutSpec", {"after": TIME}),
        "healthCheck": health_check("ControlPlaneTopology", topology=True, deployment=False),
        "deletion": deletion("ControlPlaneTopology"),
        "taints": TAINTS,
        "readinessGates": READINESS_GATES,
        "variables": overrides("ControlPlane"),
    },
    moved=OLD_WORKER,
)
_MACHINE_DEPLOYMENT = Struct(
    "MachineDeploymentTopology",
    {
        "metadata": OBJECT_META,
        "class": STRING,
        "name": STRING,
        "failureDomain": STRING,
        "replicas": INT32,
        "healthCheck": health_check("MachineDeploymentTopology", topology=True, deployment=True),
        "deletion": deletion("MachineDeploymentTopology", order=True),
        "taints": TAINTS,
        "minReadySeconds": INT32,
        "readinessGates": READINESS_GATES,
        "rollout": Struct(
            "MachineDeploymentTopologyRolloutSpec",
            {"after": TIME, "strategy": rollout_strategy("MachineDeploymentTopology")},
        ),
        "variables": overrides("MachineDeployment"),
    },
    moved=OLD_WORKER,
)
_MACHINE_POOL = Struct(
    "MachinePoolTopology",
    {
        "metadata": OBJECT_META,
        "class": STRING,
        "name": STRING,
        "failureDomains": STRINGS,
        "deletion": deletion("MachinePoolTopology"),
        "taints": TAINTS,
        "minReadySeconds": INT32,
        "replicas": INT32,
        "variables": overrides("MachinePool"),
    },
    moved={**OLD_WORKER, "failureDomain": "failureDomains"},
)
TOPOLOGY = Struct(
    "Topology",
    {
        "classRef": Struct("ClusterClassRef", {"name": STRING, "namespace": STRING}),
        "version": STRING,
        "controlPlane": _CONTROL_PLANE,
        "workers": Struct(
            "WorkersTopology",
            {"machineDeployments": List(_MACHINE_DEPLOYMENT), "machinePools": List(_MACHINE_POOL)},
        ),
        "variables": CLUSTER_VARIABLES,
    },
    moved={"class": "classRef.name", "classNamespace": "classRef.namespace"},
)
_RANGES = Struct("NetworkRanges", {"cidrBlocks": STRINGS})
CLUSTER_NETWORK = Struct(
    "ClusterNetwork",
    {"apiServerPort": INT32_OR_NONE, "services": _RANGES, "pods": _RANGES, "serviceDomain": STRING},
)
ENDPOINT = Struct("APIEndpoint", {"host": STRING, "port": INT32_OR_NONE})
CLUSTER = Struct(
    "Cluster",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "spec": Struct(
            "ClusterSpec",
            {
                "paused": BOOL,
                "clusterNetwork": CLUSTER_NETWORK,
                "controlPlaneEndpoint": ENDPOINT,
                "controlPlaneRef": OBJECT_REF,
                "infrastructureRef": OBJECT_REF,
                "topology": TOPOLOGY,
                "availabilityGates": AVAILABILITY_GATES,
            },
        ),
        "status": Struct("ClusterStatus", {}, open=True),
    },
)
