"""krmkit.systems.landscaper.components.descriptors and the rest about components: descriptors, selectors, URIs, blueprints by resource, contexts."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json import Object
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import schemarefs
from krmkit.systems.landscaper.components.constructors import is_constructor_name
from krmkit.systems.landscaper.components.descriptors import decode, select
from krmkit.systems.landscaper.components.images import parse_oci_ref
from krmkit.systems.landscaper.errors import InstallationError
from tests.unit.systems.landscaper.worlds import (
    CONTEXT,
    HEADER,
    descriptor,
    installed,
    made,
    messages,
    obj,
    one,
    reference,
    repository,
    resource,
)


def test_a_blueprint_by_resource_name() -> None:
    """An Installation without anything inline: component and blueprint are found by name; the reference that templates see is effective."""
    body = (
        "deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    deployItems:\n    - name: a\n      type: t\n"
        "      config: {{ toJson .componentDescriptorDef }}\n"
    )
    found = one(
        installed("shop"),
        CONTEXT,
        repository=repository(descriptor("shop", resource("blueprint")), shop=body),
    )

    assert messages(found) == []
    config = found.deploy_items[0].config
    assert isinstance(config, dict)
    assert config["ref"]["repositoryContext"] == CONTEXT["repositoryContext"]


def test_an_inline_descriptor_with_a_nested_one() -> None:
    """A component reference may carry its descriptor in a label; the nested installation then has it inline."""
    ingress = descriptor("ingress", resource("blueprint"))
    label = {"name": "landscaper.gardener.cloud/component-descriptor", "value": ingress}
    parent = descriptor("shop", resource("blueprint"), references=(reference("ingress", labels=[label]),))
    body = "subinstallations:\n- name: ingress\n  blueprint: {ref: cd://componentReferences/ingress/resources/blueprint}\n"

    found = one(
        installed("shop", componentDescriptor={"inline": parent}),
        repository=repository(shop=body, ingress="imports: []\n"),
    )

    (nested,) = made(found)
    assert messages(found) == []
    assert nested["spec"]["componentDescriptor"] == {"inline": ingress}


def test_nested_installations_know_their_repository() -> None:
    """The context of the parent's descriptor for its own resources, that of the Context for those of references."""
    body = (
        "subinstallations:\n- name: own\n  blueprint: {ref: cd://resources/other}\n- name: ingress\n"
        "  blueprint: {ref: cd://componentReferences/ingress/resources/blueprint}\n"
    )
    known = repository(
        descriptor("shop", resource("blueprint"), resource("other"), references=(reference("ingress"),)),
        descriptor("ingress", resource("blueprint")),
        shop=body,
        ingress="imports: []\n",
    )
    known.blobs["example.com/shop:1.0.0/other"] = Files({"blueprint.yaml": HEADER})

    found = one(installed("shop"), CONTEXT, repository=known)

    contexts = [
        item["spec"]["componentDescriptor"]["ref"]["repositoryContext"]["baseUrl"] for item in made(found)
    ]
    assert contexts == ["registry.example.com", "mirror.example.com"]


def test_overwrites() -> None:
    """ComponentVersionOverwrites of the Context put another version in the place of the one asked for."""
    context = {**CONTEXT, "componentVersionOverwrites": "newer"}
    overwrites = obj(
        "ComponentVersionOverwrites",
        "newer",
        overwrites=[
            {
                "source": {"componentName": "example.com/old"},
                "substitution": {"componentName": "example.com/shop"},
            }
        ],
    )

    found = one(
        installed("old"),
        context,
        overwrites,
        repository=repository(descriptor("shop", resource("blueprint")), shop=""),
    )

    assert messages(found) == []


def test_a_missing_reference() -> None:
    """Everything that a component refers to must be there; the nearest known one is named."""
    known = repository(descriptor("shop", resource("blueprint"), references=(reference("shob"),)), shop="")

    assert messages(one(installed("shop"), CONTEXT, repository=known)) == [
        "unable to resolve component reference shob with component name example.com/shob and version 1.0.0: component version"
        ' "example.com/shob:1.0.0" not found; did you mean "example.com/shop:1.0.0"?'
        " (krmkit landscaper import SOURCE -o PACKAGE brings components into a package)"
    ]


def test_references_in_a_ring() -> None:
    """Components that refer to each other are an error, not a run without end."""
    known = repository(
        descriptor("shop", resource("blueprint"), references=(reference("web"),)),
        descriptor("web", references=(reference("shop"),)),
        shop="",
    )

    assert one(installed("shop"), CONTEXT, repository=known).errors[0].rule == "cycle"


