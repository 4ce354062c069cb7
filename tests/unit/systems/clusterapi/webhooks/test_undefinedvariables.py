"""krmkit.systems.clusterapi.webhooks.undefinedvariables: templates of patches that read what nobody defines."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.webhooks.undefinedvariables import (
    RULE,
    undefined_in_class,
    undefined_in_extension,
)
from tests.unit.systems.clusterapi.desired.test_render import package as rendered_package
from tests.unit.systems.clusterapi.desired.test_render import run
from tests.unit.systems.clusterapi.fixtures import INFRASTRUCTURE, cluster_class
from tests.unit.systems.clusterapi.lists import validated
from tests.unit.systems.clusterapi.objects import reference, small_class, small_cluster

TEMPLATE = "spec.patches[0].definitions[0].jsonPatches[0].valueFrom.template"
VARIABLES: list[tuple[str, Object]] = [
    ("region", {"type": "string"}),
    ("nodes", {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}),
    ("lb", {"type": "object", "properties": {"host": {"type": "string"}, "tags": {"type": "object"}}}),
    ("labels", {"type": "object", "additionalProperties": {"type": "string"}}),
    (
        "free",
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "x-kubernetes-preserve-unknown-fields": True,
        },
    ),
]


def definitions() -> list[Object]:
    return [
        {"name": name, "required": False, "schema": {"openAPIV3Schema": schema}} for name, schema in VARIABLES
    ]


def patch(template: str, enabled_if: str = "") -> Object:
    """A patch of the infrastructure of the small class."""
    selector = {
        "apiVersion": reference("InfraTemplate")["apiVersion"],
        "kind": "InfraTemplate",
        "matchResources": {"infrastructureCluster": True},
    }
    change = {"op": "add", "path": "/spec/template/spec/x", "valueFrom": {"template": template}}
    found: Object = {"name": "p", "definitions": [{"selector": selector, "jsonPatches": [change]}]}
    return {**found, "enabledIf": enabled_if} if enabled_if else found


@pytest.mark.parametrize(
    "template",
    [
        "plain",
        "{{ .region }}{{ .lb.host }}{{ .lb.tags.any }}{{ .labels.any }}{{ .free.any }}",
        "{{ range .nodes }}{{ .name }}{{ $.region }}{{ end }}{{ with .lb }}{{ .host }}{{ end }}",
        "{{ $v := .region }}{{ $v }}{{ (index .nodes 0).nmae }}",
        "{{ .builtin.cluster.topology.version }}{{ .builtin.cluster.metadata.labels.any }}",
        "{{ .builtin.machineDeployment.infrastructureRef.name }}{{ .builtin.controlPlane.machineTemplate }}",
        '{{ define "t" }}{{ .inner }}{{ end }}{{ template "t" .lb }}',
        "{{ .broken",
    ],
    ids=["none", "fields", "range and with", "assigned", "builtin", "builtin names", "called", "broken"],
)
def test_what_is_defined(template: str) -> None:
    """Variables, their fields, builtins, and what another value than the data begins."""
    owner = small_class(variables=definitions(), patches=[patch(template)])

    assert list(undefined_in_class(owner, None)) == []


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ .regoin }}", 'reads .regoin, and the class defines no variable "regoin", so'),
        ("{{ .regoin | default `x` }}", 'did you mean "region"?'),
        ("{{ if .regoin }}a{{ end }}", 'did you mean "region"?'),
        ("{{ range .nodes }}{{ $.regoin }}{{ end }}", 'did you mean "region"?'),
        ("{{ .lb.hots }}", 'reads .lb.hots, and .lb has no field "hots", so'),
        ("{{ .buitlin.cluster.name }}", 'did you mean "builtin"?'),
        ("{{ .builtin.clutser.name }}", '.builtin has no field "clutser", so'),
        ("{{ .builtin.cluster.nmae }}", 'did you mean "name"?'),
    ],
)
def test_what_nobody_defines(template: str, said: str) -> None:
    """The message has what is read, what becomes of it, and the nearest name."""
    owner = small_class(variables=definitions(), patches=[patch(template)])

    [found] = undefined_in_class(owner, None)

    assert (found.rule, found.severity, found.field) == (RULE, "warning", TEMPLATE)
    assert said in found.message
    assert '"<no value>"' in found.message


def test_enabled_if() -> None:
    """A patch that is never enabled is silent, too."""
    owner = small_class(variables=definitions(), patches=[patch("x", "{{ .regoin }}")])

    [found] = undefined_in_class(owner, None)

    assert (found.field, found.current) == ("spec.patches[0].enabledIf", ".regoin")


def test_the_validator() -> None:
    """It warns, once for all Clusters of the class, and does not fail."""
    owner = small_class(variables=definitions(), patches=[patch("{{ .regoin }}")])

    found = validated([owner, small_cluster("a"), small_cluster("b")])

    assert [(one.rule, (one.resource_ref or {})["kind"]) for one in found] == [(RULE, "ClusterClass")]


def test_the_render() -> None:
    """It warns, and writes what Cluster API writes."""
    own = patch("a-{{ .regoin }}")
    own["definitions"][0]["selector"].update(apiVersion=INFRASTRUCTURE, kind="MetalClusterTemplate")

    outcome = run(rendered_package(the_class=cluster_class(variables=definitions(), patches=[own])))

    assert outcome.exit_code == 0
    [found] = [one for one in outcome.results if one.rule == RULE]
    assert found.field == TEMPLATE
    assert "x: a-<no value>" in outcome.stdout


def extension(handlers: list[Object]) -> Object:
    return {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "x"},
        "spec": {"handlers": handlers},
    }


@pytest.mark.parametrize(
    ("handlers", "count"),
    [
        (
            [{"name": "a", "variables": definitions(), "patches": [patch("{{ .regoin }}{{ .settings.x }}")]}],
            1,
        ),
        ([{"name": "a", "variables": definitions()}, {"name": "b", "patches": [patch("{{ .region }}")]}], 0),
        ([{"name": "a", "patches": [patch("{{ .region }}")]}], 0),
    ],
    ids=["a slip", "variables of another handler", "no variables"],
)
def test_an_extension_as_data(handlers: list[Object], count: int) -> None:
    """All handlers define variables together; without any, those of the class may be meant."""
    found = list(undefined_in_extension(extension(handlers), None))

    assert len(found) == count
    assert all(".handlers[0].patches[0].definitions[0]" in one.field for one in found)
