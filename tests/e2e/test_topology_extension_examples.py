"""The examples of Cluster API's own page about topology mutation hooks: what they print is what comes out here."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.systems.clusterapi.api.errors import DefinitionsError
from krmkit.systems.clusterapi.variables.definitions import status_variables
from tests.e2e.extensionserver import ROOT, Server, post
from tests.unit.systems.clusterapi.fixtures import cluster, cluster_class, templates

UID = "7091de79-e26c-4af5-8be3-071bc4b102c9"
PATCH = "lbImageRepository"
EXTENSION_NAME = "k8s-upgrade-with-runtimesdk"
NO_PROXY: Object = {
    "name": "no-proxy",
    "required": True,
    "schema": {"openAPIV3Schema": {
        "type": "string", "default": "internal.com", "example": "internal.com",
        "description": "comma-separated list of machine or domain names excluded from using the proxy."}},
}  # fmt: skip


def http_proxy(host: str) -> Object:
    described = {"type": "string", "default": host, "example": host, "description": "proxy for http calls."}
    return {"name": "http-proxy", "schema": {"openAPIV3Schema": described}}


EXTERNAL = {
    "name": PATCH,
    "external": {
        "generatePatchesExtension": f"generate-patches-proxy.{EXTENSION_NAME}",
        "validateTopologyExtension": f"validate-topology-proxy.{EXTENSION_NAME}",
        "discoverVariablesExtension": f"discover-variables-proxy.{EXTENSION_NAME}",
    },
}
CLASS = cluster_class(variables=[NO_PROXY, http_proxy("proxy.example.com")], patches=[EXTERNAL])
VALUES = [
    {"name": "no-proxy", "value": "internal.domain.com"},
    {"name": "http-proxy", "value": "http://proxy.example2.com:1234"},
]
SELECTOR = {
    "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2",
    "kind": "MetalClusterTemplate",
    "matchResources": {"infrastructureCluster": True},
}


def extension(*variables: Object) -> Object:
    add = {"op": "add", "path": "/spec/template/spec/proxy", "valueFrom": {"variable": "http-proxy"}}
    return {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": EXTENSION_NAME},
        "spec": {
            "handlers": [
                {
                    "name": "proxy",
                    "variables": list(variables),
                    "patches": [
                        {"name": "proxy", "definitions": [{"selector": SELECTOR, "jsonPatches": [add]}]}
                    ],
                    "validations": [{"rule": "has(self.kind)"}],
                }
            ]
        },
    }


def run(function: str, the_class: Object, *items: Object) -> Outcome:
    kind = "".join(part.capitalize() for part in function.split("-"))
    given = [the_class, *templates(), cluster(variables=VALUES), *items]
    listed = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": deepcopy(given),
        "functionConfig": {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": kind,
            "metadata": {"name": "c"},
            "spec": {"featureGates": {"RuntimeSDK": True}},
        },
    }
    return run_function(ROOT / "functions" / function, emit.document(listed))


def errors(outcome: Outcome) -> list[str]:
    return [one.message for one in outcome.results if one.severity == "error"]


def test_a_conflict_is_in_the_status() -> None:
    """status.variables as the page prints it: both definitions of http-proxy by their source, marked as a conflict."""
    with pytest.raises(DefinitionsError, match=r"conflicting schemas: http-proxy$") as caught:
        status_variables(CLASS, {PATCH: [http_proxy("different.example.com")]})

    found = {one["name"]: one for one in caught.value.variables}
    inline, discovered = (
        {"from": source, "schema": http_proxy(host)["schema"]}
        for source, host in (("inline", "proxy.example.com"), (PATCH, "different.example.com"))
    )
    assert found["http-proxy"] == {
        "name": "http-proxy",
        "definitionsConflict": True,
        "definitions": [inline, discovered],
    }
    assert found["no-proxy"]["definitions"] == [
        {"from": "inline", "required": True, "schema": NO_PROXY["schema"]}
    ]
    assert not found["no-proxy"]["definitionsConflict"]


def test_a_conflict_refuses_the_clusters() -> None:
    """As long as definitions differ nothing is rendered, and the validator refuses the class as the controller does."""
    conflicting = extension(http_proxy("different.example.com"))
    rendered = run("render-cluster-topology", CLASS, conflicting)
    validated = run("validate-cluster-topology", CLASS, conflicting)

    assert rendered.exit_code == 1
    assert any("conflicting schemas: http-proxy" in message for message in errors(rendered)), rendered.results
    assert "krmkit.dev/generated-by" not in rendered.stdout
    assert validated.exit_code == 1
    assert "error" in {one.severity for one in validated.results if "http-proxy" in one.message}


def test_equal_schemas_are_no_conflict() -> None:
    """The Cluster's values are accepted, reach the patch, and the Cluster is rendered."""
    outcome = run("render-cluster-topology", CLASS, extension(http_proxy("proxy.example.com")))

    assert errors(outcome) == []
    [made] = [one for one in yaml.safe_load(outcome.stdout)["items"] if one["kind"] == "MetalCluster"]
    assert made["spec"]["proxy"] == "http://proxy.example2.com:1234"


