"""krmkit.landscaper.imports and importvalues: what an installation imports, and what its blueprint makes of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from krmkit.landscaper.apinames import object_name
from tests.unit.landscaper.worlds import (
    Data,
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
def test_sources(source: Data, item: Data, value: Any) -> None:
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
def test_target_types(kind: str, entry: Data, message: str) -> None:
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
    assert "team" not in element["metadata"]["labels"]
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
