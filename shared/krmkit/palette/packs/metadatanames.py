"""Names in pack.json that nobody reads: a typing error there switches a check off in silence.

Palette has more fields than krmkit knows, so that only a name is reported that is nearly a known one. Below `constraints`
all names are known.
"""

from __future__ import annotations

from krmkit.json.paths import join
from krmkit.krm.finding import WARNING, Finding
from krmkit.palette.packs.findings import METADATA, pack_finding
from krmkit.palette.packs.pack import LAYERS, Pack

_TOP = (
    *("name", "displayName", "version", "tag", "layer", "constraints", "cloudTypes", "annotations", "charts"),
    *(
        "addonType",
        "addonSubType",
        "group",
        "eol",
        "kubeManifests",
        "manifests",
        "ansibleRoles",
        "kubeConfig",
    ),
)
_CONSTRAINTS = ("dependencies", "resources")
_DEPENDENCY = ("packName", "layer", "minVersion", "maxVersion", "type")
_RESOURCE = ("type", "minLimit", "components")
_COMPONENT = ("resourceRequestParamRef", "replicaCountParamRef", "scheduleType")


def unknown_names(pack: Pack) -> list[Finding]:
    """Warnings about names in pack.json that are probably typing errors, and about a layer that does not exist."""
    found: list[Finding] = []

    def add(path: str, message: str, current: object = None) -> None:
        found.append(
            pack_finding(
                "unknown-name", message, (path,), pack.label, METADATA, path, current, severity=WARNING
            )
        )

    def names(data: object, known: tuple[str, ...], path: str) -> None:
        for name in data if isinstance(data, dict) else ():
            if name not in known:
                from krmkit.messages.nearest import did_you_mean

                add(join(path, name), f'pack.json has no field "{name}"{did_you_mean(name, known)}')

    for name in pack.metadata:
        if name in _TOP:
            continue
        from krmkit.messages.nearest import proposal

        near = proposal(name, _TOP)
        if near:
            add(name, f'pack.json has no field "{name}"{near}')
    if pack.layer and pack.layer not in LAYERS:
        from krmkit.messages.nearest import did_you_mean

        message = f'there is no layer "{pack.layer}"{did_you_mean(pack.layer, LAYERS)}'
        add("layer", message, pack.layer)
    names(pack.constraints, _CONSTRAINTS, "constraints")
    for number, entry in _entries(pack.constraint("dependencies")):
        names(entry, _DEPENDENCY, f"constraints.dependencies[{number}]")
    for number, entry in _entries(pack.constraint("resources")):
        path = f"constraints.resources[{number}]"
        names(entry, _RESOURCE, path)
        components = entry.get("components") if isinstance(entry, dict) else None
        for index, component in _entries(components):
            names(component, _COMPONENT, f"{path}.components[{index}]")
    return found


def _entries(value: object) -> list[tuple[int, object]]:
    return list(enumerate(value)) if isinstance(value, list) else []
