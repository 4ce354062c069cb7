"""krmkit.systems.landscaper.flow.subinstallations: the templates of nested installations, checked against their parent and each other."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.blueprints import load
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.subinstallations import default_name, is_dns_label, prune, validate
from tests.unit.systems.landscaper.worlds import (
    CONTEXT,
    data_object,
    descriptor,
    installation,
    installed,
    made,
    messages,
    one,
    reference,
    repository,
    resource,
    target,
)

PARENT = load(
    Files(
        {
            "blueprint.yaml": f"apiVersion: {API_VERSION}\nkind: Blueprint\nimports:\n"
            "- {name: size, schema: {}}\n"
            "- name: extra\n  required: false\n  schema: {}\n  imports:\n  - {name: detail, schema: {}}\n"
            "- {name: cluster, targetType: x/y}\n"
            "- {name: many, type: targetList, targetType: x/y}\n"
            "- {name: named, type: targetMap, targetType: x/y}\n"
        }
    )
)
BLUEPRINT: Object = {"filesystem": {"blueprint.yaml": ""}}


def template(name: str, **fields: Any) -> Object:
    return {"name": name, "blueprint": BLUEPRINT, **fields}


def taking(**imports: Any) -> list[Object]:
    """One template with these imports, beside one that exports the data `address` and the target `made`."""
    giver = template(
        "giver",
        exports={
            "data": [{"name": "e", "dataRef": "address"}],
            "targets": [{"name": "e", "target": "made"}],
        },
    )
    return [giver, template("web", imports=imports)]


def wrong(templates: list[Object]) -> tuple[str, str]:
    """Rule and message of what is wrong with templates; two empty texts where nothing is."""
    try:
        validate(templates, PARENT)
    except InstallationError as error:
        return error.rule, error.message
    return "", ""


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ([template("Web")], 'subinstallations[0].name: Invalid value: "Web": must be a DNS label of at most 52 letters'),
        ([template("a" * 53)], f'subinstallations[0].name: Invalid value: "{"a" * 53}": must be a DNS label of at most 52 letters'),
        ([template("web"), template("web")], 'subinstallations[1].name: Duplicate value: "web"'),
        ([{"name": "web"}], "subinstallations[0](web).blueprint: Required value: ref or filesystem must be given"),
        (
            [template("web", imports={"data": [{"name": "a", "secretRef": {"name": "s"}}]})],
            "subinstallations[0](web).imports.data(a): secretRef is not allowed in a nested installation; must be dataRef",
        ),
        (
            [template("web", imports={"data": [{"name": "a", "configMapRef": {"name": "s"}}]})],
            "subinstallations[0](web).imports.data(a): configMapRef is not allowed in a nested installation; must be dataRef",
        ),
    ],
    ids=["a name", "a long name", "a name twice", "no blueprint", "a Secret", "a ConfigMap"],
)  # fmt: skip
def test_form(templates: list[Object], message: str) -> None:
    """Names and blueprints of templates, and what they may not import."""
    assert wrong(templates) == ("validation", message)


@pytest.mark.parametrize(
    "imports",
    [
        {"data": [{"name": "a", "dataRef": "size"}]},
        {"data": [{"name": "a", "dataRef": "detail"}]},
        {"data": [{"name": "a", "dataRef": "address"}]},
        {"data": [{"name": "a", "dataRef": "#global"}]},
        {"targets": [{"name": "a", "target": "cluster"}]},
        {"targets": [{"name": "a", "target": "made"}]},
        {"targets": [{"name": "a", "target": "#global"}]},
        {"targets": [{"name": "a", "target": "many[0]"}]},
        {"targets": [{"name": "a", "target": "named[blue]"}]},
        {"targets": [{"name": "a", "targets": ["cluster", "many[1]"]}]},
        {"targets": [{"name": "a", "targetMap": {"x": "cluster"}}]},
        {"targets": [{"name": "a", "targetListRef": "many"}]},
        {"targets": [{"name": "a", "targetMapRef": "named"}]},
    ],
    ids=str,
)
def test_satisfied(imports: Object) -> None:
    """Imports of the parent, exports of siblings, elements of the parent's lists and maps, and global names."""
    assert wrong(taking(**imports)) == ("", "")


