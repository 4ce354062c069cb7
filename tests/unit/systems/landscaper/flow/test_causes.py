"""krmkit.systems.landscaper.flow.causes: what set the values of the objects that an installation makes."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.flow.causes import InstallationCauses, words
from tests.unit.systems.landscaper.worlds import data_object, installation, messages, obj, one, target

IMPORTS = (
    "imports:\n- {name: size, schema: {type: integer}}\n- {name: mapped, schema: {}}\n"
    "- {name: fixed, required: false, schema: {}, default: {value: 3}}\n- {name: word, schema: {}}\n"
    "- {name: one, targetType: x/y}\n- {name: many, type: targetList, targetType: x/y}\n"
)
EXPORTS = (
    "exports:\n- {name: out, type: data, schema: {}}\n- {name: moved, type: data, schema: {}}\n"
    "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {out: 1, moved: 2}'}\n"
)
ITEMS = (
    "deployExecutions:\n- {name: d, type: GoTemplate, template: 'deployItems: [{name: go, type: t, config: {a: {{ TEXT }}}}]'}\n"
    "- {name: s, type: Spiff, template: {deployItems: [{name: spiff, type: t, config: {a: (( imports.mapped ))}}]}}\n"
)
NESTED = (
    "subinstallations:\n- name: web\n  blueprint: {filesystem: {blueprint.yaml: "
    f'"apiVersion: {API_VERSION}\\nkind: Blueprint\\n"}}}}\n'
)
SPEC: Object = {
    "imports": {
        "data": [
            {"name": "size", "dataRef": "size"},
            {"name": "word", "secretRef": {"name": "words", "key": "w"}},
        ],
        "targets": [{"name": "one", "target": "east"}, {"name": "many", "targets": ["east", "west"]}],
    },
    "importDataMappings": {"mapped": "(( size ))"},
    "exports": {"data": [{"name": "out", "dataRef": "o"}, {"name": "more", "dataRef": "p"}]},
    "exportDataMappings": {"more": "(( moved ))"},
}
OBJECTS = [
    data_object("size", 5),
    target("east", "x/y"),
    target("west", "x/y"),
    obj("Secret", "words", "v1", data={"w": "aGk="}),
]
SIZE = ["config imports.data[0]", "resource DataObject/default/size"]
WORD = ["config imports.data[1]", "resource Secret/default/words"]
MAPPED = ["mapping importDataMappings.mapped", *SIZE]
FIXED = ["default imports.fixed"]
ONE = ["config imports.targets[0]", "resource Target/default/east"]
MANY = ["config imports.targets[1]", "resource Target/default/east", "resource Target/default/west"]
OWN = ["resource Installation/default/shop"]


def causes(template: str = ".imports.size") -> dict[str, tuple[list[str], list[str]]]:
    """The causes of each object, by its key or name: of its value and of its metadata."""
    root = installation("shop", IMPORTS + EXPORTS + ITEMS.replace("TEXT", template) + NESTED, **SPEC)
    found = one(root, *OBJECTS)
    assert messages(found) == []
    resources = {
        (one["kind"], "default", one["metadata"]["name"]): Resource.from_data(one) for one in (root, *OBJECTS)
    }
    known = InstallationCauses(found, lambda *key: resources.get(key))
    said = {}
    for made in found.objects:
        own = mapping(made["metadata"])
        name = mapping(own.get("labels")).get("data.landscaper.gardener.cloud/key") or own["name"]
        paths = known.of(made)
        value, metadata = (
            [f"{cause.kind} {cause.name}" for cause in paths.at((part,))]
            for part in ("data" if made["kind"] == "DataObject" else "spec", "metadata")
        )
        said[str(name)] = value, metadata
    return said


def test_copies_of_imports() -> None:
    """A mapping with the imports that it names, an import with its object, or the blueprint's default."""
    found = causes()

    assert {name: found[name] for name in ("size", "word", "mapped", "fixed", "one", "many")} == {
        "size": (SIZE, OWN),
        "word": (WORD, OWN),
        "mapped": (MAPPED, OWN),
        "fixed": (FIXED, OWN),
        "one": (ONE, OWN),
        "many": (MANY, OWN),
    }


def test_exports() -> None:
    """The blueprint's template or a mapping, and the entry that names the object."""
    found = causes()

    assert found["o"] == (["template exports.out", "config exports.data[0]"], OWN)
    assert found["p"] == (["mapping exportDataMappings.more", "config exports.data[1]"], OWN)


def test_nested_installations_and_deploy_items() -> None:
    """All of them is the template's; a deploy item has the causes of the imports that its template names, too."""
    found = causes()

    assert found["shop-web"] == (["template subinstallations"],) * 2
    for name, template, used in (("shop-go", "d", SIZE), ("shop-spiff", "s", MAPPED)):
        line = f"template deployExecutions.{template}"
        assert found[name] == ([line, *used], [*OWN, line])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("add .imports.size .imports.fixed", [*SIZE, *FIXED]),
        ("add .imports.size .imports.mapped", [*SIZE, "mapping importDataMappings.mapped"]),
        ("1", []),
        ("kindOf .blueprint | len", []),
        ("len .imports", [*SIZE, "mapping importDataMappings.mapped", *FIXED, *WORD, *ONE, *MANY]),
    ],
)
def test_what_a_template_names(template: str, expected: list[str]) -> None:
    """Each cause once, in the order of the blueprint's imports; the whole map is all of them."""
    found, _ = causes(template)["shop-go"]

    assert found[0] == "template deployExecutions.d"
    assert sorted(found[1:]) == sorted({*expected})
    assert len(found) == len({*found})


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("(( a.b ))", {"a", "b"}),
        ({"x": ["(( one-two ))", {"y": "text"}], "z": "(( c_d ))"}, {"one-two", "c_d"}),
        ("a.b", set()),
        (5, set()),
    ],
)
def test_words_of_expressions(value: object, names: set[str]) -> None:
    """Names inside expressions, at any depth; other texts have none."""
    assert words(value) == names
