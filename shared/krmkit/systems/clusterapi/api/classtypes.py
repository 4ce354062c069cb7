"""The types of ClusterClass, v1beta2: names and order as in Go.

Source: api/core/v1beta2/clusterclass_types.go.
"""

from __future__ import annotations

from krmkit.systems.clusterapi.api.decode import (
    BOOL,
    INT32,
    INT64,
    RAW,
    STRING,
    TRUE,
    List,
    Map,
    Struct,
    Type,
)
from krmkit.systems.clusterapi.api.types import (
    AVAILABILITY_GATES,
    METADATA,
    OBJECT_META,
    OLD_WORKER,
    READINESS_GATES,
    STRING_MAP,
    STRINGS,
    TAINTS,
    TEMPLATE_REF,
    deletion,
    health_check,
    rollout_strategy,
)

_VALIDATION_RULES = List(
    Struct(
        "ValidationRule",
        {
            "rule": STRING,
            "message": STRING,
            "messageExpression": STRING,
            "reason": STRING,
            "fieldPath": STRING,
        },
    )
)


def json_schema_props(false: bool) -> Struct:
    """Return the type of a variable's schema. `false`: the version distinguishes false from absent, as v1beta2 does."""
    flag = BOOL if false else TRUE
    schema = Struct("JSONSchemaProps", {}, pointer=True)
    schemas = List(schema)
    schema.fields = {
        "description": STRING,
        "example": RAW,
        "type": STRING,
        "properties": Map(schema),
        "additionalProperties": schema,
        "maxProperties": INT64,
        "minProperties": INT64,
        "required": STRINGS,
        "items": schema,
        "maxItems": INT64,
        "minItems": INT64,
        "uniqueItems": flag,
        "format": STRING,
        "maxLength": INT64,
        "minLength": INT64,
        "pattern": STRING,
        "maximum": INT64,
        "exclusiveMaximum": flag,
        "minimum": INT64,
        "exclusiveMinimum": flag,
        "x-kubernetes-preserve-unknown-fields": flag,
        "enum": List(RAW),
        "default": RAW,
        "x-kubernetes-validations": _VALIDATION_RULES,
        "x-metadata": Struct("VariableSchemaMetadata", {"labels": STRING_MAP, "annotations": STRING_MAP}),
        "x-kubernetes-int-or-string": flag,
        "allOf": schemas,
        "oneOf": schemas,
        "anyOf": schemas,
        "not": schema,
    }
    return schema


JSON_SCHEMA = json_schema_props(false=True)
VARIABLE_METADATA = Struct("ClusterClassVariableMetadata", {"labels": STRING_MAP, "annotations": STRING_MAP})

VARIABLE_SCHEMA = Struct("VariableSchema", {"openAPIV3Schema": JSON_SCHEMA})
_NAMING = {"template": STRING}


def _template(owner: str) -> Struct:
    return Struct(owner, {"templateRef": TEMPLATE_REF}, moved={"ref": "templateRef"})


CONTROL_PLANE_CLASS = Struct(
    "ControlPlaneClass",
    {
        "metadata": OBJECT_META,
        "templateRef": TEMPLATE_REF,
        "machineInfrastructure": _template("ControlPlaneClassMachineInfrastructureTemplate"),
        "healthCheck": health_check("ControlPlaneClass", topology=False, deployment=False),
        "naming": Struct("ControlPlaneClassNamingSpec", _NAMING),
        "deletion": deletion("ControlPlaneClass"),
        "taints": TAINTS,
        "readinessGates": READINESS_GATES,
    },
    moved={**OLD_WORKER, "ref": "templateRef"},
)
_CLASS_TEMPLATE = {**OLD_WORKER, "template": "metadata, bootstrap and infrastructure"}
MACHINE_DEPLOYMENT_CLASS = Struct(
    "MachineDeploymentClass",
    {
        "metadata": OBJECT_META,
        "class": STRING,
        "bootstrap": _template("MachineDeploymentClassBootstrapTemplate"),
        "infrastructure": _template("MachineDeploymentClassInfrastructureTemplate"),
        "healthCheck": health_check("MachineDeploymentClass", topology=False, deployment=True),
        "failureDomain": STRING,
        "naming": Struct("MachineDeploymentClassNamingSpec", _NAMING),
        "deletion": deletion("MachineDeploymentClass", order=True),
        "taints": TAINTS,
        "minReadySeconds": INT32,
        "readinessGates": READINESS_GATES,
        "rollout": Struct(
            "MachineDeploymentClassRolloutSpec", {"strategy": rollout_strategy("MachineDeploymentClass")}
        ),
    },
    moved=_CLASS_TEMPLATE,
)
MACHINE_POOL_CLASS = Struct(
    "MachinePoolClass",
    {
        "metadata": OBJECT_META,
        "class": STRING,
        "bootstrap": _template("MachinePoolClassBootstrapTemplate"),
        "infrastructure": _template("MachinePoolClassInfrastructureTemplate"),
        "failureDomains": STRINGS,
        "naming": Struct("MachinePoolClassNamingSpec", _NAMING),
        "deletion": deletion("MachinePoolClass"),
        "taints": TAINTS,
        "minReadySeconds": INT32,
    },
    moved={**_CLASS_TEMPLATE, "failureDomain": "failureDomains"},
)


