"""krmkit.systems.clusterapi.webhooks.patches: what the webhook refuses about patches."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.webhooks.patches import (
    BUILTINS,
    validate_patches,
    variable_name,
)
from tests.unit.systems.clusterapi.objects import GATES, small_class

SELECTOR = {
    "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2",
    "kind": "MachineTemplate",
    "matchResources": {"controlPlane": True},
}


def errors(*patches: dict[str, Any], gates: FeatureGates = GATES) -> list[tuple[str, str]]:
    variables = [{"name": "v", "schema": {"openAPIV3Schema": {"type": "string"}}}]
    owner = small_class(patches=list(patches), variables=variables)
    return [(error.field, error.body()) for error in validate_patches(owner, gates)]


def patch(selector: dict[str, Any] = SELECTOR, **operation: Any) -> dict[str, Any]:
    one = {"op": "add", "path": "/spec/x", "value": 1, **operation}
    given = {name: value for name, value in one.items() if value is not None}
    return {"name": "p", "definitions": [{"selector": selector, "jsonPatches": [given]}]}


FINE = {
    "value": patch(),
    "false is a value": patch(value=False),
    "variable": patch(value=None, valueFrom={"variable": "v.a[0]"}),
    "builtin": patch(value=None, valueFrom={"variable": "builtin.cluster.topology.version"}),
    "template": patch(value=None, valueFrom={"template": "{{ .v | upper }}"}),
    "remove needs no value": patch(op="remove", value=None),
    "prepend": patch(path="/spec/files/0"),
    "append": patch(path="/spec/files/-"),
    "all of spec": patch(path="/spec"),
    "external": {"name": "p", "external": {"generatePatchesExtension": "a.b"}},
}


@pytest.mark.parametrize("one", FINE.values(), ids=FINE.keys())
def test_fine(one: dict[str, Any]) -> None:
    """These patches are accepted."""
    assert errors(one) == []


J = "spec.patches[0].definitions[0].jsonPatches[0]"
REFUSED = {
    "name": ({**patch(), "name": ""}, "spec.patches[0].name", "Required value: patch name must be defined"),
    "inline": (
        {**patch(), "name": "inline"},
        "spec.patches[0].name",
        'Required value: "inline" can not be used as the name of a patch',
    ),
    "nothing": (
        {"name": "p"},
        "spec.patches[0]",
        "Required value: one of definitions or external must be defined",
    ),
    "both": (
        {"name": "p", "external": {"generatePatchesExtension": "a<b"}, "definitions": []},
        "spec.patches[0]",
        'Invalid value: {"name":"p","external":{"generatePatchesExtension":"a\\u003cb"}}: only one of definitions or'
        " external can be defined",
    ),
    "external without hooks": (
        {"name": "p", "external": {"settings": {"a": "b"}}},
        "spec.patches[0].external",
        'Invalid value: {"settings":{"a":"b"}}: one of validateTopologyExtension and generatePatchesExtension must be'
        " defined",
    ),
    "enabledIf": (
        {**patch(), "enabledIf": "{{ if }}"},
        "spec.patches[0].enabledIf",
        'Invalid value: "{{ if }}": template can not be parsed: template: enabledIf:1: missing value for if',
    ),
    "operation": (
        patch(op="move"),
        J + ".op",
        'Unsupported value: "{\\n  \\"op\\": \\"move\\",\\n  \\"path\\": \\"/spec/x\\",\\n  \\"value\\": 1\\n}":'
        ' supported values: "add", "remove", "replace"',
    ),
    "path": (
        patch(path="/metadata/labels/a"),
        J + ".path",
        'Invalid value: "{\\n  \\"op\\": \\"add\\",\\n  \\"path\\": \\"/metadata/labels/a\\",\\n  \\"value\\": 1\\n}":'
        ' jsonPatch path must start with "/spec"',
    ),
    "index": (
        patch(path="/spec/files/01"),
        J + ".path",
        'Invalid value: "/spec/files/01": arrays can only be accessed using "0" (prepend) or "-" (append)',
    ),
    "index of replace": (
        patch(op="replace", path="/spec/files/0"),
        J + ".path",
        'Invalid value: "/spec/files/0": elements in arrays can not be accessed in a replace operation',
    ),
    "value and valueFrom": (
        patch(valueFrom={"variable": "v"}),
        J,
        'Invalid value: "{\\n  \\"op\\": \\"add\\",\\n  \\"path\\": \\"/spec/x\\",\\n  \\"value\\": 1,\\n  \\"valueFrom\\":'
        ' {\\n    \\"variable\\": \\"v\\"\\n  }\\n}": jsonPatch can not define both value and valueFrom',
    ),
    "empty valueFrom": (
        patch(value=None, valueFrom={}),
        J + ".valueFrom",
        'Invalid value: "{}": valueFrom must set either template or variable',
    ),
    "variable": (
        patch(value=None, valueFrom={"variable": "no.a[0]"}),
        J + ".valueFrom.variable",
        'Invalid value: "no.a[0]": variable with name no.a[0] cannot be found',
    ),
    "only dots": (
        patch(value=None, valueFrom={"variable": "..."}),
        J + ".valueFrom.variable",
        'Invalid value: "...": variable with name ... cannot be found',
    ),
    "no such builtin": (
        patch(value=None, valueFrom={"variable": "builtin.cluster.nope"}),
        J + ".valueFrom.variable",
        'Invalid value: "builtin.cluster.nope": not a defined builtin variable',
    ),
}


@pytest.mark.parametrize(("one", "field", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(one: dict[str, Any], field: str, text: str) -> None:
    """Each rule refuses with the reference's path and text."""
    assert errors(one) == [(field, text)]