def test_schema_versions() -> None:
    """A descriptor of v3alpha1 is read into v2, and local resources without a version have the component's."""
    component = decode(
        {
            "apiVersion": "ocm.software/v3alpha1",
            "metadata": {"name": "example.com/shop", "version": "2.0.0", "provider": {"name": "internal"}},
            "spec": {
                "resources": [{"name": "a", "type": "blob", "relation": "local"}],
                "references": [reference("web")],
            },
        }
    )

    assert (component.name, component.body["provider"]) == ("example.com/shop", "internal")
    assert component.resources[0]["version"] == "2.0.0"
    assert component.references[0]["componentName"] == "example.com/web"


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"name": "a"}, ["a", "a"]),
        ({"arch": "arm"}, ["b"]),
        ({"name": "a", "version": "2"}, ["a"]),
        ({"name": "b", "version": "1"}, []),
        ({"type": "blob"}, []),
    ],
    ids=[
        "by name",
        "by extra identity",
        "the version where names clash",
        "else it selects nothing",
        "no attribute",
    ],
)
def test_select(wanted: dict[str, str], names: list[str]) -> None:
    """The identity is the name and extraIdentity, and the version only where two are the same otherwise."""
    members: list[Object] = [
        {"name": "a", "version": "1", "type": "blob"},
        {"name": "a", "version": "2", "type": "blob"},
        {"name": "b", "version": "1", "type": "blob", "extraIdentity": {"arch": "arm"}},
    ]

    assert [member["name"] for member in select(members, wanted)] == names


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("cd://resources/blueprnt", 'local resource blueprnt cannot be found; did you mean "blueprint"?'),
        ("cd://resource/blueprint", "cd://resource/blueprint: unknown keyword resource; must be componentReferences or resources"),
        ("cd://componentReferences/x/resources/y", "component reference x cannot be found"),
        ("cd://resources/", 'cd://resources/ must have the form "cd://componentReferences/<name>/resources/<name>"'),
        ("cd://componentReferences//resources/blueprint", 'cd://componentReferences//resources/blueprint must have the form "cd://componentReferences/<name>/resources/<name>"'),
        ("http://resources/blueprint", 'http://resources/blueprint must have the form "cd://componentReferences/<name>/resources/<name>"'),
        ("cd://resources", 'cd://resources must have the form "cd://componentReferences/<name>/resources/<name>"'),
    ],
)  # fmt: skip
def test_uris(uri: str, message: str) -> None:
    """A URI that leads nowhere says where it ends."""
    known = repository(descriptor("shop", resource("blueprint")))

    with pytest.raises(InstallationError) as caught:
        schemarefs.resolve_uri(known, known.find("example.com/shop", "1.0.0"), uri)

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nginx:1.27", ("nginx", "1.27")),
        ("docker.io/org/tool:2", ("org/tool", "2")),
        ("index.docker.io/org/tool:2", ("org/tool", "2")),
        ("docker.io/library/nginx:1", ("nginx", "1")),
        ("https://example.com/tool:1", ("example.com/tool", "1")),
        ("localhost/tool:1", ("localhost/tool", "1")),
        ("org/tool:1", ("org/tool", "1")),
        ("registry.example.com:5000/tool", ("registry.example.com:5000/tool", "latest")),
        (
            "registry.example.com/tool:1@sha256:" + "a" * 64,
            ("registry.example.com/tool", "sha256:" + "a" * 64),
        ),
    ],
)
def test_oci_ref(text: str, parts: tuple[str, str]) -> None:
    """Docker's host and folder are left out, and a digest wins over a tag."""
    assert parse_oci_ref(text) == parts


def test_no_oci_ref() -> None:
    """A text without a colon is refused, as in the reference."""
    with pytest.raises(GoInputError):
        parse_oci_ref("registry/tool")


def test_contents_of_resources_with_one_name() -> None:
    """Resources that differ in extraIdentity only have contents of their own, by what their access says."""
    first = resource("aa", access={"type": "localBlob", "localReference": "sha256:1"})
    second = resource(
        "aa", extraIdentity={"arch": "arm"}, access={"type": "localBlob", "localReference": "sha256:2"}
    )
    known = repository(descriptor("shop", first, second))
    known.blobs = {"example.com/shop:1.0.0/aa": "one", "example.com/shop:1.0.0/sha256:2": "two"}
    component = known.find("example.com/shop", "1.0.0")

    assert [known.content(component, one) for one in component.resources] == ["one", "two"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("components.yaml", True),
        ("a/components.yml", True),
        ("constructor.yaml", True),
        ("component-constructor.yml", True),
        ("a/b/shop-constructor.yaml", True),
        ("shop-components.yml", True),
        ("shopcomponents.yaml", False),
        ("components.yaml/x.yaml", False),
        ("constructor.json", False),
        ("values.yaml", False),
    ],
)
def test_names_of_constructors(path: str, expected: bool) -> None:
    """In any folder, with either ending, alone or behind a word and a dash."""
    assert is_constructor_name(path) is expected
