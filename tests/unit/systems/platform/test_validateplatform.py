"""Rules across systems: what each finds, where it points, and what it leaves alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from tests.costs import check_shape

ROOT = Path(__file__).parents[4]
FUNCTION = ROOT / "functions/validate-platform"

RULES = {
    "binding-target", "class-versions", "cluster-name", "kubernetes-version", "pack-variable", "pool-size", "pool-unknown", "target-cluster",
    "target-key", "unknown-namespace", "variant-package", "variant-repository",
}  # fmt: skip


def item(
    api_version: str, kind: str, name: str, spec: Object, namespace: str = "ns", **metadata: Any
) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
    }


def cluster(name: str = "one", namespace: str = "ns", **topology: Any) -> Object:
    """A Cluster of v1beta2 with version v1.31.4."""
    spec = {"topology": {"classRef": {"name": "class"}, "version": "v1.31.4", **topology}}
    return item("cluster.x-k8s.io/v1beta2", "Cluster", name, spec, namespace)


def pack(name: str, layer: str, version: str) -> Object:
    return item(
        "krmkit.dev/v1alpha1", "Pack", name, {"metadata": {"name": name, "layer": layer, "version": version}}
    )


def target(secret: str, namespace: str = "ns", **reference: str) -> Object:
    spec = {
        "type": "landscaper.gardener.cloud/kubernetes-cluster",
        "secretRef": {"name": secret, "key": "value", **reference},
    }
    return item("landscaper.gardener.cloud/v1alpha1", "Target", "t", spec, namespace)


def config(kind: str, **spec: Any) -> Object:
    return item("krmkit.dev/v1alpha1", kind, "c", spec)


def variant(**upstream: str) -> Object:
    spec = {"upstream": upstream, "downstream": {"repo": "site", "package": "p"}}
    return item("config.porch.kpt.dev/v1alpha1", "PackageVariant", "v", spec)


def namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def bindings(kind: str) -> Object:
    found = item("fn.kpt.dev/v1alpha1", "ApplyReplacements", "b", {})
    return {**found, "replacements": [{"source": {}, "targets": [{"select": {"kind": kind}}]}]}


def kinds_bound(bound: str, had: str) -> list[str]:
    """Kinds that are proposed for a binding of one kind in a package that has another."""
    outcome = run_function(
        FUNCTION,
        resource_list(
            [emit.document(one) for one in (item("v1", had, "n", {}), bindings(bound))],
            emit.document(item("krmkit.dev/v1alpha1", "ValidatePlatform", "p", {})),
        ),
    )
    return [str(one.proposed) for one in outcome.results]


@pytest.mark.parametrize(
    ("bound", "had"),
    [
        ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"),
        ("ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"),
        ("PersistentVolumeClaim", "PersistentVolume"),
        ("DockerMachinePoolTemplate", "DockerMachineTemplate"),
        ("AzureMachinePool", "AzureMachine"),
        ("AWSManagedControlPlane", "GCPManagedControlPlane"),
        ("AKSClusterConfig", "EKSClusterConfig"),
        ("IngressGateway", "EgressGateway"),
        ("Job", "Pod"),
    ],
)
def test_bindings_of_other_kinds(bound: str, had: str) -> None:
    """Kinds with similar names are no typing errors: a table of bindings may serve several packages."""
    assert kinds_bound(bound, had) == []


@pytest.mark.parametrize(
    "bound", ["deployment", "Deployments", "Deploymnet", "Deplyment", "Deploiment", "DEployment"]
)
def test_bindings_with_a_slip(bound: str) -> None:
    """One letter too many, too few, another one, two in each other's place, or the case."""
    assert kinds_bound(bound, "Deployment") == ["Deployment"]


def test_the_cost_of_bindings() -> None:
    """Twice the kinds, and twice the targets of other kinds: less than three times the work."""

    def make(size: int) -> Callable[[], object]:
        kinds = [f"{sign}{number}Thing" for number in range(size) for sign in "AB"]
        table = item("fn.kpt.dev/v1alpha1", "ApplyReplacements", "b", {})
        table["replacements"] = [
            {"source": {}, "targets": [{"select": {"kind": kind}}]} for kind in kinds[::2]
        ]
        items = [emit.document(one) for one in (*(item("v1", kind, "n", {}) for kind in kinds[1::2]), table)]
        text = resource_list(items, emit.document(item("krmkit.dev/v1alpha1", "ValidatePlatform", "p", {})))
        return lambda: run_function(FUNCTION, text)

    check_shape(make, 60)


def repository(name: str) -> Object:
    return item("config.porch.kpt.dev/v1alpha1", "Repository", name, {})


def the_class(*versions: str) -> Object:
    return item("cluster.x-k8s.io/v1beta2", "ClusterClass", "class", {"kubernetesVersions": list(versions)})


def said(items: list[Object], **spec: Any) -> list[tuple[str, str, str | None]]:
    """Rule, kind of the resource and field of all findings."""
    own = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "ValidatePlatform",
        "metadata": {"name": "p"},
        "spec": spec,
    }
    outcome = run_function(FUNCTION, resource_list([emit.document(one) for one in items], emit.document(own)))
    return [(one.rule, (one.resource_ref or {}).get("kind", ""), one.field) for one in outcome.results]


