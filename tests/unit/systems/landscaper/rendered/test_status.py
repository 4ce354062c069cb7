"""The status of an Installation: written with writeStatus, named with --explain without."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.fn.config import decode
from krmkit.fn.loader import load
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.landscaper.rendered.render import render_items

INSTALLATION = """apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: shop, namespace: shop}
spec: {blueprint: {inline: {filesystem: {blueprint.yaml: "apiVersion: landscaper.gardener.cloud/v1alpha1\\nkind: Blueprint\\n"}}}}
"""
IMPORTED = """
apiVersion: v1
kind: Secret
metadata: {name: access, namespace: shop}
stringData: {token: "7"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {host: shop.example.com}
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DataObject
metadata: {name: region, namespace: shop, annotations: {data.landscaper.gardener.cloud/hash: abc}}
data: north
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DataObject
metadata: {name: zone, namespace: shop}
data: {b: 1, a: two}
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Target
metadata: {name: edge, namespace: shop, generation: 3}
spec: {type: landscaper.gardener.cloud/kubernetes-cluster, config: {kubeconfig: one}}
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Target
metadata: {name: core, namespace: shop}
spec: {type: landscaper.gardener.cloud/kubernetes-cluster, config: {kubeconfig: two}}
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: store, namespace: shop}
spec:
  exports: {data: [{name: url, dataRef: store-url}]}
  blueprint:
    inline:
      filesystem:
        blueprint.yaml: |
          apiVersion: landscaper.gardener.cloud/v1alpha1
          kind: Blueprint
          exports: [{name: url, type: data, schema: {type: string}}]
          deployExecutions:
          - name: store
            type: Spiff
            template: {deployItems: [{name: store, type: landscaper.gardener.cloud/mock, config: {apiVersion: x/v1, kind: C, export: {url: store}}}]}
          exportExecutions:
          - {name: url, type: GoTemplate, template: "exports: {url: {{ .values.deployitems.store.url }}}"}
status: {configGeneration: "9"}
---
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: shop, namespace: shop}
spec:
  componentDescriptor:
    inline:
      meta: {schemaVersion: v2}
      component: {name: example.com/shop, version: 1.0.0, provider: internal}
  imports:
    data:
    - {name: url, dataRef: store-url}
    - {name: region, dataRef: region}
    - {name: zone, dataRef: zone}
    - {name: token, secretRef: {name: access, key: token}}
    - {name: settings, configMapRef: {name: settings}}
    targets:
    - {name: cluster, target: edge}
    - {name: clusters, targets: [edge, core]}
    - {name: named, targetMap: {blue: core}}
  blueprint:
    inline:
      filesystem:
        blueprint.yaml: |
          apiVersion: landscaper.gardener.cloud/v1alpha1
          kind: Blueprint
          imports: [{name: url, schema: {type: string}}]
          subinstallations:
          - kind: InstallationTemplate
            name: front
            imports: {data: [{name: url, dataRef: url}]}
            blueprint:
              filesystem:
                blueprint.yaml: |
                  apiVersion: landscaper.gardener.cloud/v1alpha1
                  kind: Blueprint
                  imports: [{name: url, schema: {type: string}}]
status:
  phase: Failed
  jobID: one
  executionRef: {name: gone, namespace: shop}
