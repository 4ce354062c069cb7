"""krmkit.systems.landscaper.flow.imports and importvalues: what an installation imports, and what its blueprint makes of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.yaml import load
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

ANY = "imports:\n- {name: a, schema: {}}\n"


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("source", "item", "value"),
    [
        ({"dataRef": "x"}, data_object("x", {"a": 1}), {"a": 1}),
        ({"dataRef": "#x"}, data_object("x", None), None),
        ({"secretRef": {"name": "x", "key": "k"}}, obj("Secret", "x", "v1", data={"k": encoded("5432")}), 5432),
        ({"secretRef": {"name": "x"}}, obj("Secret", "x", "v1", data={"k": encoded("true")}), {"k": True}),
        ({"secretRef": {"name": "x", "key": "k"}}, obj("Secret", "x", "v1", stringData={"k": "yes"}), True),
        ({"configMapRef": {"name": "x", "key": "k"}}, obj("ConfigMap", "x", "v1", data={"k": "a: [1, two]"}), {"a": [1, "two"]}),
        ({"configMapRef": {"name": "x"}}, obj("ConfigMap", "x", "v1", data={"k": "a"}, binaryData={"k": encoded("b")}), {"k": "b"}),
    ],
    ids=["a DataObject", "any scope, null", "a key is YAML", "a whole Secret", "stringData", "a key is a map", "binaryData wins"],
)  # fmt: skip
def test_sources(source: Object, item: Object, value: Any) -> None:
    """Data come from DataObjects as they are, and from Secrets and ConfigMaps as YAML."""
    found = one(installation("root", ANY, imports={"data": [{"name": "a", **source}]}), item)

    assert messages(found) == []
    assert found.values == {"a": value}


@pytest.mark.parametrize(
    ("definition", "given", "value"),
    [
        ("{name: a, required: false, default: {value: 1}, schema: {}}", False, 1),
        ("{name: a, required: false, default: {value: 1}, schema: {}}", True, "x"),
        ("{name: a, required: false, schema: {}}", False, None),
    ],
    ids=["the default", "a value wins", "neither"],
)
def test_defaults(definition: str, given: bool, value: Any) -> None:
    """An import that is not required takes its default."""
    imports = {"data": [{"name": "a", "dataRef": "a"}]} if given else {}

    found = one(installation("root", f"imports:\n- {definition}\n", imports=imports), data_object("a", "x"))

    assert found.values.get("a") == value


def test_a_default_of_a_required_import() -> None:
    """A required import takes no default."""
    found = one(installation("root", "imports:\n- {name: a, default: {value: 1}, schema: {}}\n"))

    assert messages(found) == ['blueprint defines import "a" of type data, which is not satisfied']


CONDITIONAL = "imports:\n- name: outer\n  required: false\n  schema: {type: object}\n  imports:\n  - {name: inner, schema: {type: string}}\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], []),
        (["outer"], ['blueprint defines import "inner" of type data, which is not satisfied']),
        (["outer", "inner"], []),
    ],
    ids=["neither", "only the outer one", "both"],
)
def test_conditional_imports(given: list[str], expected: list[str]) -> None:
    """An import inside another is needed once the outer one has a value."""
    imports = {"data": [{"name": name, "dataRef": name} for name in given]}

    found = one(
        installation("root", CONDITIONAL, imports=imports),
        data_object("outer", {}),
        data_object("inner", "x"),
    )

    assert [message.partition("; ")[0] for message in messages(found)] == expected


@pytest.mark.parametrize(
    ("kind", "entry", "message"),
    [
        ("target", {"target": "other"}, "root.a: imported target type is example.com/other but expected example.com/t"),
        ("targetList", {"targets": ["good", "other"]}, "root.a: type of the element at position 1 of the imported targetlist is example.com/other but expected example.com/t"),
        ("targetMap", {"targetMap": {"blue": "other"}}, "root.a: type of the element at position blue of the imported targetmap is example.com/other but expected example.com/t"),
    ],
)  # fmt: skip
def test_target_types(kind: str, entry: Object, message: str) -> None:
    """Each target must have the type that the blueprint asks for."""
    body = f"imports:\n- {{name: a, type: {kind}, targetType: example.com/t}}\n"

    found = one(
        installation("root", body, imports={"targets": [{"name": "a", **entry}]}),
        target("good", "example.com/t"),
        target("other", "example.com/other"),
    )

    assert messages(found) == [message]


def test_a_target_imported_as_data() -> None:
    """An import of the wrong kind says which kind it must be."""
    body = "imports:\n- {name: a, targetType: example.com/t}\n"

    (message,) = messages(
        one(
            installation("root", body, imports={"data": [{"name": "a", "dataRef": "a"}]}), data_object("a", 1)
        )
    )

    assert message.endswith('"a" is imported as data, and must be one of the targets with target')


def test_copies_in_the_own_scope() -> None:
    """A single target keeps its labels in the copy; elements of lists are copies of their own, without them."""
    body = "imports:\n- {name: t, targetType: example.com/t}\n- {name: l, type: targetList, targetType: example.com/t}\n"
    item = target("good", "example.com/t", token="abc")
    item["metadata"]["labels"] = {"team": "north"}
    item["metadata"]["annotations"] = {"config.kubernetes.io/path": "a.yaml", "note": "x"}

    found = one(
        installation(
            "root",
            body,
            imports={"targets": [{"name": "t", "target": "good"}, {"name": "l", "targets": ["good"]}]},
        ),
        item,
    )

    single, element = made(found)
    assert single["metadata"]["name"] == object_name("Inst.root", "t")
    assert single["metadata"]["labels"]["team"] == "north"
    assert sorted(single["metadata"]["annotations"]) == ["data.landscaper.gardener.cloud/hash", "note"]
    assert element["metadata"]["name"] == object_name("Inst.root", "l[0]")
    prefix = "data.landscaper.gardener.cloud"
    assert element["metadata"]["labels"] == {
        f"{prefix}/context": "Inst.root",
        f"{prefix}/key": "l",
        f"{prefix}/source": "Inst.root",
        f"{prefix}/sourceType": "import",
        f"{prefix}/index": "0",
    }
    assert element["spec"] == item["spec"]


def test_an_own_export_is_no_cycle() -> None:
    """An installation that imports what it exports does not wait for itself."""
    found = one(
        installation("root", "", imports={"data": [{"name": "a", "dataRef": "a"}]}, exports={"data": [{"name": "a", "dataRef": "a"}]}, exportDataMappings={"a": 1}),
        data_object("a", 1),
    )  # fmt: skip

    assert messages(found) == []


def test_one_owner() -> None:
    """A nested installation cannot make an object that another root has made."""
    first = installation(
        "one", "", exports={"data": [{"name": "a", "dataRef": "a"}]}, exportDataMappings={"a": 1}
    )
    second = installation(
        "two", "", exports={"data": [{"name": "a", "dataRef": "a"}]}, exportDataMappings={"a": 2}
    )

    _, late = run(first, second)

    assert messages(late) == ["DataObject a is made by installation one already, and has one owner"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"data": [{"name": "a"}]}, 'import "a" must have one of dataRef, secretRef and configMapRef'),
        ({"targets": [{"name": "a"}]}, "invalid target definition 'a': one of target, targets, targetMap, targetListRef and targetMapRef must be given"),
        ({"targets": [{"name": "a", "targets": ["east", "wst"]}]}, 'targets.landscaper.gardener.cloud "wst" not found; did you mean "west"?'),
        ({"targets": [{"name": "a", "targetMap": {"k": "wst"}}]}, 'targets.landscaper.gardener.cloud "wst" not found; did you mean "west"?'),
        ({"data": [{"name": "a", "configMapRef": {"name": "m", "key": "kay"}}]}, 'key kay in configmap m does not exist; did you mean "key"?'),
        ({"data": [{"name": "a", "configMapRef": {"name": "m", "key": "bad"}}]}, "key bad of configmap m holds no YAML"),
    ],
)  # fmt: skip
def test_what_cannot_be_resolved(entry: Object, message: str) -> None:
    """An import without a source, and one whose source is not there."""
    config = obj("ConfigMap", "m", "v1", data={"key": "1", "bad": "a: ["})

    found = one(installation("root", "", imports=entry), target("east"), target("west"), config)

    assert messages(found) == [message]


def test_everything_that_is_missing() -> None:
    """All imports that cannot be resolved are said at once, each with its field."""
    imports = {
        "data": [{"name": "a", "dataRef": "x"}, {"name": "b", "secretRef": {"name": "x"}}],
        "targets": [{"name": "c", "targets": ["t", "y"]}, {"name": "d", "targetMap": {"k": "y"}}],
    }

    found = one(installation("root", "", imports=imports), target("t"))

    assert [error.field for error in found.errors] == [
        "spec.imports.data[0].dataRef",
        "spec.imports.data[1].secretRef",
        "spec.imports.targets[0].targets[1]",
        "spec.imports.targets[1].targetMap.k",
    ]


SHAPES = (
    "imports:\n- {name: t, targetType: x/y}\n- {name: l, type: targetList, targetType: x/y}\n"
    "- {name: m, type: targetMap, targetType: x/y}\n"
    "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: a, type: t, config: {{ toJson .imports }}}]'}]\n"
)


def test_targets_as_templates_and_mappings_see_them() -> None:
    """A target is the whole object, as an API server returns it, without the annotations of tools; in lists and maps, too."""
    item = target("east", "x/y", a=1)
    item["metadata"]["annotations"] = {"config.kubernetes.io/path": "a.yaml"}
    item["metadata"]["labels"] = {}
    entries = [
        {"name": "t", "target": "east"},
        {"name": "l", "targets": ["east"]},
        {"name": "m", "targetMap": {"k": "east"}},
    ]
    names = ["(( t.metadata.name ))", "(( l.[0].metadata.name ))", "(( m.k.spec.config.a ))"]

    found = one(
        installation("root", SHAPES, imports={"targets": entries}, importDataMappings={"names": names}), item
    )

    shown = {
        **item,
        "metadata": {"name": "east", "namespace": "default", "creationTimestamp": None},
    }
    assert messages(found) == []
    assert found.deploy_items[0].config == {"t": shown, "l": [shown], "m": {"k": shown}}
    assert found.mapped == {"names": ["east", "east", 1]}


def test_annotations_of_people_stay() -> None:
    """Only the annotations of tools are left out."""
    item = target("east", "x/y")
    item["metadata"]["annotations"] = {"config.kubernetes.io/path": "a.yaml", "note": "x"}

    found = one(
        installation("root", "imports:\n- {name: t, targetType: x/y}\n", imports={"targets": [{"name": "t", "target": "east"}]}),
        item,
    )  # fmt: skip

    assert found.values["t"]["metadata"]["annotations"] == {"note": "x"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("definition", "imports", "message"),
    [
        ("{name: a, required: false, imports: [{name: b, schema: {}}], schema: {}}", {"data": [{"name": "a", "dataRef": "a"}]}, 'blueprint defines import "b" of type data, which is not satisfied; did you mean "a"?'),
        ("{name: a, imports: [{name: b, schema: {}}], schema: {}}", {"data": [{"name": "a", "dataRef": "a"}]}, "root.a: only an import with required: false may have conditional imports"),
        ("{name: a, type: targetList, targetType: x/y}", {}, 'blueprint defines import "a" of type targetList, which is not satisfied'),
        ("{name: a, type: targetMap, targetType: x/y}", {}, 'blueprint defines import "a" of type targetMap, which is not satisfied'),
        ("{name: a}", {"data": [{"name": "a", "dataRef": "a"}]}, "root.a: no schema defined"),
        ("{name: a, type: targetList, targetType: x/y}", {"data": [{"name": "a", "dataRef": "a"}]}, 'blueprint defines import "a" of type targetList, which is not satisfied; "a" is imported as data, and must be one of the targets with targets or targetListRef'),
        ("{name: ab, schema: {}}", {"data": [{"name": "abc", "dataRef": "a"}]}, 'blueprint defines import "ab" of type data, which is not satisfied; did you mean "abc"?'),
    ],
)  # fmt: skip
def test_what_the_blueprint_misses(definition: str, imports: Object, message: str) -> None:
    """An import of the blueprint without a value, and one that is wrong itself."""
    found = one(installation("root", f"imports:\n- {definition}\n", imports=imports), data_object("a", 1))

    assert messages(found) == [message]


TARGETS: dict[str, Object] = {
    "target": {"target": "east"},
    "targetList": {"targets": ["east"]},
    "targetMap": {"targetMap": {"k": "east"}},
}


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("given", TARGETS)
def test_targets_in_another_shape(kind: str, given: str) -> None:
    """One target, a list and a map of them do not stand for each other."""
    body = f"imports:\n- {{name: a, type: {kind}, targetType: x/y}}\n"

    found = one(
        installation("root", body, imports={"targets": [{"name": "a", **TARGETS[given]}]}),
        target("east", "x/y"),
    )

    told = [message.partition(";")[0] for message in messages(found)]
    wrong = f'blueprint defines import "a" of type {kind}, which is not satisfied'
    assert told == ([] if kind == given else [wrong])
    assert ("a" in found.values) is (kind == given)


@pytest.mark.parametrize("kind", ["target", "targetList", "targetMap"])
def test_targets_may_be_absent(kind: str) -> None:
    """An import of targets that is not required has no value, and no copy."""
    body = f"imports:\n- {{name: a, type: {kind}, required: false, targetType: x/y}}\n"
    found = one(installation("root", body))

    assert (messages(found), found.values, made(found)) == ([], {}, [])


def test_a_null_is_a_value() -> None:
    """A DataObject or a mapping may hold null, which counts as given."""
    body = "imports:\n- {name: a, schema: {}}\n- {name: b, schema: {}}\n"
    imports = {"data": [{"name": "a", "dataRef": "a"}]}

    found = one(
        installation("root", body, imports=imports, importDataMappings={"b": "(( ~ ))"}),
        data_object("a", None),
    )

    assert (messages(found), found.values) == ([], {"a": None, "b": None})


def test_mappings_win_and_see_imports_only() -> None:
    """A mapping wins over an import of its name; mappings do not see each other."""
    body = "imports:\n- {name: a, schema: {}}\n- {name: b, schema: {}}\n"
    imports = {"data": [{"name": "a", "dataRef": "a"}]}

    found = one(
        installation(
            "root",
            body,
            imports=imports,
            importDataMappings={"a": "(( a + 1 ))", "b": "(( a ))", "unused": 1},
        ),
        data_object("a", 1),
    )

    assert found.values == {"a": 2, "b": 1}


@pytest.mark.parametrize("call", ['exec("ls")', 'env("HOME")', 'read("/blueprint.yaml")', 'write("a", "b")'])
def test_mappings_reach_nothing(call: str) -> None:
    """A mapping has no files, no programs and no environment."""
    (message,) = messages(one(installation("root", "", importDataMappings={"a": f"(( {call} ))"})))

    assert f"{call.partition('(')[0]}: no OS operations supported in this execution environment" in message


def test_copies_of_maps() -> None:
    """An element of a map is a copy whose label says its key."""
    body = "imports: [{name: m, type: targetMap, targetType: x/y}]\n"
    imports = {"targets": [{"name": "m", "targetMap": {"blue": "east"}}]}

    (copy,) = made(one(installation("root", body, imports=imports), target("east", "x/y")))

    assert copy["metadata"]["name"] == object_name("Inst.root", "m[blue]")
    assert copy["metadata"]["labels"]["data.landscaper.gardener.cloud/targetmapkey"] == "blue"
    assert copy["metadata"]["labels"]["data.landscaper.gardener.cloud/key"] == "m"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"secretRef": {"name": "x"}}, 'secrets "x" not found'),
        ({"configMapRef": {"name": "x"}}, 'configmaps "x" not found'),
        ({"dataRef": "x"}, 'unable to fetch data object x (/x): dataobjects.landscaper.gardener.cloud "x" not found'),
    ],
)  # fmt: skip
def test_objects_that_are_missing(source: Object, message: str) -> None:
    """The words are Kubernetes's own."""
    found = one(installation("root", "", imports={"data": [{"name": "a", **source}]}))

    assert messages(found) == [message]


def test_yaml_of_values() -> None:
    """Values are read as Go reads them: the last of two keys counts, and what is nested too deeply is an error."""
    assert load("a: 1\na: 2\nyes: no\n") == {"a": 2, "true": False}

    with pytest.raises(GoInputError, match=r"^error converting YAML to JSON: yaml: "):
        load("[" * 100_000)
