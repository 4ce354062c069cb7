"""render-cluster-topology on lists of items: what is written, kept, removed and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from tests.unit.systems.clusterapi.fixtures import cluster, cluster_class, templates

FUNCTION = Path(__file__).resolve().parents[5] / "functions/render-cluster-topology"
MARK = "krmkit.dev/generated-by"


def run(items: list[Object], **spec: Any) -> Outcome:
    config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "RenderClusterTopology",
        "metadata": {"name": "render"},
        "spec": spec,
    }
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    return run_function(FUNCTION, emit.document({**given, "functionConfig": config}))


def items_of(outcome: Outcome) -> list[Object]:
    found: list[Object] = yaml.safe_load(outcome.stdout)["items"]
    return found


def generated(outcome: Outcome) -> list[Object]:
    return [item for item in items_of(outcome) if MARK in (item["metadata"].get("annotations") or {})]


def rules(outcome: Outcome) -> list[str]:
    return [finding.rule for finding in outcome.results]


def package(*clusters: Object, the_class: Object | None = None) -> list[Object]:
    return [the_class or cluster_class(), *templates(), *(clusters or (cluster(),))]


def test_a_second_run_changes_nothing() -> None:
    """Twice equals once, byte for byte."""
    first = run(package())
    again = run(items_of(first))

    assert first.exit_code == 0
    assert items_of(again) == items_of(first)
    assert any("0 new, 0 changed, 6 unchanged, 0 removed" in finding.message for finding in again.results)


def test_objects_are_a_preview_at_paths_of_their_own() -> None:
    """Marked local-config, below topology/<namespace>/<cluster>; `apply` leaves the mark out."""
    made = generated(run(package()))
    applied = generated(run(package(), apply=True))

    paths = {item["metadata"]["annotations"]["internal.config.kubernetes.io/path"] for item in made}
    assert len(paths) == len(made) == 6
    assert all(path.startswith("topology/ns/c1/") for path in paths)
    mark = "config.kubernetes.io/local-config"
    assert {item["metadata"]["annotations"].get(mark) for item in made} == {"true"}
    assert {item["metadata"]["annotations"].get(mark) for item in applied} == {None}


def test_a_cluster_in_no_namespace_is_one_of_default() -> None:
    """Also its class and templates."""
    items = package()
    for item in items:
        del item["metadata"]["namespace"]

    made = generated(run(items))

    assert {item["metadata"]["namespace"] for item in made} == {"default"}
    assert {item["metadata"]["annotations"][MARK] for item in made} == {"Cluster/default/c1"}


def test_keys_of_tools_are_never_copied() -> None:
    """Annotations of kpt and krmkit on templates and Cluster stay where they are."""
    items = package(the_class=cluster_class(patches=[{"name": "all", "definitions": [{
        "selector": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "MetalClusterTemplate",
                     "matchResources": {"infrastructureCluster": True}},
        "jsonPatches": [{"op": "add", "path": "/spec/template/spec/all",
                         "valueFrom": {"variable": "builtin.cluster.metadata.annotations"}}]}]}]))  # fmt: skip
    tools = {
        "config.kubernetes.io/local-config": "true",
        "internal.config.kubernetes.io/path": "a.yaml",
        "internal.config.kubernetes.io/index": "0",
        "config.k8s.io/id": "1",
        "krmkit.dev/note": "x",
        "mine": "kept",
    }
    for item in items:
        item["metadata"]["annotations"] = dict(tools)

    made = generated(run(items, writeReferences=True))

    own = {MARK, "config.kubernetes.io/local-config", "internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"}  # fmt: skip
    for item in made:
        left = set(item["metadata"]["annotations"]) - own
        assert not {key for key in left if key in tools and key != "mine"}
        assert item["metadata"]["annotations"]["internal.config.kubernetes.io/path"].startswith("topology/")
    [infrastructure] = [item for item in made if item["kind"] == "MetalCluster"]
    assert infrastructure["spec"]["all"] == {"mine": "kept"}


def test_what_is_no_longer_part_is_removed_and_nothing_else() -> None:
    """Objects of an earlier run go by their annotation; look-alikes without it stay."""
    first = items_of(run(package()))
    stranger = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "MachineDeployment",
        "metadata": {"name": "by-hand", "namespace": "ns", "labels": {"cluster.x-k8s.io/cluster-name": "c1"}},
        "spec": {"clusterName": "c1"},
    }
    for item in first:
        if item["kind"] == "Cluster":
            item["spec"]["topology"]["workers"] = {"machineDeployments": []}

    outcome = run([*first, stranger])

    assert {item["kind"] for item in generated(outcome)} == {"MetalCluster", "KubeadmControlPlane", "MetalMachineTemplate"}  # fmt: skip
    assert [item["metadata"]["name"] for item in items_of(outcome) if item["kind"] == "MachineDeployment"] == ["by-hand"]  # fmt: skip
    assert any("3 removed" in finding.message for finding in outcome.results)


def test_objects_of_a_cluster_that_is_gone_are_removed() -> None:
    """Unless the config names Clusters: then the others are none of its business."""
    other = cluster()
    other["metadata"]["name"] = "c2"
    first = items_of(run(package(cluster(), other)))
    left = [item for item in first if not (item["kind"] == "Cluster" and item["metadata"]["name"] == "c2")]

    everything, named = run(left), run(left, clusters=["c1"])

    assert {item["metadata"]["annotations"][MARK] for item in generated(everything)} == {"Cluster/ns/c1"}
    assert len(generated(named)) == 12


def test_names_can_be_given() -> None:
    """By Cluster and role; references follow."""
    names = {"c1/controlPlane": "plane", "c1/machineDeployments/md/bootstrapTemplate": "boot"}

    made = {item["kind"]: item for item in generated(run(package(), names=names, writeReferences=True))}

    assert made["KubeadmControlPlane"]["metadata"]["name"] == "plane"
    assert made["Cluster"]["spec"]["controlPlaneRef"]["name"] == "plane"
    spec = made["MachineDeployment"]["spec"]["template"]["spec"]
    assert (
        spec["bootstrap"]["configRef"]["name"] == made["KubeadmConfigTemplate"]["metadata"]["name"] == "boot"
    )


def test_the_cluster_itself_stays_as_it_is() -> None:
    """Class, templates and Cluster are the package's; references are written beside them, and only when asked for."""
    before = package()

    outcome, asked = run(before), run(before, writeReferences=True)

    assert items_of(outcome)[: len(before)] == before
    assert "Cluster" not in {item["kind"] for item in generated(outcome)}
    assert "Cluster" in {item["kind"] for item in generated(asked)}


