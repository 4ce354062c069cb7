"""What a report says about the systems of a platform: Clusters as trees, Installations, extensions, and what packages share."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from krmkit.analysis.fleet import collisions, synced_variants
from krmkit.analysis.systems.acrosspackages import links, versions
from krmkit.analysis.systems.clustertrees import cluster_trees
from krmkit.analysis.systems.installationgraphs import installation_graph
from krmkit.cli import main
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.findings.model import FleetVariant, PackageReport, Report
from tests.unit.analysis.test_report import closed

GIT = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *GIT, "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def platform(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example platform with its sites, committed; then one site takes another version of Kubernetes."""
    root = tmp_path_factory.mktemp("platform") / "platform"
    shutil.copytree(project / "examples/platform", root)
    fleet = ["--packages", str(root), "--objects", str(root / "fleet/objects"), "--out", str(root / "sites")]
    assert main(["variants", "render", str(root / "fleet/plants.yaml"), *fleet]) == 0
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    for name, old, new in (
        ("versions.yaml", "v1.31.4", "v1.32.1"),
        ("packs.yaml", '"version": "1.31.4"', '"version": "1.32.1"'),
    ):
        place = root / "sites/lyon/plant" / name
        text = place.read_text("utf-8")
        assert old in text
        place.write_text(text.replace(old, new), "utf-8")
    return root


@pytest.fixture(scope="module")
def report(platform: Path) -> dict[str, Any]:
    """The report on all of it."""
    place = platform.parent / "report.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(platform)
        assert main(["report", ".", "-o", str(place)]) == 0
    found: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return found


def of(report: dict[str, Any], path: str) -> dict[str, Any]:
    """The package at a path."""
    [found] = [one for one in report["packages"] if one["path"] == path]
    assert isinstance(found, dict)
    return found


def test_the_whole_fits_the_schema(project: Path, report: dict[str, Any]) -> None:
    """Every field is documented."""
    schema = json.loads((project / "schemas/report/v1alpha1.json").read_text("utf-8"))
    jsonschema.Draft7Validator(closed(schema)).validate(report)


def test_a_cluster_is_a_tree(report: dict[str, Any]) -> None:
    """The control plane first, then the workers: each with its size, version, template and class."""
    [cluster] = of(report, "sites/bergen/plant")["clusters"]

    assert (cluster["namespace"], cluster["name"], cluster["class"]) == ("bergen", "bergen", "bergen/plant")
    assert cluster["infrastructure"].startswith("VSphereCluster bergen-")
    assert {"name": "region", "value": "eu-west"} in cluster["variables"]
    assert cluster["place"] == "sites/bergen/plant/cluster.yaml:1:1"
    control, floor = cluster["groups"]
    assert (control["role"], control["replicas"], control["version"]) == ("controlPlane", 3, "v1.31.4")
    assert control["template"].startswith("VSphereMachineTemplate bergen-")
    assert (floor["name"], floor["class"], floor["replicas"]) == ("floor", "worker", 2)
    assert floor["bootstrap"].startswith("KubeadmConfigTemplate bergen-floor-")
    assert "rolls" not in control and cluster["action"] == "same"


def test_a_class_is_a_table_of_its_variables(report: dict[str, Any]) -> None:
    """What `krmkit topology explain -f json` says of the class."""
    [table] = of(report, "sites/bergen/plant")["classes"]

    assert (table["class"], table["problem"]) == ("bergen/plant", "")
    acts = {one["name"]: [(act["kind"], act["field"]) for act in one["acts"]] for one in table["variables"]}
    assert "region" in acts and any(acts.values())


def test_what_rolls_in_which_step(report: dict[str, Any]) -> None:
    """A render would take the version that its sources have: the plan is about what is shown, and not about the files."""
    [cluster] = of(report, "sites/lyon/plant")["clusters"]

    assert (cluster["action"], cluster["version"]) == ("change", "v1.32.1")
    control, floor = cluster["groups"]
    assert (control["rolls"]["steps"], floor["rolls"]["steps"]) == ([1], [2])
    assert floor["rolls"]["reasons"] == ["version v1.31.4 -> v1.32.1"]
    assert (floor["rolls"]["replicas"], floor["rolls"]["maxSurge"]) == (2, 1)


