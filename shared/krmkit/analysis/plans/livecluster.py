"""Read running Clusters by `kubectl get` with its own credentials; only the objects that a plan compares.

For each namespace: its Clusters, their ClusterClasses, the templates in these, and the objects with the
Clusters' labels. Templates, and objects made from them, are read in the version that the ClusterClass of the
package names.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.json.text import JsonError, parse
from krmkit.libraries.kube.names import is_dns1123_label, is_dns1123_subdomain
from krmkit.libraries.process.program import ChildError, run_bounded, words
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.surrogates import joined
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject, Key
from krmkit.systems.clusterapi.api.labels import API_VERSION, CLUSTER_NAME, GROUP, OWNED, group_of, version_of
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.plan.edits import references
from krmkit.systems.clusterapi.webhooks.cluster import class_key

Kind = tuple[str, str]  # group, kind

_MOST_NAMES = 200  # in one call
_TIMEOUT = "60s"  # of a request
_PATIENCE = 120.0  # seconds that a call of kubectl may take, including its login
_LARGEST = 128 << 20  # bytes of an answer
_TYPE = r"[A-Za-z][A-Za-z0-9]*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_CORE_KINDS = ("MachineDeployment", "MachinePool", "MachineHealthCheck")
_MACHINES = ("MachineSet", "Machine")
_INVENTORY = ("metadata", "annotations", "config.k8s.io/owning-inventory")
_MANAGED_BY_APPLY = "Apply"


class Kubectl:
    """`kubectl get` in one context. Raises Refused if there is no kubectl."""

    def __init__(self, context: str = "") -> None:
        program = shutil.which("kubectl")
        if program is None:
            raise Refused(
                "--live needs kubectl, which is not on the PATH; install it, or export the objects and name the folder with --against"
            )
        self._begin = [
            program,
            *([f"--context={context}"] if context else []),
            f"--request-timeout={_TIMEOUT}",
        ]
        self.calls = 0

    def get(self, what: str, namespace: str, *names: str, selector: str = "") -> list[Object]:
        """Return a namespace's objects of a type, such as `clusters.cluster.x-k8s.io`. Raises Refused.

        Type, namespace and names come from packages: kubectl must not read one as an option.
        """
        check_names(check_type(what), namespace, names)
        options = [
            *self._begin,
            "get",
            f"--namespace={namespace}",
            "--output=json",
            "--show-managed-fields",
            "--ignore-not-found",
            *([f"--selector={selector}"] if selector else []),
        ]
        self.calls += 1
        output = self._run(f"kubectl get {what} -n {namespace}", words(options, (what, *names)))
        if not output.strip():
            return []
        try:
            answer = parse(joined(output.decode("utf-8", "replace")))
        except (JsonError, YamlError) as error:
            raise Refused(f"kubectl get {what} -n {namespace}: the answer must be JSON: {error}") from None
        items = answer.get("items") if isinstance(answer, dict) and answer.get("kind") == "List" else [answer]
        if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
            raise Refused(
                f"kubectl get {what} -n {namespace}: the answer must be an object or a List of them"
            )
        return [_slim(one) for one in items]

    def _run(self, shown: str, command: list[str]) -> bytes:
        """Return stdout. Stop a kubectl plugin that waits for input, which would block the plan for ever."""
        try:
            output, errors, code = run_bounded(command, seconds=_PATIENCE, most=_LARGEST)
        except OSError as error:
            raise Refused(f"kubectl cannot be run: {error.strerror}") from None
        except ChildError as error:
            login = "; if it waits for a login, run `kubectl get namespaces` first"
            raise Refused(f"{shown} {error}{login if error.late else ''}") from None
        if code:
            said = errors.strip().splitlines() or ["it says nothing"]
            raise Refused(f"{shown} failed: {said[-1]}")
        return output


def check_type(what: str) -> str:
    """Return `what`. Raises Refused if kubectl would read it as anything but types separated by commas."""
    if not all(re.fullmatch(_TYPE, one) for one in what.split(",")):
        raise Refused(f'a type must be KIND.VERSION.GROUP with a kind of letters and digits, got "{what}"')
    return what


def check_names(what: str, namespace: str, names: Iterable[str]) -> None:
    """Raise Refused for names that no object of a cluster can have."""
    if is_dns1123_label(namespace):
        raise Refused(f'{what}: the namespace must be a DNS label such as default, got "{namespace}"')
    for name in names:
        if is_dns1123_subdomain(name):
            raise Refused(
                f'{what} in namespace {namespace}: a name must be a DNS name such as quick-start, got "{name}"'
            )


def _slim(item: Object) -> Object:
    """Drop an object's managed fields, which are half of its size and unused."""
    metadata = mapping(item, "metadata")
    managed = metadata.get("managedFields")
    if not isinstance(managed, list):
        return item
    kept = [one for one in managed if isinstance(one, dict) and one.get("operation") == _MANAGED_BY_APPLY]
    return {**item, "metadata": {**metadata, "managedFields": kept}}


