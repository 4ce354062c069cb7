"""Compare Clusters with packs, pools in constraints, macros and Landscaper's Targets.

Each rule reads the facts of the package and yields findings at the place to change first.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.annotations import GENERATED_BY
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping
from krmkit.libraries.versions import lenient_key
from krmkit.systems.palette.packs.items import Carrier
from krmkit.systems.platform.facts import DEFAULT_NAMESPACE, PlatformCluster, PlatformFacts, at_file, plain

KUBERNETES_LAYER = "k8s"
LANDSCAPER_GROUP = "landscaper.gardener.cloud/"
KUBECONFIG_SUFFIX = "-kubeconfig"  # Cluster API: Secret <cluster>-kubeconfig with the key value
KUBECONFIG_KEY = "value"
CLUSTER_TARGET = "landscaper.gardener.cloud/kubernetes-cluster"


def kubernetes_version(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that the pack of the layer k8s has the Kubernetes version of the Cluster's topology."""
    for carrier, version in _kubernetes_packs(facts):
        for cluster in facts.clusters:
            if cluster.version and not _same(version, cluster.version):
                message = (
                    f"the Cluster {cluster.label} runs Kubernetes {cluster.version}, and the pack {carrier.pack.label} is"
                    f" {version} ({at_file(carrier.resource)}): one of them must change"
                )
                proposed, field = f"v{version.removeprefix('v')}", "spec.topology.version"
                found = Finding("kubernetes-version", message, cluster.item, field, cluster.version, proposed)
                yield found.beside(carrier.resource, "", "the pack")


