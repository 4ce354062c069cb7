"""The types of Cluster and ClusterClass, v1beta1. krmkit.systems.clusterapi.api.conversion converts them to v1beta2.

Source: api/core/v1beta1/cluster_types.go, clusterclass_types.go, machinedeployment_types.go.
"""

from __future__ import annotations

from functools import partial

from krmkit.libraries.go.time.durations import parse_duration
from krmkit.systems.clusterapi.api.classtypes import STATUS, VARIABLE_METADATA, json_schema_props, patches
from krmkit.systems.clusterapi.api.decode import (
    BOOL,
    INT32,
    INT_OR_STRING,
    RAW,
    STRING,
    TRUE,
    List,
    ParsedText,
    Struct,
)
from krmkit.systems.clusterapi.api.types import (
    AVAILABILITY_GATES,
    CLUSTER_NETWORK,
    DELETION_ORDER,
    ENDPOINT,
    METADATA,
    OBJECT_META,
    READINESS_GATES,
    ROLLOUT_TYPE,
    STRINGS,
    TAINTS,
    TIME,
)
from krmkit.systems.clusterapi.api.types import STATUS as CONDITION_STATUS

_struct = partial(Struct, package="v1beta1")
DURATION = ParsedText("metav1.Duration", parse_duration)
OBJECT_REFERENCE = Struct(
    "ObjectReference",
    {
        "kind": STRING,
        "namespace": STRING,
        "name": STRING,
        "uid": STRING,
        "apiVersion": STRING,
        "resourceVersion": STRING,
        "fieldPath": STRING,
    },
    pointer=True,
    moved={"apiGroup": "apiVersion"},
    package="v1",
)
_TIMEOUTS = {
    "nodeDrainTimeout": DURATION,
    "nodeVolumeDetachTimeout": DURATION,
    "nodeDeletionTimeout": DURATION,
}
_NEW_WORKER = {
    "healthCheck": "machineHealthCheck",
    "deletion": "nodeDrainTimeout",
    "rollout": "strategy",
    "naming": "namingStrategy",
    "templateRef": "ref",
}
HEALTH_CHECK_FIELDS = {
    "unhealthyConditions": List(
        _struct("UnhealthyCondition", {"type": STRING, "status": STRING, "timeout": DURATION})
    ),
    "unhealthyMachineConditions": List(
        _struct(
            "UnhealthyMachineCondition", {"type": STRING, "status": CONDITION_STATUS, "timeout": DURATION}
        )
    ),
    "maxUnhealthy": INT_OR_STRING,
    "unhealthyRange": STRING,
    "nodeStartupTimeout": DURATION,
    "remediationTemplate": OBJECT_REFERENCE,
}
_HEALTH_CHECK_CLASS = _struct("MachineHealthCheckClass", HEALTH_CHECK_FIELDS)
_HEALTH_CHECK_TOPOLOGY = _struct(
    "MachineHealthCheckTopology", {"enable": BOOL, **HEALTH_CHECK_FIELDS}, moved={"enabled": "enable"}
)
_STRATEGY = _struct(
    "MachineDeploymentStrategy",
    {
        "type": ROLLOUT_TYPE,
        "rollingUpdate": _struct(
            "MachineRollingUpdateDeployment",
            {"maxUnavailable": INT_OR_STRING, "maxSurge": INT_OR_STRING, "deletePolicy": DELETION_ORDER},
        ),
        "remediation": _struct("RemediationStrategy", {"maxInFlight": INT_OR_STRING}),
    },
)
_VARIABLES = List(_struct("ClusterVariable", {"name": STRING, "definitionFrom": STRING, "value": RAW}))


def _overrides(owner: str) -> Struct:
    return _struct(owner + "Variables", {"overrides": _VARIABLES})