def test_names_from_objects_of_a_cluster_stay() -> None:
    """The labels say what belongs to the topology, also where the Cluster has no references."""
    owned = {"cluster.x-k8s.io/cluster-name": "c1", "topology.cluster.x-k8s.io/owned": ""}
    running = {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2",
        "kind": "KubeadmControlPlane",
        "metadata": {"name": "c1-abcde", "namespace": "ns", "uid": "1", "labels": owned},
        "spec": {"version": "v1.33.1"},
        "status": {"version": "v1.33.1"},
    }

    made = {item["kind"]: item for item in generated(run([*package(), running]))}

    assert made["KubeadmControlPlane"]["metadata"]["name"] == "c1-abcde"


def running_control_plane() -> Object:
    """A control plane of the cluster `c1` that has reached v1.32.5."""
    owned = {"cluster.x-k8s.io/cluster-name": "c1", "topology.cluster.x-k8s.io/owned": ""}
    return {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2",
        "kind": "KubeadmControlPlane",
        "metadata": {"name": "c1-abcde", "namespace": "ns", "uid": "1", "labels": owned},
        "spec": {"version": "v1.32.5"},
        "status": {"version": "v1.32.5"},
    }


def versions(items: list[Object]) -> set[str]:
    """The versions of the control planes that were made."""
    return {item["spec"]["version"] for item in items if MARK in (item["metadata"].get("annotations") or {})
            and item["kind"] == "KubeadmControlPlane"}  # fmt: skip


@pytest.mark.parametrize("turned", [False, True], ids=["running first", "generated first"])
@pytest.mark.parametrize(
    ("referred", "expected"),
    [("", "v1.33.1"), ("c1-abcde", "v1.33.1"), ("c1-other", "v1.34.2"), ('c1-a"bcde', "v1.34.2")],
    ids=["no reference", "right reference", "reference to nothing", "odd name"],
)
def test_versions_are_the_same_the_second_time(referred: str, expected: str, turned: bool) -> None:
    """What a run wrote has no status and never stands for what runs, whatever it is called and wherever it lies."""
    shop = cluster(version="v1.34.2")
    if referred:
        shop["spec"]["controlPlaneRef"] = {
            "apiGroup": "controlplane.cluster.x-k8s.io",
            "kind": "KubeadmControlPlane",
            "name": referred,
        }
    the_class = cluster_class(kubernetesVersions=["v1.32.5", "v1.33.1", "v1.34.2"])
    first = run([*package(shop, the_class=the_class), running_control_plane()])
    between = items_of(first)[:: -1 if turned else 1]
    again = run(between)

    assert first.exit_code == 0
    assert versions(items_of(first)) == {expected}
    assert items_of(again) == between


