"""Read the two packages that a plan compares: folders, exports of a cluster, or git revisions."""

from __future__ import annotations

import os
from dataclasses import replace

from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.fn.masking import Mask, secrets_among
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.process.stderr import say
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import IGNORE_FILE, KPTFILE
from krmkit.render.resourcefiles import items_from, items_of, mentions
from krmkit.storage.git.program import GitError
from krmkit.storage.git.revision import RevisionFiles
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject, collect
from krmkit.systems.clusterapi.api.objects import V1BETA1
from krmkit.systems.clusterapi.desired.render import options_of
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions

CONFIG_KIND = "RenderClusterTopology"
NO_BASELINE = "no-baseline"  # no revision to compare with: no git repository, or no commit in it
_CONFIGS = {
    CONFIG_KIND: "render-cluster-topology",
    "DefaultClusterTopology": "default-cluster-topology",
    "ValidateClusterTopology": "validate-cluster-topology",
}


def read_items(folder: str) -> list[Resource]:
    """Return the resources of a kpt package, or of all YAML files below another folder. Raises Refused."""
    items, notes = items_of(folder)
    for note in notes:
        say("topology plan", note)
    return items


def collected(items: list[Resource]) -> Collected:
    """Collect the items by their role in topologies. Raises Refused for an unreadable one."""
    try:
        return collect(items)
    except (Refused, YamlError) as error:
        raise _plain_error(items, str(error)) from None


def _plain_error(items: list[Resource], message: str) -> Refused:
    """Return the error without the package's secrets."""
    return Refused(Mask(secrets_among(items)).message(message))


def holds_clusters(folder: str) -> bool:
    """Return True if any file of the folder names an API group of Cluster API now, in no earlier revision."""
    return mentions(folder, b"cluster.x-k8s.io/")


def read_revision(folder: str, revision: str) -> list[Resource]:
    """Return the resources of a package in a revision of its git repository. Raises Refused."""
    try:
        source = RevisionFiles(folder, revision, IGNORE_FILE)
    except GitError as error:
        other = "; --against DIR compares with a folder" if "not in a git repository" in str(error) else ""
        raise Refused(Finding(NO_BASELINE, f"{error}{other}")) from None
    with source:
        try:
            return items_from(source)
        except Refused as error:
            remedy = f"repair it and commit, list the file in {IGNORE_FILE}, whose rules of today hold, or name another --against"
            raise Refused(f"as it was in {revision}: {error} ({remedy})") from None


def read_both(
    folder: str, against: str, items: list[Resource] | None = None
) -> tuple[Collected, Collected, TopologyOptions]:
    """Return the old package, the current one, and the options of its RenderClusterTopology, if any.

    items: the resources of the current package, instead of those on disk. Raises Refused.
    """
    items = read_items(folder) if items is None else items
    if os.path.isdir(against):
        old = with_extensions(collected(read_items(against)), collected(items))
    else:
        old = collected(read_revision(folder, against))
    return old, collected(items), package_options(items)


def read_with_cluster(
    folder: str, context: str, names: list[str]
) -> tuple[Collected, Collected, TopologyOptions, list[str]]:
    """Return the running objects of the Clusters of a package, the package, its options, and warnings.

    names: the Clusters to read, such as `prod` or `team/prod`; all without names. A Cluster that is no longer
    in the package, but in its last commit or its kpt inventory, is read as well: it will be deleted. Raises
    Refused.
    """
    from krmkit.analysis.plans.livecluster import Kubectl, read_live

    items = read_items(folder)
    new = collected(items)
    known = {item.key for item in (*new.clusters, *_committed(folder))}
    known |= {(space, name) for space, slash, name in (one.partition("/") for one in names) if slash}
    spaces = {space for space, _ in (*new.classes, *known)}
    known |= {(space, name) for space in spaces for name in names if "/" not in name}
    keys = [key for key in known if not names or key[1] in names or "/".join(key) in names]
    inventory = next((one.string("inventory", "inventoryID") for one in items if one.kind == KPTFILE), "")
    try:
        old, warnings = read_live(new, keys, Kubectl(context), inventory if not names else "")
    except Refused as error:
        raise _plain_error(items, str(error)) from None
    return with_extensions(old, new), new, package_options(items), warnings


def _committed(folder: str) -> list[CollectedObject]:
    """Return the Clusters of a package in the last commit, [] outside git."""
    try:
        return collected(read_revision(folder, "HEAD")).clusters
    except Refused:
        return []


_ANSWERING = ("krmkit.dev", "runtime.cluster.x-k8s.io")


def with_extensions(old: Collected, new: Collected) -> Collected:
    """Add the package's TopologyExtensions and TopologyResponses to an export, which has none."""
    for key, item in new.others.items():
        if key[0] in _ANSWERING:
            old.others.setdefault(key, item)
    return old


def package_options(items: list[Resource]) -> TopologyOptions:
    """Return the options of a RenderClusterTopology, and the feature gates of any topology config.

    Raises Refused.
    """
    specs = {}
    for item in items:
        name = _CONFIGS.get(item.kind)
        if name is None or item.kind in specs or not item.api_version.startswith("krmkit.dev/"):
            continue
        try:
            specs[item.kind] = decode(load(name).definition, item).spec
        except ConfigError as error:
            raise _plain_error(items, f"{item.path or item.label}: {error}") from None
    options = options_of(specs[CONFIG_KIND]) if CONFIG_KIND in specs else TopologyOptions()
    gates = [mapping(spec, "featureGates") for spec in specs.values()]
    on = {name: True for one in gates for name, value in one.items() if value}
    return replace(options, clusters=[], feature_gates={**options.feature_gates, **on})


def rebase(collected: Collected, cluster: str, cluster_class: str) -> None:
    """Set another class of a Cluster. Raises Refused if no Cluster of this name has a topology."""
    for number, item in enumerate(collected.clusters):
        if cluster not in (item.name, f"{item.namespace}/{item.name}"):
            continue
        data = item.data
        spec = mapping(data, "spec")
        topology = spec.get("topology")
        if not isinstance(topology, dict):
            break
        if item.api_version == V1BETA1:
            topology = {**topology, "class": cluster_class}
        else:
            topology = {**topology, "classRef": {**mapping(topology, "classRef"), "name": cluster_class}}
        changed = {**data, "spec": {**spec, "topology": topology}}
        collected.clusters[number] = CollectedObject(item.resource, changed)
        return
    raise Refused(f"--rebase {cluster}={cluster_class}: there is no Cluster {cluster} with spec.topology")


def extension_names(*packages: Collected) -> set[str]:
    """Return the ExtensionConfigs in classes: `x` for `generatePatchesExtension: patch.x`."""
    names: set[str] = set()
    for package in packages:
        for item in (*package.classes.values(), *package.previous_classes.values()):
            spec = item.data.get("spec")
            spec = spec if isinstance(spec, dict) else {}
            patches = spec.get("patches")
            for holder in (*(patches if isinstance(patches, list) else ()), spec.get("upgrade")):
                external = holder.get("external") if isinstance(holder, dict) else None
                for field, handler in external.items() if isinstance(external, dict) else ():
                    if str(field).endswith("Extension") and isinstance(handler, str):
                        names.add(handler.partition(".")[2])
    return names - {""}
