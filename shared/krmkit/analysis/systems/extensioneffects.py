"""Describe a package's runtime extensions: handlers, the classes that call them, and the values they set.

extension_effects(items, places, effects)
# [{"name": "registries", "calls": [{"hook": "generatePatches",
#    "handler": "generate-patches-mirror.registries", ...}], "set": [...]}]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from krmkit.analysis.why.causes import ShownCause
from krmkit.analysis.why.trace import TracedResource
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.clusterapi.api.labels import GROUP

Data = dict[str, Any]
Effect = tuple[TracedResource, str, object, ShownCause]

_OWN = "krmkit.dev/"
_RUNTIME = "runtime.cluster.x-k8s.io/"
_KINDS = {"TopologyExtension": _OWN, "TopologyResponses": _OWN, "ExtensionConfig": _RUNTIME}
# The names of hooks: in a report, and in a class of v1beta2 and v1beta1.
_HOOKS = {
    "generatePatches": ("generatePatchesExtension", "generateExtension"),
    "validateTopology": ("validateTopologyExtension", "validateExtension"),
    "discoverVariables": ("discoverVariablesExtension",),
}


def extension_effects(
    items: Sequence[Resource], places: Mapping[int, str], effects: Iterable[Effect]
) -> list[Data]:
    """Return the extensions by the names that classes use. Raises Refused, YamlError.

    places: an item's place in a file, by id(). effects: the values that extensions set.
    """
    by_name: dict[str, Data] = {}

    def of(name: str) -> Data:
        return by_name.setdefault(name, {"name": name, "items": [], "handlers": [], "calls": [], "set": []})

    for item in items:
        kind = item.kind
        group = _KINDS.get(kind)
        if group and item.api_version.startswith(group):
            one = of(item.name)
            one["items"].append(_item(item, places))
            one["handlers"] += _handlers(item)
        elif kind == "ClusterClass" and item.api_version.startswith(f"{GROUP}/"):
            for call in _calls(item):
                of(call["handler"].partition(".")[2] or call["handler"])["calls"].append(call)
    # The handler and its patch are both causes; the patch, which comes later, is more specific.
    places_of = {(subject.name, field, cause.name): (value, cause.place) for subject, field, value, cause in effects}  # fmt: skip
    for (resource, field, handler), (value, place) in places_of.items():
        entry: Data = {"resource": resource, "field": field, "value": value, "handler": handler}
        if place:
            entry["place"] = place
        of(handler.partition(".")[2] or handler)["set"].append(entry)
    return [{name: value for name, value in one.items() if value} for one in by_name.values()]


def _item(item: Resource, places: Mapping[int, str]) -> Data:
    place = places.get(id(item), "")
    return {"kind": item.kind, "name": item.name, **({"place": place} if place else {})}


def _handlers(item: Resource) -> list[Data]:
    """Return the handlers of a TopologyExtension; other kinds declare none."""
    return [
        {
            "name": text(one.get("name")),
            "variables": [text(each.get("name")) for each in entries(one.get("variables"))],
            "patches": [text(each.get("name")) for each in entries(one.get("patches"))],
            "validations": len(entries(one.get("validations"))),
        }
        for one in entries(item.get("spec", "handlers"))
    ]


def _calls(item: Resource) -> list[Data]:
    """Return each call of a ClusterClass: hook, handler, and the calling patch."""
    label = f"{item.namespace or 'default'}/{item.name}"
    calls = []
    for patch in entries(item.get("spec", "patches")):
        external = mapping(patch, "external")
        for hook, fields in _HOOKS.items():
            handler = next((name for field in fields if (name := text(external.get(field)))), "")
            if handler:
                calls.append(
                    {"hook": hook, "handler": handler, "class": label, "patch": text(patch.get("name"))}
                )
    return calls