def test_installations_are_a_graph(report: dict[str, Any]) -> None:
    """With nested ones, phases, what flows, deploy items, and when each root is reconciled again."""
    graph = of(report, "sites/lyon/plant")["installations"]

    nodes = {node["path"]: node for node in graph["nodes"]}
    assert list(nodes) == ["store", "store/database", "portal"]
    assert {node["phase"] for node in nodes.values()} == {"Succeeded"}
    assert nodes["store/database"]["parent"] == "store"
    assert graph["edges"] == [{"from": "store", "to": "portal", "key": "store-url"}]
    assert nodes["store"]["exports"] == [{"name": "url", "kind": "data", "key": "store-url"}]
    assert {"name": "settings", "kind": "ConfigMap", "key": "site-settings"} in nodes["store"]["imports"]
    assert nodes["portal"]["deployItems"][0]["name"] == "portal"
    assert nodes["store"]["reconcile"]["action"] == "annotated"
    assert (nodes["store"]["reconcile"]["succeeded"], nodes["store"]["reconcile"]["failed"]) == ("24h", "10m")


def test_extensions_say_what_they_set(report: dict[str, Any]) -> None:
    """Also in a package that is rendered already."""
    [extension] = of(report, "sites/bergen/plant")["extensions"]

    assert extension["name"] == "mirrors"
    assert extension["handlers"][0]["patches"] == ["image-repository"]
    assert {call["hook"] for call in extension["calls"]} == {"generatePatches", "discoverVariables"}
    [effect] = extension["set"]
    assert effect["value"] == "mirror.bergen.example.com"
    assert effect["field"].endswith("clusterConfiguration.imageRepository")
    assert effect["place"].startswith("sites/bergen/plant/extension.yaml:")


def test_a_blueprint_is_shown_as_one(report: dict[str, Any]) -> None:
    """Nothing of it would change, and its Clusters are compared with nothing."""
    one = of(report, "blueprints/plant")

    assert one["blueprint"] is True and one["changes"] == [] and "topology" not in one
    assert one["clusters"][0]["name"] == "plant"


def test_versions_over_packages(report: dict[str, Any]) -> None:
    """Of Kubernetes, of packs, and of the blueprint."""
    known = {(one["kind"], one["name"]): one["versions"] for one in report["versions"]}

    assert known["kubernetes", "Kubernetes"][1] == {"version": "v1.32.1", "packages": ["sites/lyon/plant"]}
    assert [one["version"] for one in known["pack", "kubernetes"]] == ["1.31.4", "1.32.1"]
    assert known["blueprint", "blueprints/plant"][0]["version"] == "plant/v1"


def test_exports_go_to_other_packages() -> None:
    """One that another package imports is known by its namespace and key; that of a blueprint is no one's."""

    def package(path: str, name: str, **more: Any) -> PackageReport:
        node = {"path": name, "namespace": "shop", "name": name, **more}
        return PackageReport(path, systems={"installations": {"nodes": [node], "edges": []}})

    key = [{"name": "url", "kind": "data", "key": "store-url"}]
    blueprint = package("blueprint", "store", exports=key)
    blueprint.blueprint = True

    found = links([package("a", "store", exports=key), package("b", "web", imports=key), blueprint])

    assert found == [
        {
            "kind": "data",
            "namespace": "shop",
            "key": "store-url",
            "from": [{"package": "a", "installation": "store"}],
            "to": [{"package": "b", "installation": "web"}],
        }
    ]
    assert versions([PackageReport("a", upstream="bp/shop@v2")])[0]["versions"] == [
        {"version": "v2", "packages": ["a"]}
    ]


