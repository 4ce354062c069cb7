"""Objects of installations that the API refuses, given and made."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit

FUNCTION = Path(__file__).resolve().parents[5] / "functions/validate-installation"
API = "landscaper.gardener.cloud/v1alpha1"
SOUND = {"apiVersion": "helm.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}


def installation(config: Object) -> Object:
    """An Installation whose blueprint makes one DeployItem with this config."""
    execution = {
        "name": "a",
        "type": "GoTemplate",
        "template": emit.document({"deployItems": [{"name": "item", "type": "t", "config": config}]}),
    }
    blueprint = {"apiVersion": API, "kind": "Blueprint", "deployExecutions": [execution]}
    filesystem = {"blueprint.yaml": emit.document(blueprint)}
    return {
        "apiVersion": API,
        "kind": "Installation",
        "metadata": {"name": "shop", "namespace": "default"},
        "spec": {"blueprint": {"inline": {"filesystem": filesystem}}},
    }


def run(*items: Object) -> Outcome:
    return run_function(
        FUNCTION,
        emit.document(
            {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items)}
        ),
    )


def refused(outcome: Outcome) -> list[tuple[str, str]]:
    return [(one.field, one.message) for one in outcome.results if one.rule == "refused-object"]


def test_a_deploy_item_that_is_made() -> None:
    """Its config must be an object with apiVersion and kind; the API refuses the DeployItem, and the installation fails late."""
    outcome = run(installation({"values": 1}))

    assert outcome.exit_code == 1
    assert refused(outcome) == [
        (
            "",
            f"the API refuses DeployItem default/shop-item, made by shop, spec.config.{name}: Required value: must not be empty",
        )
        for name in ("apiVersion", "kind")
    ]
    sound = run(installation(SOUND))
    assert (sound.exit_code, refused(sound)) == (0, [])


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        (
            {"type": "t", "config": {"kind": "A"}},
            "spec.config.apiVersion",
            "Required value: must not be empty",
        ),
        ({"config": SOUND}, "spec.type", "Required value"),
        ({"type": "t", "timeout": 5}, "spec.timeout", 'must be of type string: "integer"'),
    ],
)
def test_a_deploy_item_among_the_items(spec: Object, field: str, message: str) -> None:
    """At the item and its field."""
    item = {
        "apiVersion": API,
        "kind": "DeployItem",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": spec,
    }

    [found] = refused(run(installation(SOUND), item))

    assert found[0] == field
    assert message in found[1]


def test_a_crd_among_the_items() -> None:
    """It wins over what krmkit brings along."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "required": ["context", "owner"]}}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "deployitems.landscaper.gardener.cloud"},
        "spec": {
            "group": "landscaper.gardener.cloud",
            "names": {"kind": "DeployItem"},
            "versions": [{"name": "v1alpha1", "schema": {"openAPIV3Schema": schema}}],
        },
    }

    [found] = refused(run(installation({"values": 1}), crd))

    assert found[1].endswith("spec.owner: Required value")
