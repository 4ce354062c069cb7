"""krmkit.systems.landscaper.flow.exports and scoped: what an installation exports, and the objects of it."""

from __future__ import annotations

import json

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.items.hashes import target_hash
from tests.unit.systems.landscaper.worlds import data_object, installation, made, messages, one, target

EXPORTS = (
    "exports:\n- {name: size, type: data, schema: {type: string, minLength: 2, pattern: '^[a-z]*$'}}\n"
    "- {name: plain, type: data}\n- {name: cluster, targetType: kubernetes-cluster}\n"
)
CLUSTER = {
    "type": "landscaper.gardener.cloud/kubernetes-cluster",
    "config": {"a": 1},
    "labels": {"team": "north", "data.landscaper.gardener.cloud/key": "mine"},
    "annotations": {"note": "x"},
    "more": "left out",
}


def exporting(values: Object, **exports: list[Object]) -> tuple[list[Object], list[str]]:
    """The objects of an installation that exports these values, and the errors."""
    template = json.dumps(json.dumps({"exports": values}))
    body = f"{EXPORTS}exportExecutions: [{{name: e, type: GoTemplate, template: {template}}}]\n"
    found = one(installation("root", body, exports=exports))
    return made(found), messages(found)


PLACE = "(inst: root).internalExports"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": "A"}, f"{PLACE}: exported data does not satisfy the configured schema: [(root): "),
        ({"size": 1}, f"{PLACE}: exported data does not satisfy the configured schema: (root): Invalid type. Expected: string, given: integer (export size)"),
        ({"plain": 1}, f"{PLACE}.plain: no schema defined"),
        ({"cluster": {"type": "other"}}, f"{PLACE}: exported target type is other but expected landscaper.gardener.cloud/kubernetes-cluster (export cluster)"),
        ({"cluster": "text"}, f"{PLACE}: exported target type is (none) but expected landscaper.gardener.cloud/kubernetes-cluster (export cluster)"),
    ],
    ids=["two violations", "one violation", "no schema", "a target's type", "no target"],
)  # fmt: skip
def test_checks(values: Object, message: str) -> None:
    """A value must fit its schema, a target its type."""
    _, (said,) = exporting(values)

    assert said.startswith(message)


def test_what_is_not_declared() -> None:
    """A value that the blueprint does not declare is dropped; a declared one without a value is no error by itself."""
    objects, errors = exporting({"other": 1})
    _, (missing,) = exporting({"other": 1}, data=[{"name": "other", "dataRef": "x"}])

    assert (objects, errors) == ([], [])
    assert missing.startswith(f"{PLACE}.exports.data.other: data export is not defined")


def test_a_target_that_is_missing() -> None:
    """An export of a target without a value is an error of its own."""
    _, (message,) = exporting({"size": "abc"}, targets=[{"name": "clustr", "target": "x"}])

    assert message.startswith(f"{PLACE}.exports.targets.clustr: target export is not defined")


def test_targets() -> None:
    """An exported target has type and config of its template, its labels and annotations, and the hash of its config."""
    (found,), errors = exporting({"cluster": CLUSTER}, targets=[{"name": "cluster", "target": "made"}])

    prefix = "data.landscaper.gardener.cloud"
    spec: Object = {"type": CLUSTER["type"], "config": {"a": 1}}
    assert errors == []
    assert found["spec"] == spec
    assert found["metadata"]["name"] == "made"
    assert [(one["kind"], one["name"]) for one in found["metadata"]["ownerReferences"]] == [("Installation", "root")]  # fmt: skip
    assert found["metadata"]["labels"] == {
        "team": "north",
        f"{prefix}/key": "made",
        f"{prefix}/source": "Inst.root",
        f"{prefix}/sourceType": "export",
    }
    assert found["metadata"]["annotations"] == {"note": "x", f"{prefix}/hash": target_hash(spec)}