def test_collisions_of_variants() -> None:
    """Two variants that make one Cluster; a Repository may say that they have management clusters of their own."""
    report = Report("report")
    for name in ("north", "south"):
        report.packages.append(
            PackageReport(f"sites/{name}/plant", objects=["Cluster.cluster.x-k8s.io default/site"])
        )
        variant = FleetVariant(f"sites/{name}/plant", "PackageVariantSet/default/plants")
        variant.repository = name
        report.variants.append(variant)

    [found] = collisions(report, [])

    assert found["packages"] == ["sites/north/plant", "sites/south/plant"]
    assert "Cluster default/site" in found["message"]
    described = [
        Resource(
            "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n"
            f"metadata: {{name: {name}, namespace: default, annotations: {{krmkit.dev/management-cluster: {name}}}}}\n"
            "spec: {deployment: true}\n"
        )
        for name in ("north", "south")
    ]
    assert collisions(report, described) == []


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({}, "current"),
        ({"actions": ["make a draft"]}, "behind"),
        ({"drift": ["edited by hand"]}, "edited"),
        ({"actions": ["x"], "conflicts": ["both changed"]}, "conflict"),
        ({"error": "no such repository"}, "failed"),
    ],
)
def test_the_state_of_synced_variants(told: dict[str, Any], state: str, tmp_path: Path) -> None:
    """Those of git repositories come from what `variants status` wrote."""
    empty: dict[str, Any] = {"actions": [], "drift": [], "conflicts": [], "gates": [], "error": ""}
    names = {"name": "default/n", "package": "north/shop", "upstream": "shop/v1", "newest": "shop/v2"}
    one = {**empty, **names, "draft": "", "stuck": False, "waiting": False, **told}
    place = tmp_path / "status.json"
    place.write_text(json.dumps({"kind": "Variants", "variants": [one]}))

    [found] = synced_variants(str(place))

    assert (found.package, found.state, found.newest) == ("north/shop", state, "shop/v2")


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "Report"}', '{"kind": "Variants", "variants": [{}]}'])
def test_a_status_that_is_none(text: str, tmp_path: Path) -> None:
    """It is named with what would be right."""
    place = tmp_path / "status.json"
    place.write_text(text)

    with pytest.raises(Refused, match="variants status -f json"):
        synced_variants(str(place))


@pytest.mark.parametrize(
    ("flag", "said"),
    [("--status", "nothere: No such file or directory"), ("--objects", "nothere: does not exist")],
)
def test_a_place_that_is_not_there(
    flag: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named before any package is rendered."""
    monkeypatch.setattr("krmkit.cli.report.reports", lambda *_: pytest.fail("packages were rendered"))

    assert main(["report", "examples", "-f", "json", flag, "nothere"]) == 1

    assert capsys.readouterr().err == f"krmkit report: {said}\n"


CLUSTER = """apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: old, namespace: shops}
spec:
  paused: true
  topology:
    class: shop
    version: 1.30.0
    controlPlane: {replicas: three}
    workers: {machineDeployments: [{class: w, name: a, replicas: 2}], machinePools: [{class: p, name: b}]}
"""
LIVE = """apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: old-gone
  namespace: shops
  labels: {cluster.x-k8s.io/cluster-name: old}
  annotations: {cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "5"}
spec:
  clusterName: old
  replicas: 4
  strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
  template: {spec: {version: v1.29.1, infrastructureRef: {kind: DockerMachineTemplate, name: t}}}
"""


def test_a_tree_without_a_render() -> None:
    """The topology says what it can; a wrong value is left out; objects that no topology names are there too."""
    [tree] = cluster_trees([Resource(CLUSTER), Resource(LIVE)], {}, {})

    assert (tree["class"], tree["paused"]) == ("shops/shop", True)
    control, a, gone, b = tree["groups"]
    assert "replicas" not in control and control["version"] == "1.30.0"
    assert (a["name"], a["replicas"], b["role"]) == ("a", 2, "machinePool")
    assert (gone["name"], gone["replicas"], gone["version"]) == ("old-gone", 4, "v1.29.1")
    assert (gone["maxSurge"], gone["maxUnavailable"], gone["maxReplicas"]) == ("25%", 1, "5")


SHOP = """apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: shop, namespace: %s}
spec:
  blueprint:
    inline:
      filesystem:
        blueprint.yaml: |
          apiVersion: landscaper.gardener.cloud/v1alpha1
          kind: Blueprint
status: {phase: Failed}
"""


def test_two_namespaces_with_one_name() -> None:
    """Neither hides the other."""
    graph = installation_graph([Resource(SHOP % "a"), Resource(SHOP % "b")], {}, None, 0.0)

    assert [node["path"] for node in graph["nodes"]] == ["a:shop", "b:shop"]
    assert graph["nodes"][0]["observed"] == "Failed"