_TOPOLOGY = _struct(
    "Topology",
    {
        "class": STRING,
        "classNamespace": STRING,
        "version": STRING,
        "rolloutAfter": TIME,
        "controlPlane": _struct(
            "ControlPlaneTopology",
            {
                "metadata": OBJECT_META,
                "replicas": INT32,
                "machineHealthCheck": _HEALTH_CHECK_TOPOLOGY,
                **_TIMEOUTS,
                "taints": TAINTS,
                "readinessGates": READINESS_GATES,
                "variables": _overrides("ControlPlane"),
            },
            moved=_NEW_WORKER,
        ),
        "workers": _struct(
            "WorkersTopology",
            {
                "machineDeployments": List(
                    _struct(
                        "MachineDeploymentTopology",
                        {
                            "metadata": OBJECT_META,
                            "class": STRING,
                            "name": STRING,
                            "failureDomain": STRING,
                            "replicas": INT32,
                            "machineHealthCheck": _HEALTH_CHECK_TOPOLOGY,
                            **_TIMEOUTS,
                            "taints": TAINTS,
                            "minReadySeconds": INT32,
                            "readinessGates": READINESS_GATES,
                            "strategy": _STRATEGY,
                            "variables": _overrides("MachineDeployment"),
                        },
                        moved=_NEW_WORKER,
                    )
                ),
                "machinePools": List(
                    _struct(
                        "MachinePoolTopology",
                        {
                            "metadata": OBJECT_META,
                            "class": STRING,
                            "name": STRING,
                            "failureDomains": STRINGS,
                            **_TIMEOUTS,
                            "taints": TAINTS,
                            "minReadySeconds": INT32,
                            "replicas": INT32,
                            "variables": _overrides("MachinePool"),
                        },
                        moved={**_NEW_WORKER, "failureDomain": "failureDomains"},
                    )
                ),
            },
        ),
        "variables": _VARIABLES,
    },
    moved={"classRef": "class"},
)
CLUSTER = _struct(
    "Cluster",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "spec": _struct(
            "ClusterSpec",
            {
                "paused": TRUE,
                "clusterNetwork": CLUSTER_NETWORK,
                "controlPlaneEndpoint": ENDPOINT,
                "controlPlaneRef": OBJECT_REFERENCE,
                "infrastructureRef": OBJECT_REFERENCE,
                "topology": _TOPOLOGY,
                "availabilityGates": AVAILABILITY_GATES,
            },
        ),
        "status": _struct("ClusterStatus", {}, open=True),
    },
)

# ClusterClass

_REF = {"ref": OBJECT_REFERENCE}
_TEMPLATE = _struct("LocalObjectTemplate", _REF, pointer=True, moved={"templateRef": "ref"})


def _naming(owner: str) -> Struct:
    return _struct(owner + "NamingStrategy", {"template": STRING})


def _class_template(owner: str) -> Struct:
    return _struct(
        owner + "ClassTemplate",
        {"metadata": OBJECT_META, "bootstrap": _TEMPLATE, "infrastructure": _TEMPLATE},
    )


_WORKER_MOVED = {
    **_NEW_WORKER,
    "metadata": "template.metadata",
    "bootstrap": "template.bootstrap",
    "infrastructure": "template.infrastructure",
}
CLUSTER_CLASS = _struct(
    "ClusterClass",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "spec": _struct(
            "ClusterClassSpec",
            {
                "availabilityGates": AVAILABILITY_GATES,
                "infrastructure": _TEMPLATE,
                "infrastructureNamingStrategy": _naming("Infrastructure"),
                "controlPlane": _struct(
                    "ControlPlaneClass",
                    {
                        "metadata": OBJECT_META,
                        **_REF,
                        "machineInfrastructure": _TEMPLATE,
                        "machineHealthCheck": _HEALTH_CHECK_CLASS,
                        "namingStrategy": _naming("ControlPlaneClass"),
                        **_TIMEOUTS,
                        "taints": TAINTS,
                        "readinessGates": READINESS_GATES,
                    },
                    moved=_NEW_WORKER,
                ),
                "workers": _struct(
                    "WorkersClass",
                    {
                        "machineDeployments": List(
                            _struct(
                                "MachineDeploymentClass",
                                {
                                    "class": STRING,
                                    "template": _class_template("MachineDeployment"),
                                    "machineHealthCheck": _HEALTH_CHECK_CLASS,
                                    "failureDomain": STRING,
                                    "namingStrategy": _naming("MachineDeploymentClass"),
                                    **_TIMEOUTS,
                                    "taints": TAINTS,
                                    "minReadySeconds": INT32,
                                    "readinessGates": READINESS_GATES,
                                    "strategy": _STRATEGY,
                                },
                                moved=_WORKER_MOVED,
                            )
                        ),
                        "machinePools": List(
                            _struct(
                                "MachinePoolClass",
                                {
                                    "class": STRING,
                                    "template": _class_template("MachinePool"),
                                    "failureDomains": STRINGS,
                                    "namingStrategy": _naming("MachinePoolClass"),
                                    **_TIMEOUTS,
                                    "taints": TAINTS,
                                    "minReadySeconds": INT32,
                                },
                                moved={**_WORKER_MOVED, "failureDomain": "failureDomains"},
                            )
                        ),
                    },
                ),
                "variables": List(
                    _struct(
                        "ClusterClassVariable",
                        {
                            "name": STRING,
                            "required": BOOL,
                            "metadata": VARIABLE_METADATA,
                            "schema": _struct(
                                "VariableSchema", {"openAPIV3Schema": json_schema_props(false=False)}
                            ),
                        },
                        moved={"deprecatedV1Beta1Metadata": "metadata"},
                    )
                ),
                "patches": patches(false=False),
                "upgrade": _struct(
                    "ClusterClassUpgrade",
                    {
                        "external": _struct(
                            "ClusterClassUpgradeExternal", {"generateUpgradePlanExtension": STRING}
                        )
                    },
                ),
                "kubernetesVersions": STRINGS,
            },
        ),
        "status": STATUS,
    },
)
