"""Definitions of variables that conflict: what the functions say of them, and what the class shows."""

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

FUNCTIONS = Path(__file__).resolve().parents[4] / "functions"
RULES = [{"rule": "self != ''"}]
RULED: Object = {"x-kubernetes-validations": RULES}


def variable(required: bool = False, **schema: Any) -> Object:
    return {
        "name": "proxy",
        "required": required,
        "schema": {"openAPIV3Schema": {"type": "string", **schema}},
    }


def run(kind: str, discovered: Object, **spec: Any) -> Outcome:
    extension = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "ext"},
        "spec": {"handlers": [{"name": "proxy", "variables": [discovered]}]},
    }
    patch = {
        "name": "proxies",
        "external": {
            "generatePatchesExtension": "generate-patches-proxy.ext",
            "discoverVariablesExtension": "discover-variables-proxy.ext",
        },
    }
    own = variable(default="a", **RULED)
    given = [cluster_class(patches=[patch], variables=[own]), *templates(), cluster(), extension]
    config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "".join(word.capitalize() for word in kind.split("-")),
        "metadata": {"name": "config"},
        "spec": {"featureGates": {"RuntimeSDK": True}, **spec},
    }
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": given}
    return run_function(FUNCTIONS / kind, emit.document({**listed, "functionConfig": config}))


@pytest.mark.parametrize(
    ("discovered", "difference"),
    [
        (
            variable(default="b", **RULED),
            'proxy: inline and the patch "proxies" differ in default ("a", "b")',
        ),
        (
            variable(required=True, default="a", **RULED),
            'proxy: inline and the patch "proxies" differ in required (false, true)',
        ),
        (variable(default="a"), "differ in x-kubernetes-validations ("),
    ],
)
def test_validation_fails(discovered: Object, difference: str) -> None:
    """The controller stops reconciling the class and its Clusters, so exit code 1; the message says who differs in what."""
    outcome = run("validate-cluster-topology", discovered)

    assert outcome.exit_code == 1
    [found] = [one for one in outcome.results if one.rule == "bad-variables"]
    assert "the following variables have conflicting schemas: proxy; " in found.message
    assert difference in found.message
    assert "the controller reconciles neither the class nor its Clusters" in found.message


def test_the_status_shows_the_conflict() -> None:
    """As the controller writes it before it stops; an API server adds the reason of rules."""
    outcome = run("render-cluster-topology", variable(default="b"), writeStatus=True, failOn="never")

    [owner] = [one for one in yaml.safe_load(outcome.stdout)["items"] if one["kind"] == "ClusterClass"]
    [entry] = owner["status"]["variables"]
    assert (entry["name"], entry["definitionsConflict"]) == ("proxy", True)
    assert [one["from"] for one in entry["definitions"]] == ["inline", "proxies"]
    assert entry["definitions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] == [
        {"rule": "self != ''", "reason": "FieldValueInvalid"}
    ]
    assert any('differ in default ("a", "b")' in one.message for one in outcome.results)
