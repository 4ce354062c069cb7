"""Objects of a topology that the API refuses, found before anything is applied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from tests.unit.systems.clusterapi.fixtures import (
    BOOTSTRAP,
    CONTROL_PLANE,
    INFRASTRUCTURE,
    cluster,
    cluster_class,
    template,
    templates,
)

FUNCTION = Path(__file__).resolve().parents[5] / "functions/validate-cluster-topology"


def with_template(changed: Object) -> list[Object]:
    """The templates, with this one in place of the one of its kind."""
    return [changed if one["kind"] == changed["kind"] else one for one in sound()]


def sound() -> list[Object]:
    """Templates that the API takes."""
    join = {"joinConfiguration": {"nodeRegistration": {"criSocket": "unix:///run/c.sock"}}}
    return [
        template(BOOTSTRAP, one["kind"], join) if one["kind"] == "KubeadmConfigTemplate" else one
        for one in templates()
    ]


def run(*items: Object, **spec: Any) -> Outcome:
    given = [cluster_class(**spec), cluster(), *items]
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": given}
    return run_function(FUNCTION, emit.document(listed))


def refused(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [
        (str((one.resource_ref or {}).get("kind")), one.field, one.message)
        for one in outcome.results
        if one.rule == "refused-object"
    ]


def test_a_sound_package() -> None:
    """Neither its templates nor what is made of them."""
    outcome = run(*sound())

    assert (outcome.exit_code, refused(outcome)) == (0, [])


@pytest.mark.parametrize(
    ("changed", "field", "message"),
    [
        (
            template(CONTROL_PLANE, "KubeadmControlPlaneTemplate", {"kubeadmConfigSpec": {}}),
            "spec.template.spec.kubeadmConfigSpec",
            "should have at least 1 properties; leave the field out, or fill it",
        ),
        (
            template(BOOTSTRAP, "KubeadmConfigTemplate", {"joinConfiguration": {}}),
            "spec.template.spec.joinConfiguration",
            "should have at least 1 properties; leave the field out, or fill it",
        ),
        (
            template(BOOTSTRAP, "KubeadmConfigTemplate", {"files": []}),
            "spec.template.spec.files",
            "should have at least 1 items; leave the field out, or fill it",
        ),
    ],
)
def test_templates(changed: Object, field: str, message: str) -> None:
    """Each is found once, at the template, and not again at all that is made of it."""
    outcome = run(*with_template(changed))

    assert outcome.exit_code == 1
    [found] = refused(outcome)
    assert found[:2] == (changed["kind"], field)
    assert message in found[2]


def test_what_a_patch_makes() -> None:
    """A template that the API takes, and a patch of the class after which the MachineDeployment is never made."""
    definition: Object = {
        "selector": {
            "apiVersion": BOOTSTRAP,
            "kind": "KubeadmConfigTemplate",
            "matchResources": {"machineDeploymentClass": {"names": ["*"]}},
        },
        "jsonPatches": [{"op": "add", "path": "/spec/template/spec/files", "value": []}],
    }

    found = refused(run(*sound(), patches=[{"name": "files", "definitions": [definition]}]))

    assert found
    assert {kind for kind, _, _ in found} == {"Cluster"}
    assert "the API refuses the KubeadmConfigTemplate of machineDeployments/" in found[0][2]
    assert "/bootstrapTemplate, spec.template.spec.files: " in found[0][2]


def test_a_crd_among_the_items() -> None:
    """Its schema and its rules hold for templates and for what is made of them."""
    spec = {
        "type": "object",
        "properties": {"image": {"type": "string"}, "imageFrom": {"type": "string"}},
        "x-kubernetes-validations": [
            {"rule": "has(self.image) != has(self.imageFrom)", "message": "image or imageFrom must be set"}
        ],
    }
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"template": {"type": "object", "properties": {"spec": spec}}},
            }
        },
    }
    group, version = INFRASTRUCTURE.split("/")
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"metalmachinetemplates.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": "MetalMachineTemplate"},
            "versions": [{"name": version, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    broken = template(INFRASTRUCTURE, "MetalMachineTemplate", {})

    assert refused(run(*sound(), crd)) == []
    [found] = refused(run(*with_template(broken), crd))
    assert found[0] == "MetalMachineTemplate"
    assert "image or imageFrom must be set" in found[2]


def run_these(*items: Object) -> Outcome:
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [*items, *sound()]}
    return run_function(FUNCTION, emit.document(listed))


@pytest.mark.parametrize(
    ("topology", "field", "message"),
    [
        ({"controlPlane": {}}, "controlPlane", "should have at least 1 properties; leave the field out, or fill it"),
        ({"workers": {"machinePools": []}}, "workers.machinePools", "should have at least 1 items; leave the field out, or fill it"),
        (
            {"workers": {"machineDeployments": [{"class": "worker", "name": "md", "rollout": {"strategy": {"rollingUpdate": {"maxSurge": 1}}}}]}},
            "workers.machineDeployments[0].rollout.strategy.type",
            "Required value",
        ),
        (
            {"controlPlane": {"healthCheck": {"remediation": {"triggerIf": {"unhealthyInRange": "1-3"}}}}},
            "controlPlane.healthCheck.remediation.triggerIf.unhealthyInRange",
            "should match",
        ),
        ({"controlPlane": {"deletion": {"nodeDrainTimeoutSeconds": -1}}}, "controlPlane.deletion.nodeDrainTimeoutSeconds", "greater than or equal to 0"),
        # The decoder warns of this value, and the schema refuses it: one error remains.
        (
            {"workers": {"machineDeployments": [{"class": "worker", "name": "md", "deletion": {"order": "First"}}]}},
            "workers.machineDeployments[0].deletion.order",
            "Unsupported value",
        ),
    ],
)  # fmt: skip
def test_clusters(topology: Object, field: str, message: str) -> None:
    """No webhook sees this: the schema of the Cluster refuses it."""
    outcome = run_these(cluster_class(), cluster(**topology))

    assert outcome.exit_code == 1
    [found] = [one for one in outcome.results if one.severity == "error"]
    assert (found.rule, found.field) == ("refused-object", f"spec.topology.{field}")
    assert message in found.message


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"variables": []}, "spec.variables"),
        ({"workers": {}}, "spec.workers"),
        ({"kubernetesVersions": []}, "spec.kubernetesVersions"),
        (
            {"variables": [{"name": "a", "schema": {"openAPIV3Schema": {"type": "string"}}}]},
            "spec.variables[0].required",
        ),
    ],
)
def test_classes(spec: Object, field: str) -> None:
    """A v1beta2 class needs what v1beta1 lets out."""
    assert ("ClusterClass", field) in {one[:2] for one in refused(run_these(cluster_class(**spec)))}


def test_one_error_for_one_field() -> None:
    """What a webhook or the decoder refuses is not said again by the schema."""
    workers = {"machineDeployments": [{"class": "worker", "name": "md"}, {"class": "worker", "name": "md"}]}
    outcome = run_these(cluster_class(), cluster(workers=workers, controlPlane={"replicas": "3"}))

    errors = [one.field for one in outcome.results if one.severity == "error"]
    assert sorted(errors) == sorted(set(errors))
    assert "spec.topology.controlPlane.replicas" in errors


def test_other_core_kinds_among_the_items() -> None:
    """A MachineHealthCheck that somebody wrote by hand; what a webhook fills is not asked for."""
    check: Object = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "MachineHealthCheck",
        "metadata": {"name": "c1", "namespace": "ns"},
        "spec": {"clusterName": "c1", "selector": {"matchLabels": {"a": "b"}}, "checks": {}},
    }
    assert refused(run_these(cluster_class(), cluster(), check)) == []
    check["spec"]["checks"] = {
        "unhealthyMachineConditions": [{"type": "Ready", "status": "False", "timeoutSeconds": 60}]
    }
    [found] = refused(run_these(cluster_class(), cluster(), check))
    assert found[:2] == ("MachineHealthCheck", "spec.checks.unhealthyMachineConditions[0].type")
    assert "type must not be one of: Ready" in found[2]


def test_a_control_plane_that_its_webhook_refuses() -> None:
    """The Cluster is taken, and the controller cannot make its control plane."""
    [found] = refused(run_these(cluster_class(), cluster(controlPlane={"replicas": 2})))

    assert found[0] == "Cluster"
    assert (
        "the API refuses the KubeadmControlPlane of controlPlane, spec.replicas: Forbidden: cannot be an even number"
        in found[2]
    )


def test_a_dropped_field_is_the_cause_of_one_error() -> None:
    """A v1beta1 shape in v1beta2: each field that goes is told with what is missing then, and nothing else about it."""

    def older(data: Object) -> Object:
        return {{"templateRef": "ref"}.get(key, key): value for key, value in data.items()}

    spec = cluster_class()["spec"]
    plane = spec["controlPlane"]
    shape = {
        "infrastructure": older(spec["infrastructure"]),
        "controlPlane": {**older(plane), "machineInfrastructure": older(plane["machineInfrastructure"])},
    }
    outcome = run(*sound(), **shape)

    cause = 'Required value; the cause: unknown field "ref", which the API server drops; did you mean "templateRef"?'
    errors = [(one.field, one.message) for one in outcome.results if one.severity == "error"]
    places = ("infrastructure", "controlPlane.machineInfrastructure", "controlPlane")
    assert [one for one in errors if "ref" in one[1]] == [
        (f"spec.{place}.templateRef", cause) for place in places
    ]
    assert not [field for field, _ in errors if ".ref" in field]