def read_live(
    new: Collected, keys: Iterable[Key], kubectl: Kubectl, inventory: str = ""
) -> tuple[Collected, list[str]]:
    """Return the running objects of the Clusters of a package (namespace, name), and warnings.

    inventory: the id of the package's kpt inventory, to which its running Clusters belong, "" if it has none.
    A warning names each Cluster that uses a class of the package and is not part of it. Raises Refused.
    """
    return _Reader(new, kubectl, inventory).read(sorted(set(keys)))


class _Reader:
    def __init__(self, new: Collected, kubectl: Kubectl, inventory: str) -> None:
        self._inventory = inventory
        self._new = new
        self._kubectl = kubectl
        self._found = Collected()
        self._versions: dict[Kind, str] = {}
        for item in new.classes.values():
            self._learn_versions(decode_cluster_class(item.data)[0])

    def _learn_versions(self, cluster_class: Object) -> None:
        for reference in references(cluster_class):
            group = group_of(str(reference.get("apiVersion", "")))
            kind, version = str(reference.get("kind", "")), version_of(str(reference.get("apiVersion", "")))
            for one in (kind, kind.removesuffix("Template")):
                self._versions.setdefault((group, one), version)

    def read(self, keys: list[Key]) -> tuple[Collected, list[str]]:
        warnings: list[str] = []
        there = {item.key for item in self._new.clusters}
        namespaces: dict[str, set[str]] = {}
        for namespace, name in keys:
            namespaces.setdefault(namespace, set()).add(name)
        self._check_package(keys)
        classes: dict[str, set[str]] = {}
        for namespace, names in namespaces.items():
            for item in self._kubectl.get(f"clusters.{GROUP}", namespace):
                cluster = decode_cluster(item)[0]
                name = str(find(cluster, ("metadata", "name"), ""))
                if not find(cluster, ("spec", "topology")):
                    continue
                owner = class_key(cluster)
                if name in names or (self._inventory and self._inventory == find(cluster, _INVENTORY)):
                    self._found.clusters.append(CollectedObject(data=item))
                    if owner[1]:
                        classes.setdefault(owner[0], set()).add(owner[1])
                elif owner in self._new.classes and (namespace, name) not in there:
                    warnings.append(
                        f"Cluster {namespace}/{name} uses ClusterClass {'/'.join(owner)} too and is not in the package, so"
                        " the plan leaves it out; if it was removed from the package, --cluster NAME shows its removal"
                    )
        # A class that so far only the package uses may exist in the cluster, with templates to compare.
        for namespace, name in self._new.classes:
            classes.setdefault(namespace, set()).add(name)
        for namespace, names in classes.items():
            self._read_classes(namespace, sorted(names))
        for namespace in namespaces:
            clusters = [item for item in self._found.clusters if item.namespace == namespace]
            for start in range(0, len(clusters), _MOST_NAMES):
                self._read_owned(namespace, clusters[start : start + _MOST_NAMES])
        return self._found, warnings

    def _check_package(self, keys: list[Key]) -> None:
        """Raise Refused for an invalid name or kind in the package, before kubectl is called."""
        for namespace, name in keys:
            check_names("Cluster", namespace, [name])
        for (namespace, name), item in self._new.classes.items():
            check_names("ClusterClass", namespace, [name])
            wanted: dict[Kind, set[str]] = {}
            _add_references(wanted, decode_cluster_class(item.data)[0])
            for kind, names in wanted.items():
                check_names(check_type(self._type(*kind)), namespace, names)

    def _read_classes(self, namespace: str, names: list[str]) -> None:
        wanted: dict[tuple[str, str], set[str]] = {}
        for data in self._kubectl.get(f"clusterclasses.{GROUP}", namespace, *names):
            collected = CollectedObject(data=data)
            self._found.classes.setdefault(collected.key, collected)
            decoded = decode_cluster_class(data)[0]
            self._learn_versions(decoded)
            _add_references(wanted, decoded)
        for key, item in self._new.classes.items():
            if key[0] == namespace:
                _add_references(wanted, decode_cluster_class(item.data)[0])
        for (group, kind), templates in wanted.items():
            self._add(self._kubectl.get(self._type(group, kind), namespace, *sorted(templates)))

    def _read_owned(self, namespace: str, clusters: list[CollectedObject]) -> None:
        names = ",".join(sorted(item.name for item in clusters))
        of_clusters = f"{CLUSTER_NAME} in ({names})"
        owned = f"{OWNED},{of_clusters}"
        core = ",".join(f"{kind}.{version_of(API_VERSION)}.{GROUP}" for kind in _CORE_KINDS)
        groups = self._kubectl.get(core, namespace, selector=owned)
        machines = ",".join(f"{kind}.{version_of(API_VERSION)}.{GROUP}" for kind in _MACHINES)
        self._add(groups)
        self._add(self._kubectl.get(machines, namespace, selector=of_clusters))
        kinds: dict[Kind, None] = {}
        for item in clusters:
            kinds.update(_kinds(item.data, ("spec", "infrastructureRef"), ("spec", "controlPlaneRef")))
        inner = ("spec", "template", "spec")
        for group in groups:
            kinds.update(_kinds(group, (*inner, "bootstrap", "configRef"), (*inner, "infrastructureRef")))
        # Control planes are read first: they name the kind of their machines' template.
        planes = dict(_planes(clusters))
        for kind in planes:
            objects = self._kubectl.get(self._type(*kind), namespace, selector=owned)
            self._add(objects)
            place = ("spec", "machineTemplate")
            for plane in objects:
                kinds.update(
                    _kinds(plane, (*place, "spec", "infrastructureRef"), (*place, "infrastructureRef"))
                )
        for kind in kinds:
            if kind not in planes:
                self._add(self._kubectl.get(self._type(*kind), namespace, selector=owned))

    def _type(self, group: str, kind: str) -> str:
        version = self._versions.get((group, kind), "")
        return ".".join(part for part in (kind, version, group) if part)

    def _add(self, items: Iterable[Object]) -> None:
        for data in items:
            item = CollectedObject(data=data)
            self._found.others.setdefault((item.group, item.kind, *item.key), item)


def _add_references(wanted: dict[tuple[str, str], set[str]], cluster_class: Object) -> None:
    for reference in references(cluster_class):
        if reference:
            kind = (group_of(str(reference.get("apiVersion", ""))), str(reference.get("kind", "")))
            wanted.setdefault(kind, set()).add(str(reference.get("name", "")))


def _planes(clusters: Iterable[CollectedObject]) -> Iterator[tuple[Kind, None]]:
    for item in clusters:
        yield from _kinds(item.data, ("spec", "controlPlaneRef")).items()


def _kinds(item: Object, *paths: tuple[str, ...]) -> dict[Kind, None]:
    """Return group and kind of the references at paths of an object."""
    kinds: dict[Kind, None] = {}
    for path in paths:
        reference = mapping(item, *path)
        group = reference.get("apiGroup") or group_of(str(reference.get("apiVersion", "")))
        if reference.get("kind"):
            kinds[str(group), str(reference["kind"])] = None
    return kinds
