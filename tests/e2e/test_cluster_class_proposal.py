"""The ClusterClass proposal's example of variables and patches, through default-, validate- and render-cluster-topology."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta1"


def template(kind: str, name: str, spec: Object, version: str = INFRASTRUCTURE) -> Object:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"template": {"spec": spec}},
    }


CONTROL_PLANE = "controlplane.cluster.x-k8s.io/v1beta1"
TEMPLATES = [
    template("AWSClusterTemplate", "cluster", {"region": ""}),
    template("KubeadmControlPlaneTemplate", "plane", {"kubeadmConfigSpec": {}}, CONTROL_PLANE),
    template("AWSMachineTemplate", "plane-machine", {"instanceType": "t3.small"}),
    template("AWSMachineTemplate", "worker-machine", {"instanceType": "t3.small"}),
    template("KubeadmConfigTemplate", "boot", {}, "bootstrap.cluster.x-k8s.io/v1beta1"),
]


def reference(index: int) -> Object:
    one = TEMPLATES[index]
    return {"ref": {"apiVersion": one["apiVersion"], "kind": one["kind"], "name": one["metadata"]["name"]}}


def patch(name: str, kind: str, match: Object | None, path: str, variable: str) -> Object:
    selector: Object = {"apiVersion": INFRASTRUCTURE, "kind": kind}
    if match:
        selector["matchResources"] = match
    operation = {"op": "replace", "path": path, "valueFrom": {"variable": variable}}
    return {"name": name, "definitions": [{"selector": selector, "jsonPatches": [operation]}]}


def proposal_class(machine_type: str = "t3.large", printed: bool = False) -> Object:
    """The class of the proposal; as `printed` there, with its typographic quotes and its wrong variable."""
    quotes = ("\u201c", "\u201d") if printed else ("", "")
    region = patch(
        "region",
        "AWSClusterTemplate",
        None if printed else {"infrastructureCluster": True},
        f"{quotes[0]}/spec/template/spec/region{quotes[1]}",
        "region",
    )
    machine = patch(
        "controlPlaneMachineType",
        "AWSMachineTemplate",
        {"controlPlane": True},
        f"{quotes[0]}/spec/template/spec/instanceType{quotes[1]}",
        "machineType" if printed else "controlPlaneMachineType",
    )
    text = {"type": "string"}
    worker = {"bootstrap": reference(4), "infrastructure": reference(3)}
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "ClusterClass",
        "metadata": {"name": "my-cluster-class"},
        "spec": {
            "infrastructure": reference(0),
            "controlPlane": {**reference(1), "machineInfrastructure": reference(2)},
            "workers": {"machineDeployments": [{"class": "worker", "template": worker}]},
            "variables": [
                {"name": "region", "required": True, "schema": {"openAPIV3Schema": text}},
                {
                    "name": "controlPlaneMachineType",
                    "schema": {"openAPIV3Schema": {**text, "default": machine_type}},
                },
            ],
            "patches": [region, machine],
        },
    }


def my_cluster(*variables: Object) -> Object:
    topology: Object = {"class": "my-cluster-class", "version": "v1.22.0", "variables": list(variables)}
    topology["workers"] = {"machineDeployments": [{"class": "worker", "name": "md-0"}]}
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "my-cluster"},
        "spec": {"topology": topology},
    }


REGION = {"name": "region", "value": "us-east-1"}


def run(function: str, *items: Object) -> tuple[list[Object], list[str]]:
    """The items that come out, and the messages of errors."""
    text = yaml.safe_dump(
        {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items)}
    )
    outcome = run_function(FUNCTIONS / function, text)
    errors = [result.message for result in outcome.results if result.severity == "error"]
    return yaml.safe_load(outcome.stdout)["items"], errors


def variables_of(items: list[Object]) -> Object:
    (cluster,) = (item for item in items if item["kind"] == "Cluster")
    return {one["name"]: one["value"] for one in cluster["spec"]["topology"]["variables"]}


def test_as_printed() -> None:
    """The class as printed is refused: the quotes are part of the paths, and one variable does not exist."""
    _, errors = run("validate-cluster-topology", proposal_class(printed=True), *TEMPLATES)

    assert any("variable with name machineType cannot be found" in error for error in errors)
    assert sum('jsonPatch path must start with "/spec"' in error for error in errors) == 2
    assert sum("no selector enabled" in error for error in errors) == 1


def test_defaulted_and_rendered() -> None:
    """The default of the machine type is filled in, and each patch reaches its own template only."""
    items, errors = run("default-cluster-topology", proposal_class(), my_cluster(REGION), *TEMPLATES)

    assert errors == []
    assert variables_of(items) == {"region": "us-east-1", "controlPlaneMachineType": "t3.large"}
    assert run("validate-cluster-topology", *items)[1] == []
    rendered, errors = run("render-cluster-topology", *items)
    assert errors == []
    (infrastructure,) = (one for one in rendered if one["kind"] == "AWSCluster")
    machines = {
        one["metadata"]["annotations"]["cluster.x-k8s.io/cloned-from-name"]: one["spec"]["template"]["spec"]
        for one in rendered
        if one["kind"] == "AWSMachineTemplate"
        and "krmkit.dev/generated-by" in one["metadata"].get("annotations", {})
    }
    assert infrastructure["spec"] == {"region": "us-east-1"}
    assert machines == {
        "plane-machine": {"instanceType": "t3.large"},
        "worker-machine": {"instanceType": "t3.small"},
    }


@pytest.mark.parametrize("function", ["default-cluster-topology", "validate-cluster-topology"])
def test_region_is_required(function: str) -> None:
    """Without a region the Cluster is refused."""
    _, errors = run(function, proposal_class(), my_cluster(), *TEMPLATES)

    assert errors == ['Required value: required variable "region" must be set']


def test_a_later_default() -> None:
    """A value that was defaulted stays when the class gets another default."""
    items, _ = run("default-cluster-topology", proposal_class(), my_cluster(REGION), *TEMPLATES)
    (cluster,) = (item for item in items if item["kind"] == "Cluster")
    items, _ = run("default-cluster-topology", proposal_class("t3.xlarge"), cluster, *TEMPLATES)

    assert variables_of(items)["controlPlaneMachineType"] == "t3.large"
    assert variables_of(
        run("default-cluster-topology", proposal_class("t3.xlarge"), my_cluster(REGION))[0]
    ) == {
        "region": "us-east-1",
        "controlPlaneMachineType": "t3.xlarge",
    }


def test_patch_named_inline() -> None:
    """`inline` is where the class's own variables come from, and no name for a patch."""
    owner = proposal_class()
    owner["spec"]["patches"][0]["name"] = "inline"
    _, errors = run("validate-cluster-topology", owner, *TEMPLATES)

    assert errors == ['Required value: "inline" can not be used as the name of a patch']


