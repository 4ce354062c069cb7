"""The templates that a ClusterClass refers to, each at the version that the class names."""

from __future__ import annotations

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import group_of
from krmkit.systems.clusterapi.api.objectversion import how_to_export, in_version
from krmkit.systems.clusterapi.desired.current import is_text_map


class ClassTemplates:
    """The templates of one class: (templateRef, field) -> data. `found`: their items by the data's id."""

    def __init__(self, collected: Collected, owner: CollectedObject) -> None:
        self.found: dict[int, CollectedObject] = {}
        self._collected = collected
        self._owner = owner

    def __call__(self, reference: Object, where: str) -> Object:
        kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
        group = group_of(str(reference.get("apiVersion", "")))
        template = self._collected.find(group, kind, self._owner.namespace, name)
        if template is None:
            place = (group, kind, self._owner.namespace)
            hint = did_you_mean(name, [key[3] for key in self._collected.others if key[:3] == place])
            raise TopologyError(
                f"{where} must name a template among the items, got {kind}.{group} {quote(name)} in namespace"
                f" {self._owner.namespace}" + hint
            ).at(where)
        problem = _misshapen(template.data)
        if problem:
            raise TopologyError(f"{where} names {template.label}, whose {problem}").at(where)
        version = str(reference.get("apiVersion", ""))
        # The controller reads a template at the version that the class names, which patches select.
        data = in_version(template.data, version)
        if data is None:
            raise TopologyError(
                f"{where}.apiVersion is {version}, and {template.label} is in {template.api_version}: no conversion between the two is"
                f" known; name the same version in both, or export it with:"
                f" {how_to_export(version, kind, self._owner.namespace, name)}"
            )
        self.found[id(data)] = template
        return data


def _misshapen(template: Object) -> str:
    """Return a message about the first part of a template with a wrong type, or ""."""
    for path in (("metadata",), ("spec",), ("spec", "template"), ("spec", "template", "metadata")):
        holder = mapping(template, *path[:-1])
        if path[-1] in holder and not isinstance(holder[path[-1]], dict):
            return f"{'.'.join(path)} must be a map"
        if path[-1] == "metadata":
            for part in ("labels", "annotations"):
                texts = mapping(holder, "metadata").get(part)
                if texts is not None and not is_text_map(texts):
                    return f"{'.'.join(path)}.{part} must be a map of strings"
    return ""