VERSION = ("kubernetes-version", "Cluster", "spec.topology.version")
OLD = {"topology": {"class": "class", "version": "v1.31.4"}}
MACRO = "{{ .spectro.system.cluster.name }}"
CASES: list[tuple[str, list[Object], Object, list[tuple[str, str, str]]]] = [
    ("one Kubernetes", [cluster(), pack("k", "k8s", "1.31.4")], {}, []),
    ("two Kubernetes", [cluster(), pack("k", "k8s", "1.30.9")], {}, [VERSION]),
    ("skipped", [cluster(), pack("k", "k8s", "1.30.9")], {"skip": ["kubernetes-version"]}, []),
    ("a pack of all patches", [cluster(), pack("k", "k8s", "1.31")], {}, []),
    ("a pack of another minor", [cluster(), pack("k", "k8s", "1.30")], {}, [VERSION]),
    ("a pack without a number", [cluster(), pack("k", "k8s", "1.31.x")], {}, []),
    ("a pack of another layer", [cluster(), pack("k", "addon", "1.30.9")], {}, []),
    ("a version from a macro", [cluster(version="{{ .spectro.var.v }}"), pack("k", "k8s", "1.30.9")], {}, []),
    ("the API before", [item("cluster.x-k8s.io/v1beta1", "Cluster", "old", OLD), pack("k", "k8s", "1.30.9"),
                        the_class("v1.31.4")], {}, [("class-versions", "ClusterClass", "spec.kubernetesVersions"), VERSION]),
    ("the packs of one of two Clusters", [cluster(), cluster("two", version="v1.30.9"), pack("k", "k8s", "1.30.9")],
     {"cluster": "ns/two"}, []),
    ("a class without it", [cluster(version="v1.30.9"), the_class("v1.31.4", "v1.32.0"), pack("k", "k8s", "1.30.9")], {},
     [("class-versions", "ClusterClass", "spec.kubernetesVersions")]),
    ("a class with it", [cluster(), the_class("v1.31.4"), pack("k", "k8s", "1.31.4")], {}, []),
    ("the same CNI", [cluster(variables=[{"name": "cni", "value": "calico"}]), pack("cni-calico", "cni", "3")], {}, []),
    ("another CNI", [cluster(variables=[{"name": "a", "value": 1}, {"name": "cni", "value": "cilium"}]),
                     pack("cni-calico", "cni", "3")], {}, [("pack-variable", "Cluster", "spec.topology.variables[1].value")]),
    ("a version in a variable", [cluster(variables=[{"name": "k", "value": {"v": "v1.31.5"}}]), pack("k", "k8s", "1.31.4")],
     {"packVariables": [{"pack": "k", "variable": "k.v", "is": "version"}]},
     [("pack-variable", "Cluster", "spec.topology.variables[0].value.v")]),
    ("no such pack", [cluster(variables=[{"name": "cni", "value": "cilium"}])], {}, []),
    ("one name", [cluster(), config("ResolveMacros", system={"cluster.name": "one"})], {}, []),
    ("two names", [cluster(), config("ResolveMacros", system={"cluster.name": "two"})], {},
     [("cluster-name", "ResolveMacros", 'spec.system."cluster.name"')]),
    ("macros without a Cluster", [config("ResolveMacros", system={"cluster.name": "two"})], {}, []),
    ("pools of a Cluster", [cluster(), config("ValidatePackConstraints", poolsOfCluster="ns/one")], {}, []),
    ("pools of no Cluster", [cluster(), config("ValidatePackConstraints", poolsOfCluster="ns/two")], {},
     [("pool-unknown", "ValidatePackConstraints", "spec.poolsOfCluster")]),
    ("pools by a macro", [cluster(), config("ValidatePackConstraints", poolsOfCluster=MACRO)], {}, []),
    ("a pool of the class", [cluster(workers={"machinePools": [{"name": "a", "replicas": 2}]}),
                             config("ValidatePackConstraints", machinePools=[{"name": "a", "size": 3}, {"name": "b", "size": 1}])],
     {}, [("pool-size", "ValidatePackConstraints", "spec.machinePools[0].size"),
          ("pool-unknown", "ValidatePackConstraints", "spec.machinePools[1].name")]),
    ("a Target of its Cluster", [cluster(), target("one-kubeconfig")], {}, []),
    ("a Target of no Cluster", [cluster(), target("two-kubeconfig")], {},
     [("target-cluster", "Target", "spec.secretRef.name")]),
    ("a Target in another namespace", [cluster(), target("one-kubeconfig", "other")], {},
     [("target-cluster", "Target", "spec.secretRef.name")]),
    ("a Target without its Cluster here", [target("two-kubeconfig")], {}, []),
    ("a Secret of another origin", [cluster(), target("vault")], {}, []),
    ("another key", [cluster(), target("one-kubeconfig", key="kubeconfig")], {},
     [("target-key", "Target", "spec.secretRef.key")]),
    ("a binding", [cluster(), bindings("Cluster"), bindings("RANConfig"), item("v1", "NFConfig", "n", {})], {}, []),
    ("a binding with a slip", [cluster(), bindings("Clutser")], {},
     [("binding-target", "ApplyReplacements", "replacements[0].targets[0].select.kind")]),
    ("namespaces made elsewhere", [item("v1", "ConfigMap", "c", {}, "shop"), item("v1", "Secret", "s", {}, "other")], {}, []),
    ("a namespace with a slip", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "brgen"), item("v1", "Secret", "s", {}, "brgen")], {},
     [("unknown-namespace", "ConfigMap", "metadata.namespace")]),
    ("a namespace that is missing", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "bergen"), item("v1", "ConfigMap", "c", {}, "turin")], {},
     [("unknown-namespace", "ConfigMap", "metadata.namespace")]),
    ("namespaces for others", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "monitoring")], {}, []),
    ("namespaces of the system", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "bergen"), item("v1", "ConfigMap", "c", {}, "kube-system"),
                                  item("v1", "ConfigMap", "c", {}, "default"), item("v1", "ConfigMap", "c", {}, "capi-system")], {}, []),
    ("a namespace from a macro", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "bergen"), item("v1", "ConfigMap", "c", {}, MACRO)], {}, []),
    ("a namespace that the config lists", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "bergen"), item("v1", "ConfigMap", "c", {}, "turin")],
     {"namespaces": ["turin"]}, []),
    ("local configuration", [namespace("bergen"), item("v1", "ConfigMap", "c", {}, "bergen"), item(
        "v1", "ConfigMap", "l", {}, "brgen", annotations={"config.kubernetes.io/local-config": "true"})], {}, []),
    ("nothing known of packages", [variant(repo="b", package="p", revision="v1")], {}, []),
    ("no such repository", [repository("a"), repository("site"), variant(repo="b", package="p", revision="v1")], {},
     [("variant-repository", "PackageVariant", "spec.upstream.repo")]),
    ("no such package", [variant(repo="b", package="p", revision="v1")], {"packages": [{"repo": "b", "package": "q"}]},
     [("variant-package", "PackageVariant", "spec.upstream.package")]),
    ("any revision", [variant(repo="b", package="p", revision="v1")], {"packages": [{"repo": "b", "package": "p"}]}, []),
    ("no such revision", [variant(repo="b", package="p", revision="v2"), item(
        "porch.kpt.dev/v1alpha1", "PackageRevision", "b.p.v1", {"repository": "b", "packageName": "p", "revision": "v1"})],
     {}, [("variant-package", "PackageVariant", "spec.upstream.revision")]),
    ("a target repository", [repository("site"), item(
        "config.porch.kpt.dev/v1alpha2", "PackageVariantSet", "s",
        {"upstream": {"repo": "site"}, "targets": [{"repositories": [{"name": "sites"}]}]})], {},
     [("variant-repository", "PackageVariantSet", "spec.targets[0].repositories[0].name")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("items", "spec", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_rules(items: list[Object], spec: Object, expected: list[tuple[str, str, str]]) -> None:
    """Each rule points at the place to change, and is silent where one of the two sides is not known."""
    assert sorted(said(items, **spec)) == sorted(expected)


def test_all_rules_are_tried() -> None:
    """The table above has a case of each rule that function.yaml lists."""
    from krmkit.fn import loader

    listed = set(loader.load("validate-platform").definition.about["rules"])
    found = {rule for case in CASES for rule, _, _ in case[3]}

    assert found == RULES == listed


def test_file_and_line(tmp_path: Path) -> None:
    """`krmkit render` names for each of ten breaks the file and the line to change."""
    package = tmp_path / "apart"
    shutil.copytree(FUNCTION / "examples/apart", package, ignore=shutil.ignore_patterns(".expected"))
    command = [sys.executable, "-m", "krmkit", "render", "--dry-run", str(package)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr

    wanted = {
        "runs Kubernetes v1.31.4": ("cluster.yaml", "version: v1.31.4"),
        "is Kubernetes 1.30.9": ("cluster.yaml", "kubernetesVersions:"),
        "variable network.cni": ("cluster.yaml", "value: {cni: cilium}"),
        "macros call the cluster": ("configs.yaml", "cluster.name: plant-9"),
        "no pool press": ("configs.yaml", "name: press,"),
        "has 1 nodes": ("configs.yaml", "size: 1,"),
        "plant-1-kubeconfig": ("target.yaml", "name: plant-1-kubeconfig"),
        "at the key value": ("target.yaml", "key: kubeconfig"),
        "no repository blueprint;": ("fleet.yaml", "repo: blueprint,"),
        "the package has no Targt": ("configs.yaml", "select: {kind: Targt}"),
        "no revision v3": ("fleet.yaml", "revision: v3"),
    }
    assert done.returncode == 1, told
    for message, (file, text) in wanted.items():
        lines = (package / file).read_text("utf-8").splitlines()
        [number] = [number for number, line in enumerate(lines, 1) if text in line]
        assert any(message in line and f"{file}:{number}" in line for line in told.splitlines()), (
            message,
            number,
            told,
        )
