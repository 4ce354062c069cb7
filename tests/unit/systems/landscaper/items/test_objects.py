"""krmkit.systems.landscaper.items.objects, items, carrier and sources: where an installation finds what it needs."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier
from krmkit.systems.landscaper.components.descriptors import ComponentRepository, decode
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.objects import World
from tests.unit.systems.landscaper.worlds import (
    CONTEXT,
    descriptor,
    installed,
    messages,
    obj,
    one,
    reference,
    repository,
    resource,
    target,
)

SHOP = descriptor("shop", resource("blueprint"))


def labelled(name: str, context: str, key: str, source: str = "import", **more: str) -> Object:
    """A Target with the labels of an import copy."""
    found = target(name)
    prefix = "data.landscaper.gardener.cloud"
    labels = {f"{prefix}/key": key, f"{prefix}/sourceType": source, **more}
    found["metadata"]["labels"] = {**labels, **({f"{prefix}/context": context} if context else {})}
    return found


def test_targets_by_key() -> None:
    """The elements of a list are found by context, key and source type; all three must fit."""
    world = World.of(
        [
            labelled("a", "Inst.root", "all"),
            labelled("b", "Inst.root", "all"),
            labelled("c", "Inst.root", "other"),
            labelled("d", "Inst.else", "all"),
            labelled("e", "Inst.root", "all", "export"),
            labelled("f", "", "all"),
            {**labelled("g", "Inst.root", "all"), "kind": "DataObject"},
        ]
    )

    def names(context: str) -> list[Any]:
        return [one["metadata"]["name"] for one in world.targets_by_key("default", context, "all")]  # type: ignore[index]

    assert names("Inst.root") == ["a", "b"]
    assert names("") == ["f"]
    assert world.targets_by_key("other", "Inst.root", "all") == []


def test_what_a_world_holds() -> None:
    """Landscaper's kinds of its version, and Secrets and ConfigMaps; the last of one name stays."""
    world = World.of(
        [
            obj("DataObject", "a", data=1),
            obj("DataObject", "a", data=2),
            obj("DataObject", "b", "landscaper.gardener.cloud/v1", data=1),
            obj("Secret", "s", API_VERSION),
            obj("Secret", "t", "v1"),
            obj("Deployment", "d", "v1"),
        ]
    )

    assert list(world.objects) == [("DataObject", "default", "a"), ("Secret", "default", "t")]
    assert world.get("DataObject", "default", "a") == obj("DataObject", "a", data=2)
    assert world.get("DataObject", "other", "a") is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"blueprint": {}}, "one of ref and inline must be given"),
        ({"componentDescriptor": {}}, "no component descriptor reference defined, which a blueprint reference needs"),
        ({"blueprint": {"ref": {"resourceName": "blueprnt"}}}, 'component example.com/shop:1.0.0 has no resource blueprnt; did you mean "blueprint"?'),
        ({"blueprint": {"ref": {"resourceName": "other"}}}, "artifact does not match blueprint downloader (check config media type)"),
        ({"blueprint": {"ref": {"resourceName": "strange"}}}, "artifact does not match blueprint downloader (check config media type)"),
        (
            {"blueprint": {"ref": {"resourceName": "absent"}}},
            "the content of blueprint absent of example.com/shop:1.0.0 is not among the items; `krmkit landscaper import` brings it there",
        ),
        ({"context": "othr"}, 'contexts.landscaper.gardener.cloud "othr" not found; did you mean "other"?'),
        (
            {"componentDescriptor": {"ref": {"componentName": "example.com/shob", "version": "1.0.0"}}},
            'component version "example.com/shob:1.0.0" not found; did you mean "example.com/shop:1.0.0"?'
            " (krmkit landscaper import SOURCE -o PACKAGE brings components into a package)",
        ),
        ({"componentDescriptor": {"inline": {"a": 1}}}, 'component descriptor: meta.schemaVersion must be "v2" or apiVersion "ocm.software/v3alpha1", got neither'),
        ({"componentDescriptor": {"inline": {"meta": {"schemaVersion": "v1"}}}}, 'component descriptor: meta.schemaVersion must be "v2" or apiVersion "ocm.software/v3alpha1", got v1'),
        ({"componentDescriptor": {"inline": {"meta": {"schemaVersion": "v2"}, "component": {"name": "x"}}}}, "component descriptor: component.name and component.version must be given"),
    ],
)  # fmt: skip
def test_what_is_not_there(changed: Object, message: str) -> None:
    """Blueprint, component and context are found by name, or the nearest is named."""
    known = repository(
        descriptor(
            "shop",
            resource("blueprint"),
            resource("other", "helm"),
            resource("strange", access={"mediaType": "text/plain"}),
            resource("absent"),
        ),
        shop="",
    )
    other = obj("Context", "other", repositoryContext={"type": "ociRegistry"})

    assert messages(one(installed("shop", **changed), CONTEXT, other, repository=known)) == [message]