@pytest.mark.parametrize(
    ("imports", "place", "hint"),
    [
        ({"data": [{"name": "a", "dataRef": "sise"}]}, "data[0][a]", 'sise; did you mean "size"?'),
        ({"data": [{"name": "a", "dataRef": "cluster"}]}, "data[0][a]", "cluster"),
        ({"data": [{"name": "a", "dataRef": "made"}]}, "data[0][a]", "made"),
        ({"targets": [{"name": "a", "target": "clustr"}]}, "targets[0][a]", 'clustr; did you mean "cluster"?'),
        ({"targets": [{"name": "a", "target": "size"}]}, "targets[0][a]", "size"),
        ({"targets": [{"name": "a", "target": "address"}]}, "targets[0][a]", "address"),
        ({"targets": [{"name": "a", "target": "many"}]}, "targets[0][a]", "many"),
        ({"targets": [{"name": "a", "target": "cluster[0]"}]}, "targets[0][a]", 'cluster[0]; did you mean "cluster"?'),
        ({"targets": [{"name": "a", "targets": ["cluster", "x"]}]}, "targets[0][a]", "x"),
        ({"targets": [{"name": "a", "targetMap": {"k": "x"}}]}, "targets[0][a]", "x"),
        ({"targets": [{"name": "a", "targetListRef": "named"}]}, "targets[0][a]", "named"),
        ({"targets": [{"name": "a", "targetMapRef": "many"}]}, "targets[0][a]", "many"),
    ],
    ids=str,
)  # fmt: skip
def test_not_satisfied(imports: Object, place: str, hint: str) -> None:
    """What nobody gives, or only as another kind, is an error with the place and the nearest name."""
    rule, message = wrong(taking(**imports))

    assert rule == "import-not-satisfied"
    said, _, hinted = message.partition("; nothing is named ")
    assert said == f'subinstallations.web.imports.{place}: Not found: "import not satisfied"'
    assert hinted.partition("; known")[0] == hint


def test_everything_that_is_not_satisfied() -> None:
    """Two imports without a giver are two problems of one error."""
    _, message = wrong(taking(data=[{"name": "a", "dataRef": "x"}, {"name": "b", "dataRef": "y"}]))

    assert message.startswith("[subinstallations.web.imports.data[0][a]: ")
    assert message.count("import not satisfied") == 2


@pytest.mark.parametrize(
    ("exports", "message"),
    [
        (
            {"data": [{"name": "a", "dataRef": "address"}]},
            "data[0][a/address]: Forbidden: data export 'address' is already exported by"
            " subinstallations.giver.exports.data[0][e/address]",
        ),
        (
            {"targets": [{"name": "a", "target": "made"}]},
            "targets[0][a/made]: Forbidden: target export 'made' is already exported by"
            " subinstallations.giver.exports.targets[0][e/made]",
        ),
        (
            {"data": [{"name": "a", "dataRef": "size"}]},
            "data[0][a/size]: Forbidden: export is imported by its parent",
        ),
        (
            {"targets": [{"name": "a", "target": "cluster"}]},
            "targets[0][a/cluster]: Forbidden: export is imported by its parent",
        ),
    ],
    ids=["data twice", "a target twice", "data of the parent", "a target of the parent"],
)
def test_exports(exports: Object, message: str) -> None:
    """A key has one giver: a child, or the parent's import."""
    templates = taking()
    templates[1]["exports"] = exports

    assert wrong(templates) == ("duplicate-export", f"subinstallations.web.exports.{message}")


