"""JSON Schemas of a pack's files: `krmkit schema pack.json` prints them for editors, and the check of names reads theirs.

pack.json may hold more than Palette documents; where an object is closed (`additionalProperties: false`) all its names are known.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

LAYERS = ("os", "k8s", "cni", "csi", "addon", "kernel")
DEPENDENCY_TYPES = ("required", "optional", "notSupported", "upgrade")
RESOURCE_TYPES = ("cpu", "memory", "diskSize")
SCHEDULES = ("control-plane", "master", "worker", "all")

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _closed(description: str, properties: dict[str, Schema], *required: str) -> Schema:
    made: Schema = {"type": "object", "description": description, "properties": properties}
    if required:
        made["required"] = list(required)
    return {**made, "additionalProperties": False}


_COMPONENT = _closed(
    "What one component asks for.",
    {
        "resourceRequestParamRef": _text("The key path of the request in values.yaml."),
        "replicaCountParamRef": _text("The key path of the number of replicas in values.yaml; 1 without it."),
        "scheduleType": _text("Which machine pools it runs on.", enum=list(SCHEDULES)),
    },
    "resourceRequestParamRef",
    "scheduleType",
)
_RESOURCE = _closed(
    "What the pack asks of machine pools.",
    {
        "type": _text("The resource.", enum=list(RESOURCE_TYPES)),
        "minLimit": {
            "type": ["number", "string"],
            "description": "The least: cpu in m, memory in Mi, diskSize in GB. Not counted where there are components.",
        },
        "components": {
            "type": "array",
            "items": _COMPONENT,
            "description": "Requests that are read from the values.",
        },
    },
    "type",
)
_DEPENDENCY = _closed(
    "A pack that must be in the profile, or must not.",
    {
        "packName": _text("The name of the other pack."),
        "layer": _text("Its layer.", enum=list(LAYERS)),
        "minVersion": _text("The least version, included."),
        "maxVersion": _text("The greatest version, included."),
        "type": _text(
            "required, optional, notSupported, or upgrade (versions to which this pack may be moved).",
            enum=list(DEPENDENCY_TYPES),
        ),
    },
    "packName",
)
PACK_JSON: Schema = {
    "$schema": _DRAFT,
    "title": "pack.json",
    "description": "A pack of Palette: what it is, and what it asks of others.",
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": _text("The name of the pack."),
        "displayName": _text("The name that people see."),
        "version": _text("The version of the pack, as in 1.32.1."),
        "tag": _text("The version, where version is absent."),
        "layer": _text("Where the pack belongs in a profile.", enum=list(LAYERS)),
        "cloudTypes": _texts("The clouds that it is for; all is every one."),
        "annotations": {"type": "object", "description": "Texts for programs and people."},
        "charts": _texts("Paths of Helm charts."),
        "addonType": _text("What kind of add-on it is."),
        "addonSubType": _text("A kind below addonType."),
        "group": _text("Packs of one group belong together."),
        "eol": _text("The day from which it is not maintained."),
        "kubeManifests": _texts("Paths of manifests."),
        "manifests": {"type": "array", "description": "Manifests."},
        "ansibleRoles": _texts("Roles of Ansible."),
        "kubeConfig": {"description": "How the cluster is reached."},
        "constraints": _closed(
            "What validate-pack-constraints checks.",
            {
                "dependencies": {"type": "array", "items": _DEPENDENCY, "description": "Other packs."},
                "resources": {"type": "array", "items": _RESOURCE, "description": "Machine pools."},
            },
        ),
    },
}
_PRESET = _closed(
    "One preset.",
    {
        "name": _text("Its name, which occurs once.", minLength=1),
        "displayName": _text("The name that people see."),
        "group": _text("Of presets of one group only one is selected."),
        "remove": _texts("Key paths that are removed from the values."),
        "add": {"type": ["string", "object"], "description": "YAML that is merged into the values."},
    },
    "name",
)
PRESETS_YAML: Schema = {
    "$schema": _DRAFT,
    "title": "presets.yaml",
    **_closed(
        "Named sets of values of a pack.",
        {"presets": {"type": ["array", "null"], "items": _PRESET, "description": "The presets."}},
    ),
}
SCHEMA_YAML: Schema = {
    "$schema": _DRAFT,
    "title": "schema.yaml",
    "description": "Constraints of a pack's values: key paths, as in charts.web.replicas or list.$[].name, each with a template.",
    "type": ["object", "null"],
    "additionalProperties": {
        "type": "object",
        "required": ["schema"],
        "properties": {
            "schema": _text(
                'Clauses between {{ and }}, as in {{ required | format "${number:[1-9]}" | hints "how many" }}.'
            )
        },
    },
}
PACK_FILES = {"pack.json": PACK_JSON, "presets.yaml": PRESETS_YAML, "schema.yaml": SCHEMA_YAML}
