"""Record the causes of the fields of a Cluster's desired objects: topology, class, templates, then patches.

causes = ClusterCauses(cluster, owner, templates)
one = causes.object("controlPlane", ("controlPlane",), ("controlPlane",))
one.cloned(template)
one.topology(("spec", "replicas"), "replicas")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from krmkit.krm.cause import Cause, PathCauses, resource_cause
from krmkit.krm.fieldpath import Path
from krmkit.libraries.json import Object
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.api.roles import CLUSTER, DEPLOYMENT, HEALTH_CHECK, Role, WorkerKind

# (handler, request, cause of a variable for a uid) -> (the extension, what it set in each template)
VariableCause = Callable[[str, str], Cause]
ExtensionCauses = Callable[[str, Object, VariableCause], tuple[Cause, Mapping[str, PathCauses]]]

_TOPOLOGY: Path = ("spec", "topology")
_LABELS = (labels.CLUSTER_NAME, labels.OWNED)
_CLONED = (labels.CLONED_FROM_NAME, labels.CLONED_FROM_GROUP_KIND)
_NAMED: tuple[Path, ...] = (("metadata", "name"), ("metadata", "namespace"), ("metadata", "ownerReferences"))


class ClusterCauses:
    """The causes of all objects of one Cluster, by the object's role.

    templates: the items of the class's templates by the id of their data. extensions: gives the causes of
    values that extensions among the items set.
    """

    def __init__(
        self,
        cluster: CollectedObject,
        owner: CollectedObject,
        templates: Mapping[int, CollectedObject],
        extensions: ExtensionCauses | None = None,
    ) -> None:
        self.cluster = cluster
        self.owner = owner
        self._templates = templates
        self.extensions = extensions
        self.name = self.of_cluster("metadata", "name")
        self.objects: dict[Role, PathCauses] = {}
        self.entries: dict[
            tuple[WorkerKind, str], tuple[Path, Path]
        ] = {}  # of worker groups: in the topology, and in the class
        self._names: dict[Path, dict[str, Path]] = {}

    def object(self, role: Role, topology: Path = (), of_class: Path = ()) -> ObjectCauses:
        """Begin the object of a role.

        topology, of_class: its entries in spec.topology and the class's spec.
        """
        paths = self.objects[role] = PathCauses()
        return ObjectCauses(self, paths, topology, of_class)

    def cluster_object(self) -> None:
        """Record the Cluster as the controller writes it: with references to the objects it made."""
        one = self.object(CLUSTER)
        one.paths.set((), self.of_cluster(follows=True))
        one.from_cluster(("metadata", "labels"))
        for field, entry in (("infrastructureRef", "infrastructure"), ("controlPlaneRef", "controlPlane")):
            one.paths.set(("spec", field), self.of_class(entry, "templateRef", "name"))

    def worker(
        self, kind: WorkerKind, number: int, class_name: str, bootstrap: Object, infrastructure: Object
    ) -> ObjectCauses:
        """Begin the objects of the worker group at `number` of the topology; return the group's own causes.

        bootstrap, infrastructure: the templates of its class.
        """
        entry: Path = ("workers", kind.listing, number)
        name = str(self._entry(entry).get("name", ""))
        classes = self._named(("spec", "workers", kind.listing), self.owner, "class")
        of_class = classes.get(class_name, ())[1:-1]
        for part, template in ((kind.bootstrap, bootstrap), (kind.infrastructure, infrastructure)):
            one = self.object(Role(part, kind, name), entry, of_class)
            one.cloned(template, kind.templates)
            one.topology(("metadata", "labels", kind.label), "name")
        self.entries[kind, name] = entry, of_class
        return self.object(Role(kind.role, kind, name), entry, of_class)

    def worker_health_check(self, name: str) -> ObjectCauses:
        return self.object(Role(HEALTH_CHECK, DEPLOYMENT, name), *self.entries[DEPLOYMENT, name])

    def template(self, data: Object, *field: str) -> Cause:
        """Return the cause of a value copied from a template's field."""
        known = self._templates.get(id(data))
        name = f"{data.get('kind', '')}/{mapping(data, 'metadata').get('name', '')}"
        return Cause("template", name, known.resource if known is not None else None, field, follows=True)

    def of_cluster(self, *field: str | int, follows: bool = False) -> Cause:
        """Return the cause of a value from the Cluster, outside its topology."""
        resource = self.cluster.resource
        if resource is None:
            return Cause("resource", self.cluster.label.replace(" ", "/"))
        return resource_cause(resource, *field, follows=follows)

    def topology(self, *field: str | int, follows: bool = True) -> Cause:
        """Return the cause of a value from a field of the Cluster's topology."""
        return Cause("topology", dotted(field), self.cluster.resource, (*_TOPOLOGY, *field), follows=follows)

    def of_class(self, *field: str | int, follows: bool = True) -> Cause:
        """Return the cause of a value from a field of the class's spec."""
        return Cause("class", dotted(field), self.owner.resource, ("spec", *field), follows=follows)

    def variable(self, path: str, overrides: Path | None) -> Cause:
        """Return the cause of a variable's value: a group's override, else the Cluster, else the class.

        path: in the form of patches, `nodes[0].name`. overrides: the entry in spec.topology whose overrides
        count.
        """
        name = path.partition(".")[0].partition("[")[0]
        if name == "builtin":
            return self._builtin(path, overrides)
        places = [(*overrides, "variables", "overrides")] if overrides is not None else []
        for place in (*places, ("variables",)):
            listed = self._named((*_TOPOLOGY, *place), self.cluster)
            if name in listed:
                return Cause("variable", path, self.cluster.resource, listed[name])
        listed = self._named(("spec", "variables"), self.owner)
        if name in listed:
            return Cause("variable", path, self.owner.resource, listed[name])
        return Cause("variable", path)

    def _builtin(self, path: str, entry: Path | None) -> Cause:
        """Return the cause of a builtin variable: the Cluster's field that it shows, if any."""
        name = path.rpartition(".")[2]
        field: Path = ()
        if name == "version":
            field = (*_TOPOLOGY, name)
        elif name == "replicas" and entry is not None:
            field = (*_TOPOLOGY, *entry, name)
        elif path.startswith("builtin.cluster.") and name in ("name", "namespace", "uid"):
            field = ("metadata", name)
        return Cause("variable", path, self.cluster.resource if field else None, field)

    def _entry(self, path: Path) -> Object:
        found = _inside(self.cluster.data, (*_TOPOLOGY, *path))
        return found if isinstance(found, dict) else {}

    def _named(self, path: Path, holder: CollectedObject, key: str = "name") -> dict[str, Path]:
        """Return the paths of the entries of a list of {name, ...} by name."""
        known = self._names.get(path)
        if known is None:
            listed = _inside(holder.data, path)
            known = self._names[path] = {
                str(one[key]): (*path, number, key)
                for number, one in enumerate(listed if isinstance(listed, list) else [])
                if isinstance(one, dict) and key in one
            }
        return known