@pytest.mark.parametrize(
    "exports",
    [
        {"data": [{"name": "a", "dataRef": "cluster"}]},
        {"targets": [{"name": "a", "target": "size"}]},
        {"data": [{"name": "a", "dataRef": "made"}]},
    ],
    ids=["data named as a target of the parent", "a target named as data of the parent", "data named as a target"],
)  # fmt: skip
def test_data_and_targets_have_names_of_their_own(exports: Object) -> None:
    """Data and targets of one name are different objects."""
    templates = taking()
    templates[1]["exports"] = exports

    assert wrong(templates) == ("", "")


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ({}, ["size", "address"]),
        ({"extra": None}, ["size", "extra", "address"]),
        ({"extra": 1, "detail": 2}, ["size", "extra", "detail", "address"]),
    ],
    ids=["neither", "the outer one, as null", "both"],
)
def test_prune(values: Object, kept: list[str]) -> None:
    """Only data imports of optional and conditional values that are absent go; targets stay."""
    keys = ("size", "extra", "detail", "address")
    imports = {
        "data": [{"name": key, "dataRef": key} for key in keys],
        "targets": [{"name": "t", "target": "x"}],
    }

    (found,) = prune([template("web", imports=imports)], PARENT, values)

    assert [one["name"] for one in found["imports"]["data"]] == kept  # type: ignore[index]
    assert found["imports"]["targets"] == [{"name": "t", "target": "x"}]  # type: ignore[index]


def test_default_names() -> None:
    """A name of both names; one that would be too long is cut, and keeps apart what is cut alike."""
    long = default_name("a" * 50, "b" * 20)

    assert default_name("shop", "web") == "shop-web"
    assert default_name("a" * 29, "b" * 28) == f"{'a' * 29}-{'b' * 28}"
    assert len(long) == 58
    assert is_dns_label(long, 58)
    assert long != default_name("a" * 50, "b" * 21)
    assert default_name("a" * 48, "b" * 20)[48:49] == "-"
    assert "--" not in default_name("a" * 48, "b" * 20)


NESTED = (
    "imports:\n- {name: size, schema: {}}\nsubinstallations:\n- name: web\n  blueprint:\n    filesystem:\n      blueprint.yaml: |\n"
    f"        apiVersion: {API_VERSION}\n        kind: Blueprint\n        imports: [{{name: size, schema: {{}}}}]\n"
    "  imports: {data: [{name: size, dataRef: size}]}\n  optimization: {hasNoSiblingImports: true}\n"
    "  importDataMappings: {size: (( size ))}\n"
)