def discovered_class(schema: Object) -> Object:
    """A class with an extension that defines variables, as its status says."""
    owner = proposal_class()
    owner["spec"]["patches"].append(
        {"name": "proxies", "external": {"generateExtension": "g.x", "discoverVariablesExtension": "d.x"}}
    )
    definition = {"from": "proxies", "required": False, "schema": {"openAPIV3Schema": schema}}
    own = {"name": "controlPlaneMachineType", "definitions": [{"from": "inline"}, definition]}
    proxy = {
        "name": "http-proxy",
        "definitions": [{**definition, "schema": {"openAPIV3Schema": {"type": "string"}}}],
    }
    owner["status"] = {"variables": [own, proxy]}
    return owner


def test_definitions_that_agree() -> None:
    """Two definitions with one schema are no conflict, and variables of extensions can be set."""
    owner = discovered_class({"type": "string", "default": "t3.large"})
    items, errors = run(
        "default-cluster-topology", owner, my_cluster(REGION, {"name": "http-proxy", "value": "p:3128"})
    )

    assert errors == []
    assert variables_of(items)["controlPlaneMachineType"] == "t3.large"


def test_definitions_that_conflict() -> None:
    """Definitions that differ stop everything that needs the variables, and the message names them."""
    owner = discovered_class({"type": "string", "default": "different"})
    text = yaml.safe_dump(
        {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "items": [owner, my_cluster(REGION)],
        }
    )
    outcome = run_function(FUNCTIONS / "default-cluster-topology", text)

    assert [result.rule for result in outcome.results if result.severity == "warning"] == [
        "unknown-variables"
    ]
    assert (
        "failed to discover variables for ClusterClass my-cluster-class: the following variables have conflicting"
        " schemas: controlPlaneMachineType"
    ) in outcome.results[0].message
