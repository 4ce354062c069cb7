"""Rendered topologies as items of a package: added, changed in place, removed when stale."""

from __future__ import annotations

from krmkit.krm import annotations as names
from krmkit.krm.finding import INFO, Finding
from krmkit.krm.resource import Resource, holding
from krmkit.yaml import emit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from krmkit.clusterapi.topology import Rendered
    from krmkit.krm.resourcelist import ResourceList

    Object = dict[str, Any]
    Identity = tuple[str, str, str, str]

FOLDER = "topology"
OWNER = "Cluster"
_METADATA = ("name", "namespace", "uid", "labels")


class Generated:
    """The generated objects of a package, before and after.

    Generated(resources).write(rendered, apply=False, write_references=False) changes the items.
    """

    __slots__ = ("_kept", "_known", "_resources", "counts")

    def __init__(self, resources: ResourceList) -> None:
        self._resources = resources
        self._known: dict[Identity, Resource] = {}
        self._kept: set[int] = set()
        self.counts = {"added": 0, "changed": 0, "unchanged": 0, "removed": 0}
        for _, item in holding(resources, names.GENERATED_BY):
            if item.annotation(names.GENERATED_BY).startswith(OWNER + "/"):
                self._known[(item.api_version, item.kind, item.namespace, item.name)] = item

    def write(self, rendered: Iterable[Rendered], apply: bool, write_references: bool) -> None:
        """Write the objects of Clusters, and remove what an earlier run made of them and is no longer part."""
        owners = set()
        for one in rendered:
            owner = owner_of(one)
            owners.add(owner)
            for role, data in one.state.objects():
                if role != "cluster" or write_references:
                    self._write(one, owner, data, apply)
        self._remove(owners)

    def remove_orphans(self, existing: Iterable[str]) -> None:
        """Remove what was made of Clusters that are gone. existing: the owners that are still there."""
        there = set(existing)
        self._remove({owner for owner in map(_owner, self._known.values()) if owner not in there})

    def _write(self, rendered: Rendered, owner: str, data: Object, apply: bool) -> None:
        metadata = data["metadata"]
        name, namespace = str(metadata["name"]), str(metadata["namespace"])
        kind = str(data["kind"])
        path = f"{FOLDER}/{namespace}/{rendered.item.name}/{kind.lower()}-{name}.yaml"
        marks = {names.GENERATED_BY: owner}
        if not apply:
            marks[names.LOCAL_CONFIG] = "true"
        known = self._known.get((str(data["apiVersion"]), kind, namespace, name))
        place = {names.INDEX: "0", names.PATH: path}
        if known is None:
            text = text_of(data, {**marks, **place})
            resource = Resource(text, label=f"{kind} {name}")
            resource.changed = True
            self._resources.add(resource)
            self.counts["added"] += 1
            return
        self._kept.add(id(known))
        # Where orchestrators say it lies stays as they said it.
        own = {key: value for key, value in known.annotations.items() if key in _PLACES}
        if known.get() == _ordered(data, {**marks, **(own or place)}):
            self.counts["unchanged"] += 1
            return
        pad = " " * known.column
        text = text_of(data, {**marks, **(own or place)})
        known.rewrite(text.replace("\n", "\n" + pad).removesuffix(pad) if pad else text)
        self.counts["changed"] += 1

    def _remove(self, owners: set[str]) -> None:
        stale = [
            item for item in self._known.values() if id(item) not in self._kept and _owner(item) in owners
        ]
        for item in stale:
            self._resources.remove(item)
            self._kept.add(id(item))
        self.counts["removed"] += len(stale)


_PLACES = (names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX, names.PACKAGE_PATH)


def owner_of(rendered: Rendered) -> str:
    """The mark of the objects of a Cluster: `Cluster/<namespace>/<name>`."""
    return f"{OWNER}/{rendered.item.namespace}/{rendered.item.name}"


def _owner(item: Resource) -> str:
    return item.annotation(names.GENERATED_BY)


def _ordered(data: Object, annotations: dict[str, str]) -> Object:
    """An object in the usual order of keys, with annotations added to its own."""
    metadata = data["metadata"]
    ordered = {key: metadata[key] for key in _METADATA if key in metadata}
    ordered["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    ordered.update((key, value) for key, value in metadata.items() if key not in ordered)
    result = {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": ordered}
    result.update((key, value) for key, value in data.items() if key not in result)
    return result


def text_of(data: Object, annotations: dict[str, str]) -> str:
    """The document of an object."""
    return emit.document(_ordered(data, annotations))


def summary(counts: dict[str, int], clusters: int) -> Finding:
    """How many objects there are of how many Clusters."""
    total = counts["added"] + counts["changed"] + counts["unchanged"]
    message = (
        f"{total} objects of {clusters} Cluster{'' if clusters == 1 else 's'}: {counts['added']} new,"
        f" {counts['changed']} changed, {counts['unchanged']} unchanged, {counts['removed']} removed"
    )
    return Finding("rendered", message, INFO)
