"""Extensions among the items: the ones that answer, the ones that are refused, and parity with inline patches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from tests.unit.systems.clusterapi.fixtures import (
    INFRASTRUCTURE,
    cluster,
    cluster_class,
    templates,
)

FUNCTION = Path(__file__).resolve().parents[5] / "functions/render-cluster-topology"
VARIABLES = [{"name": "region", "required": True, "schema": {"openAPIV3Schema": {"type": "string"}}}]
PATCH: Object = {
    "name": "region",
    "definitions": [
        {
            "selector": {
                "apiVersion": INFRASTRUCTURE,
                "kind": "MetalClusterTemplate",
                "matchResources": {"infrastructureCluster": True},
            },
            "jsonPatches": [
                {"op": "replace", "path": "/spec/template/spec/region", "valueFrom": {"variable": "region"}},
                {"op": "add", "path": "/spec/template/spec/tags", "value": ["a", "b"]},
            ],
        }
    ],
}
EXTERNAL = {
    "name": "region",
    "external": {
        "generatePatchesExtension": "generate-patches-metal.ext",
        "validateTopologyExtension": "validate-topology-metal.ext",
        "discoverVariablesExtension": "discover-variables-metal.ext",
    },
}


def extension(name: str = "ext", *, stands_for: str = "", **handler: Any) -> Object:
    data: Object = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": name},
        "spec": {
            "handlers": [
                {
                    "name": "metal",
                    "variables": VARIABLES,
                    "patches": [PATCH],
                    "validations": [{"rule": "!self.spec.template.spec.?region.orValue('').startsWith('x')"}],
                    **handler,
                }
            ]
        },
    }
    if stands_for:
        data["metadata"]["annotations"] = {"krmkit.dev/extension": stands_for}
    return data


def config(name: str = "ext", answered_by: str = "", **spec: Any) -> Object:
    data: Object = {
        "apiVersion": "runtime.cluster.x-k8s.io/v1beta2",
        "kind": "ExtensionConfig",
        "metadata": {"name": name},
        "spec": {"clientConfig": {"service": {"name": "ext", "namespace": "system"}}, **spec},
    }
    if answered_by:
        data["metadata"]["annotations"] = {"krmkit.dev/extension": answered_by}
    return data


def run(*items: Object, patch: Object = EXTERNAL, region: str = "south", **fields: Any) -> Outcome:
    spec = {"patches": [patch], **fields}
    given = [
        cluster_class(**spec),
        *templates(),
        cluster(variables=[{"name": "region", "value": region}]),
        *items,
    ]
    function_config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "RenderClusterTopology",
        "metadata": {"name": "render"},
        "spec": {"featureGates": {"RuntimeSDK": True}},
    }
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": given}
    return run_function(FUNCTION, emit.document({**listed, "functionConfig": function_config}))


def generated(outcome: Outcome) -> list[Object]:
    return [
        item
        for item in yaml.safe_load(outcome.stdout)["items"]
        if "krmkit.dev/generated-by" in (item["metadata"].get("annotations") or {})
    ]


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([extension()], id="by its name"),
        pytest.param([extension(), config()], id="with a config"),
        pytest.param([extension("other", stands_for="ext"), config()], id="that names the config"),
        pytest.param([extension("other"), config(answered_by="other")], id="that the config names"),
    ],
)
def test_the_same_as_inline(items: list[Object]) -> None:
    """A patch that moves into an extension, with its variables, gives the same objects, key by key."""
    inline = run(patch=PATCH, variables=VARIABLES)
    external = run(*items)

    assert external.exit_code == 0, external.results
    assert emit.document(generated(external)) == emit.document(generated(inline))
    assert generated(inline)


@pytest.mark.parametrize(
    ("items", "rule", "message"),
    [
        pytest.param([], "class-error", "no answer to DiscoverVariables", id="nobody answers"),
        pytest.param([extension(patchs=[])], "bad-extension", 'did you mean "patches"?', id="broken"),
        pytest.param([extension(), extension("b", stands_for="ext")], "bad-extension", "has one", id="two"),
        pytest.param(
            [extension(), config(clientConfig={})], "bad-extension", "either url or service", id="config"
        ),
        pytest.param(
            [extension(), config(namespaceSelector={"matchLabels": {"team": "a"}})],
            "class-error",
            "namespaceSelector did not match object ns/metal",
            id="namespace left out",
        ),
    ],
)
def test_refused(items: list[Object], rule: str, message: str) -> None:
    """The result has the rule and says what is wrong."""
    outcome = run(*items)

    assert outcome.exit_code == 1
    assert any(one.rule == rule and message in one.message for one in outcome.results), outcome.results


def test_a_namespace_among_the_items_has_labels() -> None:
    """namespaceSelector sees them."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns", "labels": {"team": "a"}}}

    outcome = run(extension(), config(namespaceSelector={"matchLabels": {"team": "a"}}), namespace)

    assert outcome.exit_code == 0, outcome.results


def test_validation_and_variables_take_part() -> None:
    """ValidateTopology refuses the result; a variable that the extension defines is required."""
    refused = run(extension(), region="xyz")

    [error] = [one for one in refused.results if one.severity == "error"]
    assert error.rule == "topology-error"
    assert 'validation of patch "region" failed' in error.message
    assert "MetalClusterTemplate of Cluster ns/c1" in error.message


def test_settings_of_config_and_patch() -> None:
    """Those of the config lie below those of the patch, below them the defaults of the extension."""
    template = "{{ .settings.a }}-{{ .settings.b }}-{{ .settings.c }}"
    changed = {
        **PATCH,
        "definitions": [
            {
                **PATCH["definitions"][0],
                "jsonPatches": [
                    {
                        "op": "replace",
                        "path": "/spec/template/spec/region",
                        "valueFrom": {"template": template},
                    }
                ],
            }
        ],
    }
    found = extension(patches=[changed], settings={"defaults": {"a": "1", "b": "1", "c": "1"}})
    external = {**EXTERNAL["external"], "settings": {"c": "3"}}  # type: ignore[dict-item]

    outcome = run(
        found, config(settings={"b": "2", "c": "2"}), patch={"name": "region", "external": external}
    )

    [made] = [item for item in generated(outcome) if item["kind"] == "MetalCluster"]
    assert made["spec"]["region"] == "1-2-3"


def without_selected(**selector: Any) -> Object:
    definition = PATCH["definitions"][0]
    changed = {**definition, "selector": {**definition["selector"], **selector}}
    return {"name": "dead", "definitions": [changed]}


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (
            {"kind": "MetalClustrTemplate"},
            'no template is a MetalClustrTemplate; did you mean "MetalClusterTemplate"?',
        ),
        ({"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha9"}, "MetalClusterTemplate is there in "),
    ],
)
def test_a_patch_that_selects_nothing(selector: Object, message: str) -> None:
    """A typo or another apiVersion is a warning on the extension, as a class with such a selector is refused."""
    outcome = run(extension(patches=[PATCH, without_selected(**selector)]))

    assert outcome.exit_code == 0
    [found] = [one for one in outcome.results if one.rule == "unused-patch"]
    assert (found.severity, found.field) == ("warning", "spec.handlers[0].patches[1].definitions[0].selector")
    assert message in found.message


def test_patches_that_select_something() -> None:
    """No warning."""
    assert not [one for one in run(extension()).results if one.rule == "unused-patch"]