def test_the_object() -> None:
    """A nested Installation belongs to its parent, has its context, and holds what its template says."""
    parent = installation(
        "shop",
        NESTED,
        context="own",
        imports={"data": [{"name": "size", "dataRef": "size"}]},
        automaticReconcile={"failedReconcile": {}},
        verification={"signatureName": "x"},
    )
    context = {"apiVersion": API_VERSION, "kind": "Context", "metadata": {"name": "own", "namespace": "default"}}  # fmt: skip
    found = one(parent, context, data_object("size", 1))
    (child,) = [item for item in made(found) if item["kind"] == "Installation"]

    assert messages(found) == []
    assert child["metadata"]["labels"] == {"landscaper.gardener.cloud/encompassed-by": "shop"}
    assert child["metadata"]["annotations"] == {"landscaper.gardener.cloud/subinstallation-name": "web"}
    assert child["metadata"]["ownerReferences"] == [
        {
            "apiVersion": API_VERSION,
            "kind": "Installation",
            "name": "shop",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    spec = child["spec"]
    assert list(spec["blueprint"]["inline"]["filesystem"]) == ["blueprint.yaml"]
    del spec["blueprint"]
    assert spec == {
        "context": "own",
        "componentDescriptor": {},
        "imports": {"data": [{"name": "size", "dataRef": "size"}]},
        "importDataMappings": {"size": "(( size ))"},
        "exports": {},
        "optimization": {"hasNoSiblingImports": True},
    }


def test_a_reference_needs_a_component() -> None:
    """A template whose blueprint is a reference says that its parent has no component, or no such resource."""
    body = "subinstallations:\n- {name: web, blueprint: {ref: cd://resources/web}}\n"

    assert messages(one(installation("shop", body))) == [
        "unable to create installation for web: no component descriptor defined to resolve the blueprint ref"
    ]


LISTS = (
    "imports:\n- {name: many, type: targetList, targetType: kubernetes-cluster}\n"
    "- {name: named, type: targetMap, targetType: landscaper.gardener.cloud/kubernetes-cluster}\n"
    "subinstallations:\n- name: web\n  blueprint:\n    filesystem:\n      blueprint.yaml: |\n"
    f"        apiVersion: {API_VERSION}\n        kind: Blueprint\n        imports:\n"
    "        - {name: all, type: targetList, targetType: kubernetes-cluster}\n"
    "        - {name: by, type: targetMap, targetType: landscaper.gardener.cloud/kubernetes-cluster}\n"
    "        - {name: first, targetType: kubernetes-cluster}\n        - {name: blue, targetType: kubernetes-cluster}\n"
    "        deployExecutions:\n        - name: d\n          type: GoTemplate\n          template: |\n"
    "            deployItems:\n            {{- range $i, $t := .imports.all }}\n"
    "            - {name: 'item-{{ $i }}', type: t, target: {import: all, index: {{ $i }}}, config: {{ toJson $t.spec.config }}}\n"
    "            {{- end }}\n            - {name: by, type: t, config: {{ keys .imports.by | sortAlpha | toJson }}}\n"
    "  imports:\n    targets:\n    - {name: all, targetListRef: many}\n    - {name: by, targetMapRef: named}\n"
    "    - {name: first, target: 'many[0]'}\n    - {name: blue, target: 'named[blue]'}\n"
)


def test_lists_and_maps_of_targets_go_down() -> None:
    """A nested installation takes a whole list or map of its parent, or one element of it."""
    imports = {
        "targets": [
            {"name": "many", "targets": ["east", "west"]},
            {"name": "named", "targetMap": {"red": "east", "blue": "west"}},
        ]
    }
    found = one(
        installation("shop", LISTS, imports=imports), target("east", side="east"), target("west", side="west")
    )

    assert messages(found) == []
    (child,) = found.children
    configs = [item.config for item in child.deploy_items]
    assert sorted(str(one) for one in configs[:2]) == ["{'side': 'east'}", "{'side': 'west'}"]
    assert configs[2] == ["blue", "red"]
    shown = {name: one["spec"] for name, one in child.imports.targets.items()}
    assert shown["first"]["config"] == {"side": "east"}  # type: ignore[index]
    assert shown["blue"]["config"] == {"side": "west"}  # type: ignore[index]
    names = [name for item in child.deploy_items if item.target for name in [item.target["name"]]]
    assert all(len(name) == 32 for name in names)
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("cd://resources/wbe", 'unable to resolve blueprint ref in component descriptor example.com/shop: local resource wbe cannot be found; did you mean "web"?'),
        ("cd://componentReferences/x/resources/y", "unable to resolve blueprint ref in component descriptor example.com/shop: component reference x cannot be found"),
    ],
)  # fmt: skip
def test_references_that_lead_nowhere(reference: str, message: str) -> None:
    """A blueprint that is not in the component is an error of the nested installation."""
    known = repository(
        descriptor("shop", resource("blueprint"), resource("web")),
        shop=f"subinstallations:\n- {{name: web, blueprint: {{ref: '{reference}'}}}}\n",
    )

    (said,) = messages(one(installed("shop"), CONTEXT, repository=known))

    assert said.startswith(f"unable to create installation for web: {message}")


def test_inline_descriptors_go_down() -> None:
    """A nested installation of the same inline descriptor has it inline; one of a reference without a label has a reference."""
    inline = descriptor("shop", resource("blueprint"), resource("web"), references=(reference("db"),))
    body = (
        "subinstallations:\n- {name: web, blueprint: {ref: cd://resources/web}}\n"
        "- {name: db, blueprint: {ref: cd://componentReferences/db/resources/blueprint}}\n"
    )
    known = repository(descriptor("db", resource("blueprint")), shop=body, db="")
    known.blobs["example.com/shop:1.0.0/web"] = known.blobs["example.com/db:1.0.0/blueprint"]

    found = one(
        installed("shop", componentDescriptor={"inline": inline}),
        CONTEXT,
        repository=known,
    )

    assert messages(found) == []
    web, db = made(found)
    assert web["spec"]["componentDescriptor"] == {"inline": inline}
    assert web["spec"]["blueprint"] == {"ref": {"resourceName": "web"}}
    assert db["spec"]["componentDescriptor"] == {
        "ref": {
            "componentName": "example.com/db",
            "version": "1.0.0",
            "repositoryContext": CONTEXT["repositoryContext"],
        }
    }
