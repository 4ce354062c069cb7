"""Keys of blueprints, templates and output that Landscaper drops: a warning each, from rendering and from validation."""

from __future__ import annotations

import pytest

from krmkit.systems.landscaper.reconcile.plan import operation_warnings
from tests.unit.systems.landscaper.rendered.test_render import render
from tests.unit.systems.landscaper.test_live import GIVES
from tests.unit.systems.landscaper.worlds import INLINE, installation

ITEM = "name: a, type: t, config: {apiVersion: x/v1, kind: C, any: {thing: 1}}, labels: {some: label}"
GO = "deployExecutions:\n- name: d\n  type: GoTemplate\n  template: 'deployItems: [{%s}]'\n"
SPIFF = "deployExecutions:\n- name: d\n  type: Spiff\n  template: {deployItems: [{%s}]}\n"


def warnings(body: str, function: str = "render") -> list[str]:
    """The messages of all warnings about an Installation with this blueprint."""
    outcome = render(installation("shop", body, componentDescriptor=INLINE), function=function)
    assert all(
        one.rule in ("unknown-field", "unused-default")
        for one in outcome.results
        if one.severity == "warning"
    )
    return [one.message for one in outcome.results if one.severity == "warning"]


@pytest.mark.parametrize("function", ["render", "validate"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("deployExecution: []\n", 'blueprint: deployExecution is no field, so Landscaper does not read it; did you mean "deployExecutions"?'),
        ("DeployExecutions: []\n", 'did you mean "deployExecutions"?'),
        ("imports: [{name: a, required: false, schema: {}, defualt: {value: 1}}]\n", 'blueprint imports[0]: defualt is no field, so Landscaper does not read it; did you mean "default"?'),
        ("exports: []\nexportExecutions: [{name: e, type: GoTemplate, templat: '', template: 'exports: {}'}]\n", "blueprint exportExecutions[0]: templat is no field"),
        (GO % f"{ITEM}, dependOn: []", 'blueprint deployExecutions.d.deployItems[0]: dependOn is no field, so Landscaper does not read it; did you mean "dependsOn"?'),
        (SPIFF % f"{ITEM}, updateOnChange: true", "blueprint deployExecutions.d.deployItems[0]: updateOnChange is no field"),
        (GO.replace("deployItems", "deployitem") % "", "blueprint deployExecutions.d: deployitem is no field"),
        ("subinstallations:\n" + GIVES + "  exportMappings: {}\n", "blueprint subinstallations[0]: exportMappings is no field"),
        ("imports: [{name: a, required: false, schema: {}, imports: [{name: b, schema: {}, shema: {}}]}]\n", "blueprint imports[0].imports[0]: shema is no field"),
    ],
)  # fmt: skip
def test_misspelt_keys(body: str, message: str, function: str) -> None:
    """The place, the key and the nearest field are named."""
    (found,) = warnings(body, function)

    assert message in found


@pytest.mark.parametrize(
    "body",
    [
        GO % ITEM,
        SPIFF % ITEM,
        GO.replace("deployItems", "DEPLOYITEMS") % ITEM.replace("name", "Name"),
        "annotations: {any: x}\nlocalTypes: {any: {}}\njsonSchemaVersion: https://json-schema.org/draft-07/schema\n",
        "subinstallations:\n" + GIVES,
        "imports: [{name: a, required: false, schema: {any: 1}, default: {value: {any: 1}}}]\n",
    ],
)
def test_fields(body: str) -> None:
    """What Landscaper reads, in any case in output, and free data are no warnings."""
    assert warnings(body) == []


def test_a_default_of_a_required_import() -> None:
    """It is never taken; a nested import is looked at, too."""
    body = "imports: [{name: a, required: false, schema: {}, imports: [{name: b, schema: {}, default: {value: 1}}]}]\n"

    assert warnings(body) == [
        "blueprint imports.b: the default is never taken, as the import is required; set required: false"
    ]


@pytest.mark.parametrize(
    ("operation", "hint"),
    [
        ("force-reconcile", 'did you mean "reconcile"?'),
        ("abort", 'did you mean "interrupt"?'),
        ("reconcil", 'did you mean "reconcile"?'),
        ("stop", "known: reconcile, interrupt"),
    ],
)
def test_operations(operation: str, hint: str) -> None:
    """Operations of older versions lead to those of today; one for tests is never proposed."""
    shop = installation("shop", "")
    shop["metadata"]["annotations"] = {"landscaper.gardener.cloud/operation": operation}

    (found,) = operation_warnings(shop, None)

    assert found.message == f"Landscaper knows no operation {operation}; {hint}"
