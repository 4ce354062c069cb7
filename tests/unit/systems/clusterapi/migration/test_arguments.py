"""Arguments that a template has already, or that two patches set: a list of v1beta2 must not hold one twice."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.migration.objects import Migration, migrate
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
    return found, yaml.safe_load(items[0].text)["spec"]["patches"][0]["definitions"][0]["jsonPatches"]


def test_the_template_selects() -> None:
    """The definition of the class selects the workers' template."""
    definition = yaml.safe_load(CLASS.replace("PATCHES", ""))["spec"]["patches"][0]["definitions"][0]

    assert definition["selector"]["matchResources"] == {"machineDeploymentClass": {"names": ["w"]}}


@pytest.mark.parametrize("op", ["add", "replace"])
def test_an_argument_that_is_there(op: str) -> None:
    """Its value is replaced where it stands, in the order of the template's text."""
    found, patches = migrated({"op": op, "path": f"{ARGUMENTS}/v", "valueFrom": {"variable": "level"}})

    assert found.findings == []
    assert patches == [{"op": "replace", "path": f"{ARGUMENTS}/1/value", "valueFrom": {"variable": "level"}}]


def test_an_argument_of_a_list() -> None:
    """The same for a template that is in v1beta2 already."""
    newer = TEMPLATE.replace("v1beta1", "v1beta2").replace('{a: b, v: "1"}', "[{name: v, value: '1'}]")
    _, patches = migrated({"op": "add", "path": f"{ARGUMENTS}/v", "value": "3"}, template=newer)

    assert patches == [{"op": "replace", "path": f"{ARGUMENTS}/0/value", "value": "3"}]


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