def test_inline_is_no_name_for_a_patch() -> None:
    """It is what variables of the class have in `from`."""
    outcome = run("validate-cluster-topology", cluster_class(patches=[{**EXTERNAL, "name": "inline"}]))

    assert any('"inline" can not be used as the name of a patch' in one for one in errors(outcome))


STANDARD = {"type": "object", "properties": {"enabled": {
    "type": "boolean", "default": True,
    "description": "enabled enables the patches to enable Pod Security Standard via AdmissionConfiguration."},
    **{mode: {"type": "string", "default": level, "description":
        f"{mode} sets the level for the {mode} PodSecurityConfiguration mode. One of privileged, baseline, restricted."}
        for mode, level in (("enforce", "baseline"), ("audit", "restricted"), ("warn", "restricted"))}}}  # fmt: skip
PRINTED: list[Object] = [
    {"name": "etcdImageTag", "required": True, "schema": {"openAPIV3Schema": {
        "type": "string", "default": "3.5.3-0", "example": "3.5.3-0",
        "description": "etcdImageTag sets the tag for the etcd image."}}},
    {"name": "preLoadImages", "required": False, "schema": {"openAPIV3Schema": {
        "default": [], "type": "array", "items": {"type": "string"},
        "description": "preLoadImages sets the images for the Docker machines to preload."}}},
    {"name": "podSecurityStandard", "required": False, "schema": {"openAPIV3Schema": STANDARD}},
]  # fmt: skip
MACHINES = {"op": "add", "path": "/spec/template/spec/images", "valueFrom": {"variable": "preLoadImages"}}
HOLDER = {
    "apiVersion": "cluster.x-k8s.io/v1beta2",
    "kind": "MachineDeployment",
    "namespace": "default",
    "name": "cluster-md1-xyz",
    "fieldPath": "spec.template.spec.infrastructureRef",
}


def request(api_version: str) -> Object:
    """The page's request, with values in place of its dots."""
    template = {
        "apiVersion": api_version,
        "kind": "AWSMachineTemplate",
        "spec": {"template": {"spec": {"instanceType": "t3.large"}}},
    }
    own = [{"name": "builtin", "value": {"machineDeployment": {"class": "default-worker"}}}]
    return {
        "apiVersion": "hooks.runtime.cluster.x-k8s.io/v1alpha1",
        "kind": "GeneratePatchesRequest",
        "variables": [
            {"name": "etcdImageTag", "value": "3.5.3-0"},
            {"name": "preLoadImages", "value": ["a"]},
        ],
        "items": [{"uid": UID, "holderReference": HOLDER, "object": template, "variables": own}],
    }


def test_the_server_answers_as_printed(tmp_path: Path) -> None:
    """DiscoverVariables field by field; the uid comes back; an unknown apiVersion gets no patch, the same bytes each time."""
    selector = {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
        "kind": "AWSMachineTemplate",
        "matchResources": {"machineDeploymentClass": {"names": ["*"]}},
    }
    data = extension(*PRINTED)
    [handler] = data["spec"]["handlers"]
    handler["patches"] = [
        {"name": "images", "definitions": [{"selector": selector, "jsonPatches": [MACHINES]}]}
    ]
    (tmp_path / "extension.yaml").write_text(emit.document(data), "utf-8")

    with Server(tmp_path, "extension.yaml", "--workers", "2") as server:

        def asked(hook: str, body: Object) -> Object:
            texts = {post(server.connection(), f"{hook}-proxy", body) for _ in range(4)}
            [(status, text)] = texts
            assert status == 200
            answer: Object = json.loads(text)
            return answer

        discovered = asked("discovervariables/discover-variables", {"kind": "DiscoverVariablesRequest"})
        known = asked("generatepatches/generate-patches", request("infrastructure.cluster.x-k8s.io/v1beta1"))
        unknown = asked("generatepatches/generate-patches", request("infrastructure.cluster.x-k8s.io/v9"))

    assert (discovered["kind"], discovered["status"]) == ("DiscoverVariablesResponse", "Success")
    assert discovered["variables"] == PRINTED
    assert (known["kind"], known["status"], known["items"][0]["uid"]) == (
        "GeneratePatchesResponse",
        "Success",
        UID,
    )
    assert known["items"][0]["patchType"] == "JSONPatch"
    assert [(one["uid"], one["patch"]) for one in unknown["items"]] == [(UID, "W10=")]  # base64 of []
