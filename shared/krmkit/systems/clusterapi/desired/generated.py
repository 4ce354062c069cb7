"""Write rendered topologies into a package: add objects, change them in place, remove stale ones."""

from __future__ import annotations

from collections.abc import Collection

from krmkit.krm import annotations as names
from krmkit.krm.cause import PathCauses
from krmkit.krm.finding import Finding
from krmkit.krm.refusals import refusal
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.yaml import emit
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.api.roles import CLUSTER
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import created_errors
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck

Identity = tuple[str, str, str, str]

FOLDER = "topology"
OWNER = "Cluster"
_METADATA = ("name", "namespace", "uid", "labels")


class GeneratedItems:
    """The generated objects of a package, before and after.

    `add` takes the objects of one Cluster and keeps only their texts, so that a thousand Clusters fit into
    memory; `commit` changes the items after all renders succeeded. `clashes`: objects whose kind and name
    another object has already.
    """

    def __init__(self, resources: ResourceList, apply: bool, write_references: bool) -> None:
        self._resources = resources
        self._apply = apply
        self._references = write_references
        self._known: dict[Identity, Resource] = {}
        self._kept: set[int] = set()
        self._pending: list[tuple[Resource | None, str, str, PathCauses | None]] = []
        self._written: set[Identity] = set()
        self.clashes: list[tuple[CollectedObject, str, str]] = []
        self.owners: set[str] = set()
        self.counts = {"added": 0, "changed": 0, "unchanged": 0, "removed": 0}
        for item in resources:
            if item.annotation(names.GENERATED_BY).startswith(OWNER + "/"):
                self._known[(item.api_version, item.kind, item.namespace, item.name)] = item

    def add(self, rendered: RenderedCluster) -> None:
        """Add the objects of one Cluster."""
        owner = owner_of(rendered)
        self.owners.add(owner)
        for role, data in rendered.state.objects():
            if role != CLUSTER or self._references:
                causes = rendered.causes.objects.get(role) if rendered.causes is not None else None
                self._add(rendered, owner, data, causes)

    def _add(self, rendered: RenderedCluster, owner: str, data: Object, causes: PathCauses | None) -> None:
        metadata = data["metadata"]
        name, namespace = str(metadata["name"]), str(metadata["namespace"])
        kind = str(data["kind"])
        identity = (str(data["apiVersion"]), kind, namespace, name)
        if identity in self._written:
            self.clashes.append((rendered.item, kind, name))
            return
        self._written.add(identity)
        parts = (namespace, rendered.item.name, f"{kind.lower()}-{name}.yaml")
        path = "/".join((FOLDER, *map(path_part, parts)))
        marks = {names.GENERATED_BY: owner}
        if not self._apply:
            marks[names.LOCAL_CONFIG] = "true"
        known = self._known.get(identity)
        place = {names.INDEX: "0", names.PATH: path}
        if known is None:
            self._pending.append((None, text_of(data, {**marks, **place}), f"{kind} {name}", causes))
            self.counts["added"] += 1
            return
        self._kept.add(id(known))
        there = known.get()
        # An item with a path keeps the annotations of orchestrators as they are.
        stored = find(there, ("metadata", "annotations"), {})
        own = {key: value for key, value in stored.items() if key in _PLACES}
        wanted = {**marks, **(own if known.path else place)}
        if there == _ordered(data, wanted):
            self.counts["unchanged"] += 1
            self._record(known, causes)
            return
        self._pending.append((known, text_of(data, wanted), "", causes))
        self.counts["changed"] += 1

    def _record(self, resource: Resource, causes: PathCauses | None) -> None:
        if causes is not None and self._resources.causes is not None:
            self._resources.causes.put(resource, causes)

    def commit(self, everything: bool) -> None:
        """Write the added objects, and remove objects of an earlier run that their Clusters no longer have.

        everything: `add` got all Clusters of the package, so objects of other Clusters are removed too.
        """
        for known, text, label, causes in self._pending:
            if known is None:
                resource = Resource(text, label=label)
                resource.changed = True
                self._resources.add(resource)
                self._record(resource, causes)
                continue
            self._record(known, causes)
            pad = " " * known.column
            known.rewrite(text.replace("\n", "\n" + pad).removesuffix(pad) if pad else text)
        self._pending.clear()
        stale = [
            item
            for item in self._known.values()
            if id(item) not in self._kept
            and (everything or item.annotation(names.GENERATED_BY) in self.owners)
        ]
        self._resources.remove(*stale)
        self.counts["removed"] += len(stale)