NESTED = (
    "imports:\n- {name: given, schema: {}}\n- {name: edge, targetType: kubernetes-cluster}\n"
    "exports: [{name: all, type: data, schema: {}}]\nsubinstallations:\n- name: child\n  blueprint:\n    filesystem:\n"
    "      blueprint.yaml: |\n        apiVersion: landscaper.gardener.cloud/v1alpha1\n        kind: Blueprint\n"
    "        exports: [{name: a, type: data, schema: {}}]\n"
    "        exportExecutions: [{name: e, type: GoTemplate, template: 'exports: {a: from-child}'}]\n"
    "  exports: {data: [{name: a, dataRef: up}]}\n"
    "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: t}, {name: silent, type: t}]'}]\n"
    "exportExecutions:\n- name: e\n  type: GoTemplate\n  template: |\n    exports:\n      all:\n"
    "        top: {{ toJson (list .deployitems .dataobjects (keys .targets)) }}\n"
    "        values: {{ toJson (list .values.deployitems .values.dataobjects (keys .values.targets)) }}\n"
    "        imports: {{ toJson .imports.given }}\n"
)


def test_what_export_executors_see() -> None:
    """Exports of deploy items, nil for the silent ones; data and targets of the own scope, import copies and exports of children."""
    parent = installation(
        "root",
        NESTED,
        imports={
            "data": [{"name": "given", "dataRef": "given"}],
            "targets": [{"name": "edge", "target": "edge"}],
        },
        exports={"data": [{"name": "all", "dataRef": "all"}]},
    )
    found = one(
        parent, data_object("given", 5), target("edge"), deploy_item_exports={"root/item": {"port": 80}}
    )

    seen = [{"item": {"port": 80}, "silent": None}, {"given": 5, "up": "from-child"}, ["edge"]]
    assert messages(found) == []
    assert found.exports["all"] == {"top": seen, "values": seen, "imports": 5}


def test_exports_of_deploy_items_become_an_object() -> None:
    """What the deploy items export stands in an object of the execution's scope, without a key."""
    parent = installation(
        "root",
        "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: t}]'}]\n",
    )
    objects = made(one(parent, deploy_item_exports={"item": {"port": 80}}))

    (found,) = [item for item in objects if item["kind"] == "DataObject"]
    assert found["metadata"]["name"] == object_name("Exec.root", "")
    assert found["metadata"]["labels"] == {
        "data.landscaper.gardener.cloud/context": "Exec.root",
        "data.landscaper.gardener.cloud/source": "Exec.root",
    }
    assert found["data"] == {"item": {"port": 80}}
    assert [item for item in made(one(parent)) if item["kind"] == "DataObject"] == []


@pytest.mark.parametrize(
    ("told", "port"),
    [
        ({"item": {"port": 1}}, 1),
        ({"item": {"port": 1}, "root/item": {"port": 2}}, 2),
        ({"other/item": {"port": 3}, "item": {"port": 1}}, 1),
    ],
    ids=["by name", "by path before name", "another's"],
)
def test_told_exports(told: Object, port: int) -> None:
    """Exports of deploy items are told by path, or by name."""
    body = (
        "exports: [{name: a, type: data, schema: {}}]\n"
        "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: t}]'}]\n"
        "exportExecutions: [{name: e, type: GoTemplate, template: 'exports: {a: {{ .deployitems.item.port }}}'}]\n"
    )

    found = one(
        installation("root", body, exports={"data": [{"name": "a", "dataRef": "a"}]}),
        deploy_item_exports=told,
    )

    assert found.exports == {"a": port}


def test_mock_items_export_their_config() -> None:
    """A deploy item of type mock exports what its config says."""
    body = (
        "exports: [{name: a, type: data, schema: {}}]\n"
        "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: landscaper.gardener.cloud/mock, config: {export: {x: 7}}}]'}]\n"
        "exportExecutions: [{name: e, type: GoTemplate, template: 'exports: {a: {{ .deployitems.item.x }}}'}]\n"
    )

    assert one(installation("root", body)).exports == {"a": 7}