def test_media_types() -> None:
    """A blueprint of Landscaper's media types, packed or not, is one; a blueprint wins over another resource of its name."""
    kind = "application/vnd.gardener.landscaper.blueprint.layer.v1.tar+gzip"
    typed = resource("blueprint", "landscaper.gardener.cloud/blueprint", access={"mediaType": kind})
    known = repository(descriptor("shop", resource("blueprint", "helm"), typed), shop="")

    assert messages(one(installed("shop"), CONTEXT, repository=known)) == []


OVERWRITES = [
    {"source": {"componentName": "example.com/old", "version": "0.9.0"}, "substitution": {"version": "9.9.9"}},
    {"source": {"version": "1.0.0"}, "substitution": {"componentName": "example.com/shop"}},
    {"source": {}, "substitution": {"version": "8.8.8"}},
]  # fmt: skip


def test_overwrites_in_order() -> None:
    """The first substitution whose source fits is taken; what it does not name stays."""
    context = {**CONTEXT, "componentVersionOverwrites": "newer"}
    overwrites = obj("ComponentVersionOverwrites", "newer", overwrites=OVERWRITES)
    known = repository(SHOP, shop="")

    assert messages(one(installed("old"), context, overwrites, repository=known)) == []
    none = obj("ComponentVersionOverwrites", "newer", overwrites=OVERWRITES[:1])
    assert messages(one(installed("shop"), context, none, repository=known)) == []
    assert messages(one(installed("shop"), context, repository=known)) == [
        'componentversionoverwrites.landscaper.gardener.cloud "newer" not found'
    ]


def test_overwrites_of_versions() -> None:
    """A substitution may name another version only."""
    context = {**CONTEXT, "componentVersionOverwrites": "newer"}
    one_only = obj("ComponentVersionOverwrites", "newer", overwrites=[{"source": {"componentName": "example.com/shop"}, "substitution": {"version": "1.0.0"}}])  # fmt: skip
    old = {"ref": {"componentName": "example.com/shop", "version": "0.1.0"}}

    found = one(installed("shop", componentDescriptor=old), context, one_only, repository=repository(SHOP, shop=""))  # fmt: skip

    assert messages(found) == []


def test_descriptors_have_defaults() -> None:
    """What a descriptor leaves out is an empty list or text; only local resources without a version get the component's."""
    bare = decode({"meta": {"schemaVersion": "v2"}, "component": {"name": "n", "version": "1", "resources": [{"name": "a", "relation": "local"}, {"name": "b", "relation": "external"}, {"name": "c", "relation": "local", "version": "2"}]}})  # fmt: skip

    assert bare.body == {
        "name": "n",
        "version": "1",
        "provider": "",
        "repositoryContexts": [],
        "sources": [],
        "componentReferences": [],
        "resources": [
            {"name": "a", "relation": "local", "version": "1"},
            {"name": "b", "relation": "external"},
            {"name": "c", "relation": "local", "version": "2"},
        ],
    }


def test_own_context_wins() -> None:
    """The repository context of the reference is taken before that of the Context, and suffices without one."""
    body = (
        "deployExecutions: [{name: d, type: GoTemplate, template: 'deployItems: [{name: a, type: t,"
        " config: {{ toJson .componentDescriptorDef.ref.repositoryContext }}}]'}]\n"
    )
    own = {"type": "ociRegistry", "baseUrl": "own.example.com"}
    ref = {"componentName": "example.com/shop", "version": "1.0.0", "repositoryContext": own}

    for more in ([CONTEXT], []):
        found = one(
            installed("shop", componentDescriptor={"ref": ref}), *more, repository=repository(SHOP, shop=body)
        )
        assert messages(found) == []
        assert found.deploy_items[0].config == own


def test_labelled_descriptors() -> None:
    """A label of a reference may hold its descriptor; the one in the repository is then not needed."""
    inner = descriptor("web", resource("blueprint"))
    label = {"name": "landscaper.gardener.cloud/component-descriptor", "value": inner}
    known = ComponentRepository()
    root = known.add(
        descriptor(
            "shop", references=(reference("web", labels=[{"name": "other", "value": {}}, label, label]),)
        )
    )

    assert [component.name for component in known.closure(root)] == ["example.com/shop", "example.com/web"]


