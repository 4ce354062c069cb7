"""krmkit.systems.landscaper.flow.landscape: whole trees of installations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.items.identity import roots_by_namespace
from tests.costs import check_shape
from tests.unit.systems.landscaper.worlds import (
    data_object,
    installation,
    made,
    messages,
    obj,
    one,
    run,
    target,
)

STRING = "  schema: {type: string}\n"


def test_mapping_as_the_handbook_means_it() -> None:
    """Each key of a mapping is a spiff document of its own over the imports; blueprint imports take its result."""
    body = (
        "imports:\n- name: identifier\n  schema: {type: string}\n- name: providers\n  schema: {type: array, items: {type: string}}\n"
        "- name: aws-credentials\n  schema: {type: object}\n"
    )
    provider = {"type": "aws", "creds": {"accessKeyID": "adfa", "accessKeySec": "1234"}}
    mappings = {
        "identifier": "my-controller",
        "providers": ["(( aws-provider.type ))", "(( gcp-provider-type ))"],
        "aws-credentials": {"accessKeySecret": "(( aws-provider.creds.accessKeySec ))"},
    }
    imports = {
        "data": [{"name": "aws-provider", "dataRef": "aws"}, {"name": "gcp-provider-type", "dataRef": "gcp"}]
    }

    found = one(
        installation("root", body, imports=imports, importDataMappings=mappings),
        data_object("aws", provider),
        data_object("gcp", "gcp"),
    )

    assert found.values == {
        "identifier": "my-controller",
        "providers": ["aws", "gcp"],
        "aws-credentials": {"accessKeySecret": "1234"},
    }


def test_mapping_with_a_wrong_name() -> None:
    """A name that is no import is said by spiff, once for each place."""
    mappings = {"a": ["(( aws-provider-type.type ))", "(( aws-provider-type.x ))"]}
    found = one(installation("root", "imports:\n- name: a\n  schema: {}\n", importDataMappings=mappings))

    (message,) = messages(found)

    assert message.count("'aws-provider-type' not found") == 2


def test_export_mapping_makes_objects() -> None:
    """Exports are mapped by name; what the installation does not declare becomes no object."""
    body = (
        "exports:\n- name: aws\n  type: data\n  schema: {}\n- name: gcp\n  type: data\n  schema: {}\nexportExecutions:\n"
        "- name: e\n  type: GoTemplate\n  template: 'exports: {aws: {id: 1}, gcp: {key: 2}}'\n"
    )
    mappings = {
        "identifier": "mine",
        "creds": [{"type": "aws", "creds": "(( aws ))"}, {"type": "gcp", "creds": "(( exports.gcp ))"}],
    }
    exports = {"data": [{"name": "creds", "dataRef": "my-credentials"}]}

    found = one(installation("root", body, exports=exports, exportDataMappings=mappings))

    (exported,) = made(found)
    assert exported["metadata"]["labels"] == {
        "data.landscaper.gardener.cloud/key": "my-credentials",
        "data.landscaper.gardener.cloud/source": "Inst.root",
        "data.landscaper.gardener.cloud/sourceType": "export",
    }
    assert exported["data"] == [{"type": "aws", "creds": {"id": 1}}, {"type": "gcp", "creds": {"key": 2}}]


def test_an_export_without_a_value() -> None:
    """An export of the installation that no blueprint export gives is an error with the nearest name."""
    body = (
        "exports:\n- name: address\n  type: data\n  schema: {}\nexportExecutions:\n- name: e\n  type: GoTemplate\n"
        "  template: 'exports: {address: a}'\n"
    )
    found = one(installation("root", body, exports={"data": [{"name": "adress", "dataRef": "x"}]}))

    assert messages(found) == [
        '(inst: root).internalExports.exports.data.adress: data export is not defined; did you mean "address"?'
    ]


NESTED = (
    "subinstallations:\n- apiVersion: landscaper.gardener.cloud/v1alpha1\n  kind: InstallationTemplate\n  name: database\n"
    "  blueprint:\n    filesystem:\n      blueprint.yaml: |\n        apiVersion: landscaper.gardener.cloud/v1alpha1\n"
    "        kind: Blueprint\n        exports:\n        - {name: url, type: data, schema: {type: string}}\n        exportExecutions:\n"
    "        - {name: e, type: GoTemplate, template: 'exports: {url: db}'}\n  exports:\n    data:\n    - {name: url, dataRef: url}\n"
    "- name: web\n  blueprint:\n    filesystem:\n      blueprint.yaml: |\n        apiVersion: landscaper.gardener.cloud/v1alpha1\n"
    "        kind: Blueprint\n        imports:\n        - {name: url, schema: {type: string}}\n  imports:\n    data:\n"
    "    - {name: url, dataRef: url}\n"
)


def test_two_roots_with_the_same_nested_installations() -> None:
    """They share no name, and each nested installation sees its own scope only."""
    first, second = run(installation("application", NESTED), installation("application2", NESTED))

    names = [item["metadata"]["name"] for root in (first, second) for item in made(root)]
    assert len(names) == len(set(names))
    assert [each.path for each in second.tree()] == [
        "application2",
        "application2/database",
        "application2/web",
    ]
    assert object_name("Inst.application", "url") in names


def test_order_follows_the_data() -> None:
    """A nested installation runs after the siblings whose exports it imports, whatever the order of the templates."""
    head, database, web = (
        NESTED.partition("- apiVersion")[0],
        *NESTED.removeprefix("subinstallations:\n").split("- name: web"),
    )
    for templates, names in (
        (NESTED, ["database", "web"]),
        (f"{head}- name: web{web}{database}", ["web", "database"]),
    ):
        found = one(installation("root", templates))

        assert messages(found) == []
        assert found.order == ["database", "web"]
        assert [each.path.removeprefix("root/") for each in found.children] == names
        assert found.children[names.index("web")].values == {"url": "db"}


def test_root_siblings() -> None:
    """A root installation sees the exports of another one, and fails with it."""
    giver = installation(
        "giver",
        "exports:\n- {name: a, type: data, schema: {type: string}}\nexportExecutions:\n"
        "- {name: e, type: GoTemplate, template: 'exports: {a: b}'}\n",
        exports={"data": [{"name": "a", "dataRef": "a"}]},
    )
    taker = installation(
        "taker", f"imports:\n- name: a\n{STRING}", imports={"data": [{"name": "a", "dataRef": "a"}]}
    )
    broken = {**giver, "spec": {**giver["spec"], "imports": {"data": [{"name": "x", "dataRef": "absent"}]}}}

    assert [each.phase for each in run(taker, giver)] == ["Succeeded", "Succeeded"]
    assert messages(run(taker, broken)[0]) == [
        'depending on installation "default/giver" which is not succeeded'
    ]


@pytest.mark.parametrize(
    ("objects", "rule"),
    [
        (
            [
                installation("a", "", imports={"data": [{"name": "x", "dataRef": "b"}]}, exports={"data": [{"name": "a", "dataRef": "a"}]}),
                installation("b", "", imports={"data": [{"name": "x", "dataRef": "a"}]}, exports={"data": [{"name": "b", "dataRef": "b"}]}),
            ],
            "cycle",
        ),
        ([obj("Installation", "a", spec={"blueprint": {"ref": {"resourceName": "x"}}})], "blueprint-not-found"),
        ([obj("Installation", "a", spec={"blueprint": {"inline": {"filesystem": {}}}})], "blueprint-not-found"),
        ([obj("Installation", "a", spec={"context": "other", "blueprint": {}})], "context-not-found"),
        ([installation("a", "", componentDescriptor={"ref": {"componentName": "x"}})], "missing-repository-context"),
        ([installation("a", "imports: [{name: x, type: dta}]")], "invalid"),
        ([installation("a", "imports: [{name: x, schema: {}}]")], "import-not-found"),
        ([installation("a", "importExecutions: [{name: x, type: Spiff, template: {errors: [bad]}}]")], "import-validation"),
        ([installation("a", "deployExecutions: [{name: x, type: go-template}]")], "template"),
        ([installation("a", "deployExecutions: [{name: x, type: GoTemplate, template: '{{'}]")], "template"),
        ([installation("a", "deployExecutions: [{name: x, type: GoTemplate, template: 'deployItems: [{name: a}]'}]")], "validation"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_failures(objects: list[Object], rule: str) -> None:
    """What is wrong has the rule of its kind, and stops that installation."""
    found = run(*objects)[0]

    assert (found.phase, found.errors[0].rule) == ("Failed", rule)


@pytest.mark.parametrize(
    ("descriptor", "field"),
    [
        ({"componentName": "example.com/none", "version": "1.0.0", "repositoryContext": {"type": "ociRegistry"}}, "spec.componentDescriptor.ref"),
        ({"componentName": "example.com/none", "version": "1.0.0"}, "spec.componentDescriptor.ref.repositoryContext"),
    ],
)  # fmt: skip
def test_the_field_of_a_missing_component(descriptor: Object, field: str) -> None:
    """The one that names it, or that would say where it is."""
    found = run(installation("a", "", componentDescriptor={"ref": descriptor}))[0]

    assert [error.field for error in found.errors] == [field]


def test_unknown_exports_wait() -> None:
    """What needs an export whose value is unknown waits, and says for what; told, it is rendered."""
    giver = installation(
        "giver",
        "exports: [{name: a, type: data, schema: {type: string}}]\ndeployExecutions:\n"
        "- {name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: t}]'}\nexportExecutions:\n"
        "- {name: e, type: GoTemplate, template: 'exports: {a: {{ .values.deployitems.item.a }}}'}\n",
        exports={"data": [{"name": "a", "dataRef": "a"}]},
    )
    taker = installation(
        "taker", f"imports:\n- name: a\n{STRING}", imports={"data": [{"name": "a", "dataRef": "a"}]}
    )

    waiting = run(giver, taker)
    told = run(giver, taker, deploy_item_exports={"giver/item": {"a": "b"}})

    assert [each.phase for each in waiting] == ["Waiting", "Waiting"]
    assert [each.waits_for for each in waiting] == [["exports of deploy item item"], ["a of giver"]]
    assert [each.phase for each in told] == ["Succeeded", "Succeeded"]


def test_conditional_imports_are_pruned() -> None:
    """A nested installation loses the import of an optional value that its parent does not have."""
    body = (
        "imports:\n- {name: size, required: false, schema: {type: string}}\nsubinstallations:\n- name: web\n  blueprint:\n"
        "    filesystem:\n      blueprint.yaml: |\n        apiVersion: landscaper.gardener.cloud/v1alpha1\n        kind: Blueprint\n"
        "  imports:\n    data:\n    - {name: size, dataRef: size}\n"
    )
    found = one(installation("root", body))

    (nested,) = made(found)
    assert nested["spec"]["imports"] == {}


def test_targets_of_lists_and_maps() -> None:
    """A deploy item names an element of a target list by index, of a map by key."""
    body = (
        "imports:\n- {name: all, type: targetList, targetType: kubernetes-cluster}\n"
        "- {name: by, type: targetMap, targetType: landscaper.gardener.cloud/kubernetes-cluster}\ndeployExecutions:\n"
        "- name: d\n  type: GoTemplate\n  template: |\n    deployItems:\n    - {name: a, type: t, target: {import: all, index: 1}}\n"
        "    - {name: b, type: t, target: {import: by, key: blue}}\n"
    )
    imports = {
        "targets": [{"name": "all", "targets": ["one", "two"]}, {"name": "by", "targetMap": {"blue": "one"}}]
    }

    found = one(installation("root", body, imports=imports), target("one"), target("two"))

    assert [item.target and item.target["name"] for item in found.deploy_items] == ["two", "one"]


def test_many_namespaces() -> None:
    """Installations are sorted by namespace once, not searched for each namespace."""

    def make(size: int) -> Callable[[], object]:
        roots = [installation("root", "") for _ in range(size)]
        for number, root in enumerate(roots):
            root["metadata"]["namespace"] = f"n{number}"
        return lambda: roots_by_namespace(roots)

    assert list(roots_by_namespace([installation("a", ""), installation("b", "")])["default"]) == ["a", "b"]
    check_shape(make)
