"""Index the objects of Cluster API among items: Clusters, ClusterClasses, templates, CRDs, earlier states.

The index is by kind, namespace and name. An item is parsed when its `data` is first read; of items that no
other refers to, only the kind is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.krm import annotations as names
from krmkit.krm.annotations import is_tool_key
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.objects import GROUP

Key = tuple[str, str]
Reference = tuple[str, str, str, str]

DEFAULT_NAMESPACE = "default"
CRD = "CustomResourceDefinition"


class CollectedObject:
    """One object: an item of the list (`resource`), or plain data from a config.

    `group`, `kind`, `namespace` and `name` identify it; an object without a namespace belongs to "default".
    """

    def __init__(self, resource: Resource | None = None, data: Object | None = None) -> None:
        self.resource = resource
        self._data: Object | None = None
        if resource is not None:
            # The given data, if any, replace the resource's own.
            self._data = data
            self.api_version = resource.api_version
            self.kind = resource.kind
            self.name = resource.name
            self.namespace = resource.namespace or DEFAULT_NAMESPACE
        else:
            self._data = without_tool_keys(data or {})
            metadata = self._data.get("metadata")
            metadata = metadata if isinstance(metadata, dict) else {}
            self.api_version = str(self._data.get("apiVersion") or "")
            self.kind = str(self._data.get("kind") or "")
            self.name = str(metadata.get("name") or "")
            self.namespace = str(metadata.get("namespace") or DEFAULT_NAMESPACE)

    @property
    def group(self) -> str:
        """Return the group of the apiVersion, "" for the core group."""
        group, slash, _ = self.api_version.partition("/")
        return group if slash else ""

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    @property
    def label(self) -> str:
        """Return `Cluster default/prod`, for messages."""
        return f"{self.kind} {self.namespace}/{self.name}"

    @property
    def is_generated(self) -> bool:
        """Return whether a render made the object. Such an object is current state, never input."""
        return self.resource is not None and bool(self.resource.annotation(names.GENERATED_BY))

    @property
    def data(self) -> Object:
        """Return the object without the keys of tools, parsed on first use."""
        if self._data is None:
            assert self.resource is not None
            data = self.resource.get()
            self._data = without_tool_keys(data if isinstance(data, dict) else {})
        return self._data


@dataclass(slots=True, eq=False)
class Collected:
    """Result of `collect`. `clusters` keep the order of the items; the others are looked up.

    `others` has the objects of all other kinds: templates, and objects that a topology made (the current
    state). `duplicates`: Clusters, classes and templates with the identity of an earlier item; they are
    ignored.
    """

    duplicates: list[CollectedObject] = field(default_factory=list)
    clusters: list[CollectedObject] = field(default_factory=list)
    classes: dict[Key, CollectedObject] = field(default_factory=dict)
    crds: list[CollectedObject] = field(default_factory=list)
    others: dict[Reference, CollectedObject] = field(default_factory=dict)
    previous_clusters: dict[Key, CollectedObject] = field(default_factory=dict)
    previous_classes: dict[Key, CollectedObject] = field(default_factory=dict)

    def find(self, group: str, kind: str, namespace: str, name: str) -> CollectedObject | None:
        """Return an object other than a Cluster or ClusterClass, whatever its version; None if absent."""
        return self.others.get((group, kind, namespace, name))


def collect(items: Iterable[Resource], previous: Iterable[Mapping[str, Any]] = ()) -> Collected:
    """Index the items, and the old states that the config lists (`previous`)."""
    collected = Collected()
    clusters: set[Key] = set()
    made: list[CollectedObject] = []
    for resource in items:
        item = CollectedObject(resource)
        if resource.annotation(names.PREVIOUS) == "true":
            _add_previous(collected, item)
        elif resource.annotation(names.GENERATED_BY):
            # Also a generated Cluster: generated objects are state, never input.
            made.append(item)
        elif item.group == GROUP and item.kind == "Cluster":
            if item.key in clusters:
                collected.duplicates.append(item)
            else:
                clusters.add(item.key)
                collected.clusters.append(item)
        elif item.group == GROUP and item.kind == "ClusterClass":
            if collected.classes.setdefault(item.key, item) is not item:
                collected.duplicates.append(item)
        elif item.kind == CRD:
            collected.crds.append(item)
        else:
            first = collected.others.setdefault((item.group, item.kind, *item.key), item)
            if first is not item and item.kind.endswith("Template"):
                collected.duplicates.append(item)
    # Last, in any order of the items: running objects win over those that an earlier run generated.
    for item in made:
        collected.others.setdefault((item.group, item.kind, *item.key), item)
    for data in previous:
        _add_previous(collected, CollectedObject(data=dict(data)))
    return collected


def _add_previous(found: Collected, item: CollectedObject) -> None:
    if item.group == GROUP and item.kind == "Cluster":
        found.previous_clusters[item.key] = item
    elif item.group == GROUP and item.kind == "ClusterClass":
        found.previous_classes[item.key] = item


def without_tool_keys(data: Object) -> Object:
    """Return the object without annotations and labels of tools; a map that becomes empty is removed."""
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return data
    changed: Object = {}
    for part in ("annotations", "labels"):
        values = metadata.get(part)
        if isinstance(values, dict) and any(is_tool_key(str(name)) for name in values):
            changed[part] = {name: value for name, value in values.items() if not is_tool_key(str(name))}
    if not changed:
        return data
    kept = {**metadata, **changed}
    for part, values in changed.items():
        if not values:
            del kept[part]
    return {**data, "metadata": kept}
