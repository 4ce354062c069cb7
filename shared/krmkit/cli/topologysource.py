"""The two packages that a plan compares: folders, exports of a cluster, or revisions of a git repository."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from krmkit.cli.arguments import say
from krmkit.cli.git.objects import Objects
from krmkit.cli.git.program import GitError, GitRepository
from krmkit.cli.resourcefiles import ResourceFileError, resources_below
from krmkit.clusterapi.apiobjects import V1BETA1
from krmkit.clusterapi.collect import Collected, CollectedObject, collect
from krmkit.clusterapi.topology import TopologyOptions
from krmkit.disk.journal import recover
from krmkit.disk.primitives import WriteError
from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.render.package import KPTFILE, SUFFIXES, PackageError, read
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONFIG_KIND = "RenderClusterTopology"


class PlanError(Exception):
    """The packages of a plan cannot be read."""


def read_items(folder: str) -> list[Resource]:
    """The resources of a kpt package, or of all YAML files below a folder; lists of `kubectl get` are opened.

    Raises PlanError.
    """
    try:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            package = read(folder)
            notes = package.notes
            items: list[Resource] = [item for one in package.walk() for item in one.items]
        else:
            notes = recover(folder)
            items = resources_below(folder)
        opened = [inner for item in items for inner in _opened(item)]
    except (PackageError, ResourceFileError, WriteError, ListError, YamlError) as error:
        raise PlanError(str(error)) from None
    for note in notes:
        say("topology plan", note)
    return opened


def collected(items: list[Resource]) -> Collected:
    """The items by what they are to a topology. Raises PlanError for one that cannot be read."""
    try:
        return collect(items)
    except (ListError, YamlError) as error:
        raise PlanError(str(error)) from None


def _opened(item: Resource) -> list[Resource]:
    """The members of a List, or the resource itself."""
    if item.kind != "List" or item.api_version != "v1":
        return [item]
    members = item.get("items")
    return (
        [Resource.from_data(one) for one in members if isinstance(one, dict)]
        if isinstance(members, list)
        else []
    )


def read_revision(folder: str, revision: str) -> list[Resource]:
    """The resources that a package held in a revision of its git repository. Raises PlanError."""
    try:
        repository = GitRepository.open(Path(folder))
        prefix = repository.run("rev-parse", "--show-prefix").decode("utf-8").strip().rstrip("/")
        with Objects(repository) as objects, TemporaryDirectory() as place:
            _, commit = objects.commit(revision)
            tree = objects.folder(commit.tree, prefix)
            if tree is None:
                return []
            for path, entry in objects.files(tree):
                target = Path(place, path)
                if not (path.endswith(SUFFIXES) or target.name in (KPTFILE, ".krmignore")):
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(objects.blob(entry.oid))
            return read_items(place)
    except GitError as error:
        raise PlanError(str(error)) from None


def read_both(folder: str, against: str) -> tuple[Collected, Collected, TopologyOptions]:
    """The package as it was, as it is, and the options of its RenderClusterTopology, if it holds one. Raises PlanError."""
    items = read_items(folder)
    old = read_items(against) if os.path.isdir(against) else read_revision(folder, against)
    return collected(old), collected(items), package_options(items)


def package_options(items: list[Resource]) -> TopologyOptions:
    for item in items:
        if item.kind == CONFIG_KIND:
            definition = load("render-cluster-topology").definition
            try:
                spec: Mapping[str, Any] = decode(definition, item).spec
            except ConfigError as error:
                raise PlanError(f"{item.path or item.label}: {error}") from None
            return TopologyOptions(
                [], spec["names"], spec["contracts"], spec["ownerReferences"], spec["featureGates"]
            )
    return TopologyOptions()


def rebase(collected: Collected, cluster: str, cluster_class: str) -> None:
    """Let a Cluster use another class. Raises PlanError where there is no such Cluster with a topology."""
    for number, item in enumerate(collected.clusters):
        if cluster not in (item.name, f"{item.namespace}/{item.name}"):
            continue
        data = item.data
        spec = data.get("spec") or {}
        topology = spec.get("topology")
        if not isinstance(topology, dict):
            break
        if item.api_version == V1BETA1:
            topology = {**topology, "class": cluster_class}
        else:
            topology = {**topology, "classRef": {**(topology.get("classRef") or {}), "name": cluster_class}}
        changed = {**data, "spec": {**spec, "topology": topology}}
        collected.clusters[number] = CollectedObject(item.resource, changed)
        return
    raise PlanError(f"--rebase {cluster}={cluster_class}: there is no Cluster {cluster} with spec.topology")


def extension_names(*packages: Collected) -> set[str]:
    """The ExtensionConfigs that the classes of packages name: `x` of `generatePatchesExtension: patch.x`."""
    found: set[str] = set()
    for package in packages:
        for item in (*package.classes.values(), *package.previous_classes.values()):
            spec = item.data.get("spec")
            spec = spec if isinstance(spec, dict) else {}
            patches = spec.get("patches")
            for holder in (*(patches if isinstance(patches, list) else ()), spec.get("upgrade")):
                external = holder.get("external") if isinstance(holder, dict) else None
                for field, handler in external.items() if isinstance(external, dict) else ():
                    if str(field).endswith("Extension") and isinstance(handler, str):
                        found.add(handler.partition(".")[2])
    return found - {""}
