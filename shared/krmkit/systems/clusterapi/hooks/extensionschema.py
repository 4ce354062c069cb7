"""The schema of TopologyExtension: a runtime extension that is written as data.

apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: registries}
spec:
  handlers:
  - name: mirror
    variables:
    - {name: mirror, required: false, schema: {openAPIV3Schema: {type: string}}}
    patches:
    - name: mirror
      enabledIf: "{{ if .mirror }}true{{ end }}"
      definitions:
      - selector:
          apiVersion: [infrastructure.cluster.x-k8s.io/v1beta1, infrastructure.cluster.x-k8s.io/v1beta2]
          kind: DockerClusterTemplate
          matchResources: {infrastructureCluster: true}
        jsonPatches:
        - {op: add, path: /spec/template/spec/mirror, valueFrom: {variable: mirror}}
    validations:
    - {rule: "!has(self.spec.template.spec.insecure)", message: insecure mirrors are not allowed}
"""

from __future__ import annotations

from typing import Any

KIND = "TopologyExtension"
API_VERSION = "krmkit.dev/v1alpha1"
# On an ExtensionConfig: the TopologyExtension that answers. On a TopologyExtension: the ExtensionConfig it
# represents.
EXTENSION = "krmkit.dev/extension"

_TEXT = {"type": "string"}
_NAME = {"type": "string", "minLength": 1}
_ANY: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}
_FLAG = {"type": "boolean"}


def _list(of: dict[str, Any], description: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": of}
    return {**found, "description": description} if description else found


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": properties}
    return {**found, "required": list(required)} if required else found


_NAMES = _object({"names": {**_list(_NAME), "minItems": 1}}, "names")
_SELECTOR = _object(
    {
        "apiVersion": {
            "description": "The apiVersion of templates, or a list of them.",
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "kind": _NAME,
        "matchResources": _object(
            {
                "controlPlane": _FLAG,
                "infrastructureCluster": _FLAG,
                "machineDeploymentClass": _NAMES,
                "machinePoolClass": _NAMES,
            }
        ),
    },
    "apiVersion",
    "kind",
)
_VALUE = {"value": _ANY, "valueFrom": _object({"variable": _TEXT, "template": _TEXT})}
_DEFINITION = _object(
    {
        "selector": _SELECTOR,
        "jsonPatches": _list(
            _object({"op": {"type": "string", "enum": ["add", "replace", "remove"]}, "path": _NAME, **_VALUE}, "op", "path"),
            "RFC 6902 operations, as in a ClusterClass.",
        ),
        "jsonMergePatch": {**_object(_VALUE), "description": "An RFC 7386 patch of the template, after jsonPatches."},
    },
    "selector",
)  # fmt: skip
_PATCH = _object(
    {"name": _NAME, "description": _TEXT, "enabledIf": _TEXT, "definitions": {**_list(_DEFINITION), "minItems": 1}},
    "name",
    "definitions",
)  # fmt: skip
_VARIABLE = _object(
    {
        "name": _NAME,
        "required": _FLAG,
        "deprecatedV1Beta1Metadata": _ANY,
        "schema": _object({"openAPIV3Schema": _ANY}, "openAPIV3Schema"),
    },
    "name",
    "schema",
)
_VALIDATION = _object(
    {"selector": _SELECTOR, "rule": _NAME, "message": _TEXT, "messageExpression": _TEXT}, "rule"
)
_HANDLER = _object(
    {
        "name": {**_NAME, "description": "Unique; handlers are offered as generate-patches-NAME, validate-topology-NAME, discover-variables-NAME."},
        "timeoutSeconds": {"type": "integer", "minimum": 1, "maximum": 30},
        "failurePolicy": {"type": "string", "enum": ["Fail", "Ignore"]},
        "variables": _list(_VARIABLE, "Definitions as in a ClusterClass v1beta2, for DiscoverVariables."),
        "patches": _list(_PATCH, "Patches as in a ClusterClass, applied one after the other, for GeneratePatches."),
        "validations": _list(_VALIDATION, "CEL rules over self, variables, builtin and settings, for ValidateTopology."),
        "settings": {
            **_object({"schema": _object({"openAPIV3Schema": _ANY}, "openAPIV3Schema"), "defaults": {"type": "object", "additionalProperties": _TEXT}}),
            "description": "The schema and the defaults of the settings that requests may have.",
        },
        "sensitive": _list(_NAME, "Variables whose values no answer holds."),
    },
    "name",
)  # fmt: skip
SPEC = _object({"handlers": {**_list(_HANDLER), "minItems": 1}}, "handlers")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A runtime extension of Cluster API that is written as data.",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": [API_VERSION]},
        "kind": {"type": "string", "enum": [KIND]},
        "metadata": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": _NAME},
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "spec": SPEC,
    },
}