def test_two_of_a_name() -> None:
    """The second patch of a name is refused."""
    assert [field for field, _ in errors(patch(), patch())] == ["spec.patches[1].name"]


def test_external_needs_its_gate() -> None:
    """Without RuntimeSDK external patches are refused."""
    (found,) = errors(FINE["external"], gates=FeatureGates())

    assert found[1] == "Forbidden: patch.external can be used only if the RuntimeSDK feature flag is enabled"


def selector(**match: Any) -> dict[str, Any]:
    return patch({**SELECTOR, "matchResources": match})


MATCHES = {
    "deployment": (selector(machineDeploymentClass={"names": ["default-worker"]}), []),
    "star in front": (selector(machineDeploymentClass={"names": ["*-worker"]}), []),
    "star behind": (selector(machinePoolClass={"names": ["po*"]}), []),
    "only a star": (selector(machinePoolClass={"names": ["*"]}), []),
    "one name without a class": (
        selector(machineDeploymentClass={"names": ["default-worker", "no"]}),
        ["machineDeploymentClass.names[1]"],
    ),
    "two stars end the search": (
        selector(machinePoolClass={"names": ["no", "*a*", "no"]}),
        ["machinePoolClass.names[0]", "machinePoolClass.names[1]"],
    ),
    "star inside": (selector(machinePoolClass={"names": ["a*b"]}), ["machinePoolClass.names[0]"]),
    "no Kubernetes name": (selector(machinePoolClass={"names": ["a b*"]}), ["machinePoolClass.names[0]"]),
    "wrong place": (selector(infrastructureCluster=True), ["infrastructureCluster"]),
}


@pytest.mark.parametrize(("one", "places"), MATCHES.values(), ids=MATCHES.keys())
def test_selector(one: dict[str, Any], places: list[str]) -> None:
    """Every place that a selector names has to have a template of its kind."""
    prefix = "spec.patches[0].definitions[0].selector.matchResources."

    assert [field.removeprefix(prefix) for field, _ in errors(one)] == places


def test_no_selector() -> None:
    """A selector without a place is refused as a whole."""
    ((field, text),) = errors(selector(controlPlane=False, machinePoolClass={"names": []}))

    assert field == "spec.patches[0].definitions[0].selector"
    assert text.endswith(": no selector enabled")


def test_helpers() -> None:
    """Names end at the first dot or bracket."""
    assert [variable_name(path) for path in ("a", "a.b", "a[0].b", "")] == ["a", "a", "a", ""]
    assert "builtin.machinePool.bootstrap.configRef.name" in BUILTINS and "builtin" in BUILTINS
    assert "builtin.controlPlane.class" not in BUILTINS