def class_versions(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that the class's spec.kubernetesVersions, if set, holds the pack's Kubernetes version."""
    for carrier, version in _kubernetes_packs(facts):
        for cluster in facts.clusters:
            item = facts.classes.get(cluster.class_key)
            given = item.get("spec", "kubernetesVersions") if item is not None else None
            versions = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
            if versions and not any(_same(version, one) for one in versions):
                message = (
                    f"the pack {carrier.pack.label} is Kubernetes {version} ({at_file(carrier.resource)}), and the class of the"
                    f" Cluster {cluster.label} has {listed(versions)}"
                )
                found = Finding("class-versions", message, item, "spec.kubernetesVersions", versions)
                yield found.beside(carrier.resource, "", "the pack")


def pack_variable(facts: PlatformFacts) -> Iterator[Finding]:
    """Check Cluster variables with the name or version of a pack (packVariables of the config)."""
    for entry in facts.spec["packVariables"]:
        packs = [one for one in facts.packs if entry.get("pack") in (None, one.pack.name)]
        packs = [one for one in packs if entry.get("layer") in (None, one.pack.layer)]
        for cluster in facts.clusters if packs else ():
            found = _variable(cluster, entry["variable"])
            if found is None or not found[1]:
                continue
            field, value = found
            if any(_agrees(value, one, entry["is"]) for one in packs):
                continue
            names = listed([f"{one.pack.name} {one.pack.effective_version}" for one in packs])
            message = (
                f"the variable {entry['variable']} of the Cluster {cluster.label} is {value}, and the profile has {names}"
                f" ({at_file(packs[0].resource)}): the {entry['is']} of the pack and the variable must agree"
            )
            apart = Finding("pack-variable", message, cluster.item, field, value)
            yield apart.beside(packs[0].resource, "", "the pack")


def cluster_name(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that the macro cluster.name in a ResolveMacros is the name of a Cluster."""
    for config in facts.configs_of("ResolveMacros"):
        name = plain(mapping(config.get("spec", "system")).get("cluster.name"))
        names = [cluster.name for cluster in facts.clusters]
        if name and names and name not in names:
            message = f"macros call the cluster {name}, and the Cluster is called {listed(names)}: packs say another name than it has"
            yield Finding(
                "cluster-name", message, config, join("spec.system", "cluster.name"), name, names[0]
            )


def pools(facts: PlatformFacts) -> Iterator[Finding]:
    """Check pools of a ValidatePackConstraints against the topology (pool-unknown, pool-size)."""
    for config in facts.configs_of("ValidatePackConstraints"):
        wanted = plain(config.get("spec", "poolsOfCluster"))
        known = [name for one in facts.all_clusters for name in (one.name, one.label)]
        if wanted and known and wanted not in known:
            message = f"there is no Cluster {wanted} among the items" + did_you_mean(wanted, known)
            yield Finding("pool-unknown", message, config, "spec.poolsOfCluster", wanted)
        topologies = [one for one in facts.clusters if one.topology]
        if len(topologies) == 1:
            yield from _machine_pools(config, topologies[0])


def _machine_pools(config: Resource, cluster: PlatformCluster) -> Iterator[Finding]:
    given = cluster.pools()
    control_plane = mapping(cluster.topology.get("controlPlane")).get("replicas")
    for position, pool in enumerate(entries(config.get("spec", "machinePools"))):
        name, size = plain(pool.get("name")), pool.get("size")
        field = f"spec.machinePools[{position}]"
        if not name:
            continue  # a macro that is not resolved yet
        if pool.get("controlPlane") is True:
            replicas = control_plane
        elif name in given:
            replicas = given[name]
        else:
            message = f"the Cluster {cluster.label} has no pool {name}" + did_you_mean(name, given)
            yield Finding("pool-unknown", message, config, f"{field}.name", name)
            continue
        if isinstance(size, int) and isinstance(replicas, int) and size != replicas:
            message = f"the pool {name} has {size} nodes here, and {replicas} replicas in the Cluster {cluster.label}"
            yield Finding("pool-size", message, config, f"{field}.size", size, replicas)


def targets(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that a Target reads the kubeconfig of a Cluster of its namespace (target-cluster, target-key)."""
    for target in facts.of_kind(LANDSCAPER_GROUP, "Target"):
        if target.string("spec", "type") != CLUSTER_TARGET or target.annotation(GENERATED_BY):
            continue  # a copy adds nothing to its origin
        reference = mapping(target.get("spec", "secretRef"))
        secret = plain(reference.get("name"))
        if not secret.endswith(KUBECONFIG_SUFFIX) or not facts.all_clusters:
            continue
        namespace, name = target.namespace or DEFAULT_NAMESPACE, secret.removesuffix(KUBECONFIG_SUFFIX)
        here = [one.name for one in facts.all_clusters if one.namespace == namespace]
        if name not in here:
            elsewhere = [one.label for one in facts.all_clusters if one.name == name]
            hint = (
                f"; it is {elsewhere[0]}, and a Target reads Secrets of its own namespace"
                if elsewhere
                else ""
            )
            hint = hint or did_you_mean(name, here or [one.name for one in facts.all_clusters])
            message = (
                f"the Target reads the Secret {secret}, and there is no Cluster {namespace}/{name}" + hint
            )
            yield Finding("target-cluster", message, target, "spec.secretRef.name", secret)
        elif plain(reference.get("key")) not in (KUBECONFIG_KEY, ""):
            key = reference["key"]
            message = f"Cluster API writes the kubeconfig of {namespace}/{name} at the key {KUBECONFIG_KEY} of its Secret, got {key}"
            yield Finding("target-key", message, target, "spec.secretRef.key", key, KUBECONFIG_KEY)


def _kubernetes_packs(facts: PlatformFacts) -> Iterator[tuple[Carrier, str]]:
    for carrier in facts.packs:
        version = carrier.pack.effective_version
        if carrier.pack.layer == KUBERNETES_LAYER and lenient_key(version) is not None:
            yield carrier, version


def _same(pack: str, version: str) -> bool:
    """Return whether a pack has a version: `1.31` matches every 1.31, and build metadata does not count."""
    parts = pack.lstrip("vV").split("+")[0].split(".")
    if len(parts) < 3 and all(part.isdecimal() for part in parts):
        return version.lstrip("vV").split("+")[0].split(".")[: len(parts)] == parts
    return lenient_key(pack) == lenient_key(version)


def _variable(cluster: PlatformCluster, path: str) -> tuple[str, str] | None:
    """Return field and value of a variable: `cni`, or `network.cni` for a field of an object."""
    name, *steps = path.split(".")
    for own, field, value in cluster.variables():
        if own == name:
            for step in steps:
                field, value = join(field, step), mapping(value).get(step)
            return field, plain(value)
    return None


def _agrees(value: str, carrier: Carrier, part: str) -> bool:
    pack = carrier.pack
    if part == "version":
        return _same(pack.effective_version, value)
    # Palette puts the layer in front of names: cni-calico, csi-vsphere-csi.
    return value in (pack.name, pack.name.removeprefix(f"{pack.layer}-"), pack.display_name)