def test_the_status_of_a_class_can_be_written() -> None:
    """status.variables, as the controller writes them."""
    variable = {
        "name": "size",
        "required": True,
        "schema": {"openAPIV3Schema": {"type": "string", "default": "s"}},
    }
    the_class = cluster_class(variables=[variable])

    [found] = [item for item in items_of(run(package(the_class=the_class), writeStatus=True)) if item["kind"] == "ClusterClass"]  # fmt: skip

    definition = {"from": "inline", "required": True, "schema": variable["schema"]}
    assert found["status"]["variables"] == [
        {"name": "size", "definitionsConflict": False, "definitions": [definition]}]  # fmt: skip


EXTENSION = {"name": "ext", "external": {"generatePatchesExtension": "generate.ext"}}


def responses(**response: Any) -> Object:
    return {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyResponses",
        "metadata": {"name": "recorded"},
        "spec": {
            "responses": [{"extension": "generate.ext", "hook": "GeneratePatches", "response": response}]
        },
    }


def test_extensions_need_answers() -> None:
    """Nobody answers: an error for the Cluster, never a render without the patch."""
    gates = {"RuntimeSDK": True}
    items = package(the_class=cluster_class(patches=[EXTENSION]))

    unanswered = run(items, featureGates=gates)
    answered = run([*items, responses(status="Success", items=[])], featureGates=gates)
    refused = run([*items, responses(status="Failure", message="no")], featureGates=gates)

    assert unanswered.exit_code == 1
    assert 'no answer to GeneratePatches of extension "generate.ext"' in unanswered.results[0].message
    assert answered.exit_code == 0
    assert 'failed to call extension handler "generate.ext": got failure response with message: no' in refused.results[0].message  # fmt: skip
    assert rules(run(items)) == ["class-error", "feature-gate"]


@pytest.mark.parametrize(
    "patch", [[{"op": "replace", "path": "/spec/template/spec/region", "value": "south"}],
              "W3sib3AiOiAicmVwbGFjZSIsICJwYXRoIjogIi9zcGVjL3RlbXBsYXRlL3NwZWMvcmVnaW9uIiwgInZhbHVlIjogInNvdXRoIn1d"]
)  # fmt: skip
def test_patches_of_answers_come_as_json_or_base64(patch: Any) -> None:
    """As people write them, and as they go over the wire."""
    answer = responses(status="Success", items=[{"uid": "1", "patchType": "JSONPatch", "patch": patch}])
    items = [*package(the_class=cluster_class(patches=[EXTENSION])), answer]

    made = {item["kind"]: item for item in generated(run(items, featureGates={"RuntimeSDK": True}))}

    assert made["MetalCluster"]["spec"]["region"] == "south"