"""


def run(text: str, **spec: Any) -> tuple[ResourceList, list[str]]:
    """All items after a run, and what is said of the status."""
    resources = ResourceList.of([Resource(one) for one in text.split("---\n")])
    found = render_items(resources, {**decode(load("render-installation").definition, None).spec, **spec})
    return resources, [one.message for one in found if one.rule == "status"]


def installation(resources: ResourceList, name: str) -> Resource:
    """The Installation of a name."""
    return next(one for one in resources if one.kind == "Installation" and one.name == name)


@pytest.mark.parametrize("write", [True, False])
def test_the_phase(write: bool) -> None:
    """It is in one place or the other."""
    resources, said = run(INSTALLATION, writeStatus=write)

    assert installation(resources, "shop").get("status", "phase") == ("Succeeded" if write else None)
    assert said == (
        []
        if write
        else ["shop: the controller comes to the phase Succeeded; writeStatus: true writes it here"]
    )


def test_a_phase_that_is_there() -> None:
    """It says nothing new."""
    assert run(INSTALLATION + "status: {phase: Succeeded}\n")[1] == []


def test_the_whole_status() -> None:
    """Imports with their sources, nested installations in both forms; what is no longer true goes, what others write stays."""
    resources, _ = run(IMPORTED, writeStatus=True)

    assert installation(resources, "shop").get("status") == {
        "phase": "Succeeded",
        "jobID": "one",
        "imports": [
            {
                "name": "url",
                "type": "dataobject",
                "dataRef": "store-url",
                "sourceRef": {"name": "store", "namespace": "shop"},
                "configGeneration": "9",
            },
            {"name": "region", "type": "dataobject", "dataRef": "region", "configGeneration": "abc"},
            {
                "name": "zone",
                "type": "dataobject",
                "dataRef": "zone",
                "configGeneration": "61963c551f5c0887cbeb50c4e438d131f85ea2a4",
            },
            {
                "name": "token",
                "type": "dataobject",
                "secretRef": "shop/access#token",
                "configGeneration": "902ba3cda1883801594b6e1b452790cc53948fda",
            },
            {
                "name": "settings",
                "type": "dataobject",
                "configMapRef": "shop/settings#",
                "configGeneration": "266012ecc21b965bf23cd1f320e76532fe0cc0d5",
            },
            {"name": "cluster", "type": "target", "target": "edge", "configGeneration": "3"},
            {
                "name": "clusters",
                "type": "targetList",
                "targetList": [{"target": "edge", "configGeneration": "3"}, {"target": "core"}],
            },
        ],
        "installationRefs": [{"name": "front", "ref": {"name": "shop-front", "namespace": "shop"}}],
        "subInstCache": {"activeSubs": [{"specName": "front", "objectName": "shop-front"}]},
    }
    assert installation(resources, "store").get("status") == {
        "phase": "Succeeded",
        "configGeneration": "9",
        "executionRef": {"name": "store", "namespace": "shop"},
    }


def test_a_nested_installation() -> None:
    """What comes from its parent has no source."""
    resources, _ = run(IMPORTED, writeStatus=True)

    assert installation(resources, "shop-front").get("status") == {
        "phase": "Succeeded",
        "imports": [
            {
                "name": "url",
                "type": "dataobject",
                "dataRef": "url",
                "configGeneration": "d16780b008426a435ed35a51f238031d590448a7",
            }
        ],
    }
    assert installation(run(IMPORTED)[0], "shop-front").get("status") is None


def test_a_second_run() -> None:
    """It changes no item."""
    resources, _ = run(IMPORTED, writeStatus=True)
    texts = [one.text for one in resources]
    again, _ = run("---\n".join(texts), writeStatus=True)

    assert [one.text for one in again] == texts


def test_what_waits() -> None:
    """One whose deploy items export something unknown is progressing, and the one that imports it is not past its beginning."""
    text = IMPORTED.replace(
        "landscaper.gardener.cloud/mock, config: {apiVersion: x/v1, kind: C, export: {url: store}}", "helm"
    )
    resources, _ = run(text, writeStatus=True)

    assert [installation(resources, one).get("status", "phase") for one in ("store", "shop")] == [
        "Progressing",
        "Init",
    ]
    assert installation(resources, "shop").get("status") == {"phase": "Init", "jobID": "one"}


def test_a_redacted_status() -> None:
    """A hash of a secret is left out: a short one could be guessed from it."""
    resources, _ = run(IMPORTED, writeStatus=True, redact=True)

    assert installation(resources, "shop").get("status", "imports", 3) == {
        "name": "token",
        "type": "dataobject",
        "secretRef": "shop/access#token",
    }
