"""Arguments that a template has already, or that two patches set: a list of v1beta2 must not hold one twice."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.migration.objects import Migration, migrate
from krmkit.systems.clusterapi.webhooks.patches import validate_patches
from tests.unit.systems.clusterapi.migration.test_objects import ARGUMENTS, CLASS

TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME}
spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {a: b, v: "1"}}}}}}
"""
DEFINITION = """\
  - name: second
    definitions:
    - selector:
        apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
        kind: KubeadmConfigTemplate
        matchResources: {machineDeploymentClass: {names: [w]}}
      jsonPatches:
      - {op: add, path: ARGUMENTS/v, value: "3"}
"""


def migrated(
    *patches: dict[str, Any], template: str = TEMPLATE, more: str = ""
) -> tuple[Migration, list[Any]]:
    """The migration of a class with patches and its template, and the JSON patches of the first definition."""
    owner = yaml.safe_load(CLASS.replace("PATCHES", ""))
    owner["spec"]["patches"][0]["definitions"][0]["jsonPatches"] = list(patches)
    owner["spec"]["patches"] += yaml.safe_load(more) or []
    name = owner["spec"]["workers"]["machineDeployments"][0]["template"]["bootstrap"]["ref"]["name"]
    items = [Resource(yaml.safe_dump(owner)), Resource(template.replace("NAME", name))]
    found = migrate(items)
    assert refused(items) == []
    return found, yaml.safe_load(items[0].text)["spec"]["patches"][0]["definitions"][0]["jsonPatches"]


def test_the_template_selects() -> None:
    """The definition of the class selects the workers' template."""
    definition = yaml.safe_load(CLASS.replace("PATCHES", ""))["spec"]["patches"][0]["definitions"][0]

    assert definition["selector"]["matchResources"] == {"machineDeploymentClass": {"names": ["w"]}}


def refused(items: list[Resource]) -> list[str]:
    """What the webhook of ClusterClass says of the paths of patches."""
    owner = yaml.safe_load(items[0].text)
    return [str(error) for error in validate_patches(owner, FeatureGates()) if "path" in error.field]


@pytest.mark.parametrize("op", ["add", "replace"])
def test_an_argument_that_is_there(op: str) -> None:
    """The whole list is replaced, in the order of the template's text: the webhook lets no patch touch one item."""
    found, patches = migrated({"op": op, "path": f"{ARGUMENTS}/v", "valueFrom": {"variable": "level"}})

    assert found.findings == []
    template = '- name: a\n  value: "b"\n- name: v\n  value: {{ .level | toJson }}\n'
    assert patches == [{"op": "replace", "path": ARGUMENTS, "valueFrom": {"template": template}}]


def test_an_argument_of_a_list() -> None:
    """The same for a template that is in v1beta2 already."""
    newer = TEMPLATE.replace("v1beta1", "v1beta2").replace('{a: b, v: "1"}', "[{name: v, value: '1'}]")
    _, patches = migrated({"op": "add", "path": f"{ARGUMENTS}/v", "value": "3"}, template=newer)

    assert patches == [{"op": "replace", "path": ARGUMENTS, "value": [{"name": "v", "value": "3"}]}]


def test_arguments_one_after_the_other() -> None:
    """A patch knows what those before it in its definition made of the arguments."""
    found, patches = migrated(
        {"op": "replace", "path": f"{ARGUMENTS}/v", "value": "3"},
        {"op": "add", "path": f"{ARGUMENTS}/x", "value": "4"},
        {"op": "remove", "path": f"{ARGUMENTS}/a"},
    )

    assert found.findings == []
    assert [(one["op"], one["path"]) for one in patches] == [
        ("replace", ARGUMENTS),
        ("add", f"{ARGUMENTS}/-"),
        ("replace", ARGUMENTS),
    ]
    assert patches[2]["value"] == [{"name": "v", "value": "3"}, {"name": "x", "value": "4"}]


def test_the_last_argument_goes() -> None:
    """A list that is empty then goes as a whole, as v1beta2 refuses empty ones."""
    one = TEMPLATE.replace("a: b, ", "")
    _, patches = migrated({"op": "remove", "path": f"{ARGUMENTS}/v"}, template=one)

    assert patches == [{"op": "remove", "path": ARGUMENTS}]


def test_an_argument_that_another_patch_may_have_changed() -> None:
    """Whether the other patch applies is not known, so neither is the whole list."""
    found, _ = migrated(
        {"op": "add", "path": f"{ARGUMENTS}/x", "value": "4"}, more=DEFINITION.replace("ARGUMENTS", ARGUMENTS)
    )
    (error,) = [one for _, one in found.findings]

    assert (error.severity, error.field) == ("error", "spec.patches[1].definitions[0].jsonPatches[0]")
    assert "another patch changes the arguments before this one: take v out of the templates" in error.message


@pytest.mark.parametrize("variable", ["sites[0].level", "my-level"])
def test_a_variable_that_a_template_reads_otherwise(variable: str) -> None:
    found, _ = migrated({"op": "add", "path": f"{ARGUMENTS}/x", "valueFrom": {"variable": variable}})

    assert f"write one that reads {variable}" in found.findings[0][1].message


def test_an_argument_that_is_not_there() -> None:
    """It is appended."""
    _, patches = migrated({"op": "add", "path": f"{ARGUMENTS}/x", "value": "3"})

    assert patches == [{"op": "add", "path": f"{ARGUMENTS}/-", "value": {"name": "x", "value": "3"}}]


def test_two_patches_append_it() -> None:
    """Both are converted, and a person has to see to it that only one of them applies."""
    more = DEFINITION.replace("ARGUMENTS", ARGUMENTS)
    found, _ = migrated(
        {"op": "add", "path": f"{ARGUMENTS}/x", "valueFrom": {"variable": "level"}},
        more=more.replace("/v,", "/x,"),
    )
    (warning,) = [one for _, one in found.findings]

    assert warning.severity == "warning"
    assert warning.field == "spec.patches[1].definitions[0]"
    assert "and second both append x: v1beta1 takes the last value" in warning.message
    assert (
        migrated({"op": "add", "path": f"{ARGUMENTS}/x", "value": "1"}, more=more.replace("/v,", "/y,"))[
            0
        ].findings
        == []
    )