def refused(
    check: ObjectCheck, rendered: RenderedCluster, known: Collection[str] = (), webhooks: bool = True
) -> list[Finding]:
    """Return an error for each value that the API refuses: the controller would be stuck.

    known: `essence` and `tail` of a template's errors, which are not repeated. webhooks: also errors of a new
    control plane.
    """
    found = []
    for role, data in rendered.state.objects():
        if role == CLUSTER:
            continue
        errors = check.made(data)
        errors = [one for one in errors if not {essence(one), tail(one.field)}.intersection(known)]
        errors += created_errors(data) if webhooks else []
        made = f"the {data.get('kind', '')} of {role}"
        found += [refusal(error, rendered.item.resource, made) for error in errors]
    return found


def tail(path: str) -> str:
    """Return the part of a field's path below the spec of an object or template."""
    return path.removeprefix("spec.template.").removeprefix("spec.")


def essence(error: FieldError) -> str:
    """Return the part of an error that is equal for a template and for an object made of it."""
    end = tail(error.field)
    return f"{end}: {error.body().replace(error.field, end)}"


def clash(kind: str, name: str) -> str:
    """Return the message about two objects with the same kind and name."""
    return f"two objects of kind {kind} would have the name {name}; a naming template needs {{{{ .random }}}} or the topology's name"


def name_clashes(state: ClusterState) -> list[str]:
    """Return a message for each name that several objects of a kind share."""
    seen: set[tuple[str, str]] = set()
    found: dict[str, None] = {}
    for role, data in state.objects():
        place = (str(data.get("kind", "")), str(find(data, ("metadata", "name"), "")))
        if role != CLUSTER and data:
            if place in seen:
                found[clash(*place)] = None
            seen.add(place)
    return list(found)


_PLACES = (names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX, names.PACKAGE_PATH)


def path_part(text: str) -> str:
    """Escape a name for use in a path, so that it stays in its folder. `path_part("../x")` is "..~x"."""
    part = text.replace("/", "~").replace("\\", "~")
    return f"~{part}" if part in (".", "..") else part


def owner_of(rendered: RenderedCluster) -> str:
    """Return the mark of the objects of a Cluster: `Cluster/<namespace>/<name>`."""
    return f"{OWNER}/{rendered.item.namespace}/{rendered.item.name}"


def _ordered(data: Object, annotations: dict[str, str]) -> Object:
    """Put the keys of an object in the usual order, and add annotations."""
    metadata = data["metadata"]
    ordered = {key: metadata[key] for key in _METADATA if key in metadata}
    ordered["annotations"] = {**mapping(metadata, "annotations"), **annotations}
    ordered.update((key, value) for key, value in metadata.items() if key not in ordered)
    result = {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": ordered}
    result.update((key, value) for key, value in data.items() if key not in result)
    return result


def text_of(data: Object, annotations: dict[str, str]) -> str:
    return emit.document(_ordered(data, annotations))


def summary(counts: dict[str, int], clusters: int) -> Finding:
    """Return the counts of objects and Clusters as a sentence."""
    total = counts["added"] + counts["changed"] + counts["unchanged"]
    message = (
        f"{total} objects of {clusters} Cluster{'' if clusters == 1 else 's'}: {counts['added']} new,"
        f" {counts['changed']} changed, {counts['unchanged']} unchanged, {counts['removed']} removed"
    )
    return Finding("rendered", message)