def patches(false: bool) -> List:
    """Return the type of spec.patches. `false`: matchResources distinguishes false from absent, as in v1beta2."""
    flag = BOOL if false else TRUE
    return List(
        Struct(
            "ClusterClassPatch",
            {
                "name": STRING,
                "description": STRING,
                "enabledIf": STRING,
                "definitions": List(patch_definition(flag)),
                "external": EXTERNAL if false else _EXTERNAL_V1BETA1,
            },
        )
    )


def patch_definition(flag: Type) -> Struct:
    """One definition of an inline patch."""
    names = {"names": STRINGS}
    match = Struct(
        "PatchSelectorMatch",
        {
            "controlPlane": flag,
            "infrastructureCluster": flag,
            "machineDeploymentClass": Struct("PatchSelectorMatchMachineDeploymentClass", names, pointer=True),
            "machinePoolClass": Struct("PatchSelectorMatchMachinePoolClass", names, pointer=True),
        },
    )
    selector = Struct("PatchSelector", {"apiVersion": STRING, "kind": STRING, "matchResources": match})
    return Struct("PatchDefinition", {"selector": selector, "jsonPatches": List(JSON_PATCH)})


JSON_PATCH = Struct(
    "JSONPatch",
    {
        "op": STRING,
        "path": STRING,
        "value": RAW,
        "valueFrom": Struct("JSONPatchValue", {"variable": STRING, "template": STRING}, pointer=True),
    },
)
_SETTINGS = {"discoverVariablesExtension": STRING, "settings": STRING_MAP}
EXTERNAL = Struct(
    "ExternalPatchDefinition",
    {"generatePatchesExtension": STRING, "validateTopologyExtension": STRING, **_SETTINGS},
    pointer=True,
    moved={
        "generateExtension": "generatePatchesExtension",
        "validateExtension": "validateTopologyExtension",
    },
)
_EXTERNAL_V1BETA1 = Struct(
    "ExternalPatchDefinition",
    {"generateExtension": STRING, "validateExtension": STRING, **_SETTINGS},
    pointer=True,
    moved={
        "generatePatchesExtension": "generateExtension",
        "validateTopologyExtension": "validateExtension",
    },
)
PATCHES = patches(false=True)
PATCH = PATCHES.of
PATCH_SELECTOR = patch_definition(BOOL).fields["selector"]
STATUS = Struct("ClusterClassStatus", {}, open=True)
CLUSTER_CLASS = Struct(
    "ClusterClass",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "spec": Struct(
            "ClusterClassSpec",
            {
                "availabilityGates": AVAILABILITY_GATES,
                "infrastructure": Struct(
                    "InfrastructureClass",
                    {
                        "templateRef": TEMPLATE_REF,
                        "naming": Struct("InfrastructureClassNamingSpec", _NAMING),
                    },
                    moved={"ref": "templateRef"},
                ),
                "controlPlane": CONTROL_PLANE_CLASS,
                "workers": Struct(
                    "WorkersClass",
                    {
                        "machineDeployments": List(MACHINE_DEPLOYMENT_CLASS),
                        "machinePools": List(MACHINE_POOL_CLASS),
                    },
                ),
                "variables": List(
                    Struct(
                        "ClusterClassVariable",
                        {
                            "name": STRING,
                            "required": BOOL,
                            "deprecatedV1Beta1Metadata": VARIABLE_METADATA,
                            "schema": VARIABLE_SCHEMA,
                        },
                        moved={"metadata": "deprecatedV1Beta1Metadata"},
                    )
                ),
                "patches": PATCHES,
                "upgrade": Struct(
                    "ClusterClassUpgrade",
                    {
                        "external": Struct(
                            "ClusterClassUpgradeExternal", {"generateUpgradePlanExtension": STRING}
                        )
                    },
                ),
                "kubernetesVersions": STRINGS,
            },
            moved={"infrastructureNamingStrategy": "infrastructure.naming"},
        ),
        "status": STATUS,
    },
)