def test_closure_visits_once() -> None:
    """A component that several refer to is one of the closure once, at the first place."""
    known = ComponentRepository()
    root = known.add(descriptor("shop", references=(reference("web"), reference("db"))))
    known.add(descriptor("web", references=(reference("db"),)))
    known.add(descriptor("db"))

    assert [component.name[12:] for component in known.closure(root)] == ["shop", "web", "db"]


def test_long_chains() -> None:
    """Components refer to each other a hundred deep at most."""
    known = ComponentRepository()
    for number in range(103):
        known.add(descriptor(f"c{number}", references=(reference(f"c{number + 1}"),)))
    known.add(descriptor("c103"))

    assert len(known.closure(known.find("example.com/c3", "1.0.0"))) == 101
    with pytest.raises(InstallationError, match="the component references have a cycle"):
        known.closure(known.find("example.com/c2", "1.0.0"))


def test_newer_descriptors_keep_their_labels() -> None:
    """Labels, and a provider that is a text."""
    data = {
        "apiVersion": "ocm.software/v3alpha1",
        "metadata": {"name": "n", "version": "1", "provider": "p", "labels": [{"name": "l"}]},
        "repositoryContexts": [{"type": "x"}],
    }
    component = decode(data)

    assert component.body["labels"] == [{"name": "l"}]
    assert component.body["provider"] == "p"
    assert component.repository_context == {"type": "x"}
    assert component.shown("ocm.software/v3alpha1") is data
    assert component.shown("v2") is component.descriptor


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("blueprint.yaml", "blueprint.yaml"),
        ("sub/one_two.yaml", "sub_2Fone_5Ftwo.yaml"),
        ("é", "_C3_A9"),
        ("_2F", "_5F2F"),
    ],
)
def test_keys(path: str, key: str) -> None:
    """A path as a key of a ConfigMap, and back."""
    assert carrier.escape(path) == key
    assert carrier.unescape(key) == path


def test_keys_of_others() -> None:
    """A key that nobody escaped stays readable."""
    assert [carrier.unescape(key) for key in ("a_zz_", "_4", "_4G")] == ["a_zz_", "_4", "_4G"]


@pytest.mark.parametrize(
    "content",
    ["text\n", b"\xff\x00", Files({"a": "x\r\n", "b/c": b"\xfe"}), Files({})],
    ids=["a text", "bytes", "a folder", "an empty folder"],
)
def test_contents_come_back(content: Any) -> None:
    """A single file stays one, and a folder a folder, byte for byte."""
    found = carrier.content_of(carrier.blob_item("a:1/b", content))

    assert (found.all() if isinstance(found, Files) else found) == (
        content.all() if isinstance(content, Files) else content
    )


@pytest.mark.parametrize(
    ("item", "message", "field"),
    [
        ({"data": {"other": ""}}, "must have the key component-descriptor.yaml", "data"),
        ({"data": {"component-descriptor.yaml": "a: ["}}, "error converting YAML to JSON: yaml: ", 'data."component-descriptor.yaml"'),
    ],
)  # fmt: skip
def test_no_descriptor(item: Object, message: str, field: str) -> None:
    """A ConfigMap that holds no descriptor says where."""
    with pytest.raises(InstallationError) as caught:
        carrier.descriptor_of(item)

    assert caught.value.field == field
    assert caught.value.message.startswith(message)


def test_bad_base64_in_a_content() -> None:
    """binaryData must be base64; breaks between its lines are fine."""
    assert carrier.content_of({"binaryData": {"a": "YWJj\nZGVm\n"}}).all() == {"a": b"abcdef"}  # type: ignore[union-attr]

    with pytest.raises(InstallationError) as caught:
        carrier.content_of({"binaryData": {"a": "%%%"}})

    assert (caught.value.message, caught.value.field) == ("must be base64", 'binaryData."a"')


def test_states_come_back() -> None:
    """The states of executors by their keys; what is not YAML counts as absent."""
    item = carrier.state_item("shop", "prod", {"deploy b": {"x": [1]}, "exporta": None})

    assert item["metadata"]["namespace"] == "prod"  # type: ignore[index]
    assert carrier.state_of(item) == {"deploy b": {"x": [1]}, "exporta": None}
    assert carrier.state_of({"data": {"a": "x: [", "b": "1"}}) == {"b": 1}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("a/b", "a-b", False), ("A", "a", False), ("a" * 80, "a" * 81, False), ("x", "x", True)],
)
def test_item_names(first: str, second: str, same: bool) -> None:
    """Titles that look alike have different names, all of which Kubernetes takes."""
    one_name, other = carrier.item_name(first), carrier.item_name(second)

    assert (one_name == other) is same
    assert max(len(one_name), len(other)) <= 63
    assert one_name[0] != "-"