BAD: dict[str, tuple[Any, list[str]]] = {
    "no class": (lambda items: items[1:], ["missing-class"]),
    "no template": (lambda items: [item for item in items if item["kind"] != "MetalClusterTemplate"], ["class-error", "class-error"]),
    "no version": (lambda items: [*items[:-1], cluster(version="one")], ["invalid"]),
    "a field that nobody knows": (lambda items: [*items[:-1], cluster(vrsion="v1")], ["no-owner-references", "rendered", "unknown-field"]),
    "a text for a number": (lambda items: [*items[:-1], cluster(controlPlane={"replicas": "three"})], ["wrong-type"]),
    "an unknown class of workers": (
        lambda items: [*items[:-1], cluster(workers={"machineDeployments": [{"class": "no", "name": "md"}]})], ["invalid"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_result(name: str) -> None:
    """With a rule of function.yaml, and the items as they came."""
    change, expected = BAD[name]
    items = change(package())

    outcome = run(items)

    assert sorted(rules(outcome)) == expected
    if outcome.exit_code:
        assert items_of(outcome) == items
    assert "Traceback" not in outcome.stderr


def test_all_findings_of_a_run_at_once() -> None:
    """One Cluster's error does not hide another's."""
    first, second = cluster(version="one"), cluster(classRef={"name": "nope"})
    second["metadata"]["name"] = "c2"

    outcome = run(package(first, second))

    assert sorted(rules(outcome)) == ["invalid", "missing-class"]


def test_a_pattern_that_takes_forever_does_not() -> None:
    """Expressions of a class run in time linear to the value."""
    schema = {"type": "string", "pattern": "^(a+)+$"}
    the_class = cluster_class(
        variables=[{"name": "x", "required": True, "schema": {"openAPIV3Schema": schema}}]
    )

    outcome = run(
        package(cluster(variables=[{"name": "x", "value": "a" * 50_000 + "!"}]), the_class=the_class)
    )

    assert rules(outcome) == ["invalid"]


def test_many_variables_are_no_problem() -> None:
    """Ten thousand definitions and values."""
    schema = {"openAPIV3Schema": {"type": "string", "default": "x"}}
    variables = [{"name": f"v{number}", "required": False, "schema": schema} for number in range(10_000)]

    outcome = run(package(the_class=cluster_class(variables=variables)))

    assert outcome.exit_code == 0


def test_two_objects_of_one_name_are_an_error() -> None:
    """A naming template without anything that differs."""
    spec = cluster_class()["spec"]["workers"]
    [worker] = spec["machineDeployments"]
    workers = {**spec, "machineDeployments": [{**worker, "naming": {"template": "{{ .cluster.name }}-md"}}]}
    groups = {"machineDeployments": [{"class": "worker", "name": name} for name in ("one", "two")]}

    outcome = run(package(cluster(workers=groups), the_class=cluster_class(workers=workers)))

    assert outcome.exit_code == 1
    assert "two objects of kind MachineDeployment would have the name c1-md" in outcome.results[0].message


def test_no_name_leads_out_of_the_folder() -> None:
    """Names become parts of paths, whatever is in them."""
    names = {"c1/controlPlane": "../../../plane", "c1/infrastructureCluster": ".."}
    items = package()
    for item in items:
        item["metadata"]["namespace"] = ".."

    made = generated(run(items, names=names))

    paths = [item["metadata"]["annotations"]["internal.config.kubernetes.io/path"] for item in made]
    assert paths
    assert all(path.startswith("topology/~../c1/") and path.count("/") == 3 for path in paths)


def test_deep_and_large_values_end_in_a_result() -> None:
    """A variable of five megabytes, and one that is nested deeply."""
    free = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    text = {"openAPIV3Schema": {"type": "string"}}
    patches = [{"name": "p", "definitions": [{
        "selector": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "MetalClusterTemplate",
                     "matchResources": {"infrastructureCluster": True}},
        "jsonPatches": [
            {"op": "add", "path": "/spec/template/spec/large", "valueFrom": {"variable": "large"}},
            {"op": "add", "path": "/spec/template/spec/deep", "valueFrom": {"variable": "deep"}}]}]}]  # fmt: skip
    variables = [
        {"name": "large", "required": True, "schema": text},
        {"name": "deep", "required": True, "schema": free},
    ]
    deep: Object = {}
    for _ in range(200):
        deep = {"a": deep}
    values = [{"name": "large", "value": "x" * 5_000_000}, {"name": "deep", "value": deep}]
    the_class = cluster_class(variables=variables, patches=patches)

    outcome = run(package(cluster(variables=values), the_class=the_class))

    assert outcome.exit_code in (0, 1)
    assert "Traceback" not in outcome.stderr
    if outcome.exit_code == 0:
        [made] = [item for item in generated(outcome) if item["kind"] == "MetalCluster"]
        assert len(made["spec"]["large"]) == 5_000_000
    else:
        assert all(finding.message for finding in outcome.results)


def test_a_template_that_loops_is_stopped() -> None:
    """Templates have limits on what they may do and write."""
    loop = "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}"
    patches = [{"name": "p", "enabledIf": loop, "definitions": [{
        "selector": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "MetalClusterTemplate",
                     "matchResources": {"infrastructureCluster": True}},
        "jsonPatches": [{"op": "add", "path": "/spec/template/spec/x", "value": 1}]}]}]  # fmt: skip

    outcome = run(package(the_class=cluster_class(patches=patches)))

    assert rules(outcome) == ["limit"]


@pytest.mark.parametrize(
    ("kind", "patch", "said"),
    [
        (
            "KubeadmControlPlaneTemplate",
            {"path": "/spec/template/spec/kubeadmConfigSpec/notAField", "value": 1},
            "spec.kubeadmConfigSpec.notAField: Forbidden: field not declared in schema",
        ),
        (
            "KubeadmConfigTemplate",
            {"path": "/spec/template/spec/files", "value": [{"path": "/a", "content": "x", "contentFrom": {"secret": {"name": "s", "key": "k"}}}]},
            "spec.template.spec.files[0]: Invalid value: ",
        ),
    ],
)  # fmt: skip
def test_objects_that_the_api_refuses(kind: str, patch: Object, said: str) -> None:
    """The controller would be stuck with them, so they are errors, as in a plan and in validation; nothing is written."""
    is_plane = kind == "KubeadmControlPlaneTemplate"
    group = "controlplane" if is_plane else "bootstrap"
    match: Object = {"controlPlane": True} if is_plane else {"machineDeploymentClass": {"names": ["worker"]}}
    selector = {"apiVersion": f"{group}.cluster.x-k8s.io/v1beta2", "kind": kind, "matchResources": match}
    patches = [
        {"name": "p", "definitions": [{"selector": selector, "jsonPatches": [{"op": "add", **patch}]}]}
    ]
    outcome = run(package(the_class=cluster_class(patches=patches)))

    refused = [one.message for one in outcome.results if one.rule == "refused-object"]
    assert outcome.exit_code == 1
    assert generated(outcome) == []
    assert any(
        f"the API refuses the {kind.removesuffix('Template')}" in one and said in one for one in refused
    )