def _inside(value: Any, path: Path) -> Any:
    """Return the value at a path of keys and positions, or None."""
    for step in path:
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


class ObjectCauses:
    """Record the sources of one object's fields. Source fields are relative to the object's entries."""

    def __init__(self, everything: ClusterCauses, paths: PathCauses, topology: Path, of_class: Path) -> None:
        self._all = everything
        self.paths = paths
        self._topology = topology
        self._class = of_class

    def cloned(self, template: Object, whole: bool = False) -> None:
        """Record a clone of a whole template (`whole`), or of its spec.template."""
        everything = self._all
        self.paths.set((), everything.template(template, *(() if whole else ("spec", "template"))))
        if not whole:
            source = mapping(template, "spec", "template")
            own = [(name,) for name in ("apiVersion", "kind") if source.get(name) is None]
            if own:
                self.paths.each(own, everything.template(template, "kind"))
        self.named()
        marks = [("metadata", "annotations", name) for name in _CLONED]
        self.paths.each(marks, everything.template(template, "metadata", "name"))

    def named(self) -> None:
        """Record name, namespace, and the labels and owner that name the Cluster."""
        inner = ("metadata", "labels")
        self.paths.each((*_NAMED, *((*inner, name) for name in _LABELS)), self._all.name)

    def from_cluster(self, path: Path) -> None:
        """Record the labels at a path that name the Cluster."""
        self.paths.each([(*path, name) for name in _LABELS], self._all.name)

    def named_by_cluster(self, path: Path) -> None:
        """Record a field with the Cluster's name."""
        self.paths.set(path, self._all.name)

    def topology(self, path: Path, *field: str | int) -> None:
        """Record a path that a field of the object's topology entry sets."""
        self.paths.set(path, self._all.topology(*self._topology, *field))

    def version(self, path: Path) -> None:
        """Record a path that holds the topology's version."""
        self.paths.set(path, self._all.topology("version"))

    def of_class(self, path: Path, *field: str | int) -> None:
        """Record a path that a field of the object's class entry sets."""
        self.paths.set(path, self._all.of_class(*self._class, *field))

    def chosen(self, path: Path, topology: Object, of_class: Object, *field: str) -> None:
        """Record a path that the topology sets, else the class."""
        if _inside(topology, field) not in (None, ""):
            self.topology(path, *field)
        elif _inside(of_class, field) is not None:
            self.of_class(path, *field)

    def health_check(self, by_topology: bool, checks: Object) -> None:
        """Record a health check, which is the topology's or the class's as a whole."""
        entry = ("healthCheck",)
        for path in ((), ("spec", "checks"), ("spec", "remediation")):
            field = (*entry, *path[1:])
            if by_topology:
                self.topology(path, *field)
            else:
                self.of_class(path, *field)
        timeout = "nodeStartupTimeoutSeconds"
        if checks.get(timeout) is None:
            self.paths.set(("spec", "checks", timeout), Cause("default", timeout))
        self.named()
        self.named_by_cluster(("spec", "clusterName"))

    def metadata(self, path: Path, name: str, topology: Object, of_class: Object) -> None:
        """Record the labels or annotations (`name`) of the class, which the topology overrides."""
        for key in mapping(of_class, "metadata", name):
            self.of_class((*path, name, key), "metadata", name, key)
        for key in mapping(topology, "metadata", name):
            self.topology((*path, name, key), "metadata", name, key)
