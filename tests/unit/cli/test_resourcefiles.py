"""krmkit landscaper import of resources.yaml beside a blueprint: one component without a constructor."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.libraries.schema.fields import entries, mapping
from krmkit.render.package import read
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier
from tests.unit.cli.test_constructors import BLUEPRINT, DEPLOY, bring

RESOURCES = """\
---
type: blueprint
name: shop-blueprint
relation: local
input:
  type: dir
  path: ./blueprint
  compress: true
  mediaType: application/vnd.gardener.landscaper.blueprint.v1+tar+gzip
...
---
type: ociImage
name: shop
version: ${VERSION}
relation: external
access:
  type: ociRegistry
  imageReference: registry.example.com/shop:${VERSION}
"""
REFERENCES = "name: store\ncomponentName: example.com/store\nversion: v0.2.0\n"
DESCRIPTOR = """\
meta: {schemaVersion: v2}
component:
  name: example.com/tour
  version: v3.0.0
  provider: internal
  repositoryContexts: [{type: ociRegistry, baseUrl: registry.example.com}]
  sources: []
  componentReferences: []
  resources:
  - {name: shop, type: ociImage, version: v0.9.0, relation: external, access: {type: ociRegistry, imageReference: old}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a repository that holds resources.yaml; a chart has a file that is called the same."""
    monkeypatch.chdir(tmp_path)
    files = {
        ".landscaper/resources.yaml": RESOURCES,
        ".landscaper/component-references.yaml": REFERENCES,
        ".landscaper/blueprint/blueprint.yaml": BLUEPRINT,
        ".landscaper/blueprint/deploy.yaml": DEPLOY,
        "charts/shop/templates/resources.yaml": "a: {{ .Values.x }}\n",
    }
    for path, text in files.items():
        place = tmp_path / "tour" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return tmp_path / "tour/.landscaper"


def brought() -> tuple[dict[str, object], dict[str, object]]:
    """The descriptor's component, and the contents by name."""
    component: dict[str, object] = {}
    blobs: dict[str, object] = {}
    for item in read("package").items:
        data = mapping(item.get())
        if carrier.BLOB in item.annotations:
            content = carrier.content_of(data)
            blobs[item.annotations[carrier.BLOB]] = content.all() if isinstance(content, Files) else content
        elif carrier.DESCRIPTOR in item.annotations:
            component = mapping(mapping(carrier.descriptor_of(data)).get("component"))
    return component, blobs


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", ["tour", "tour/.landscaper", "tour/.landscaper/resources.yaml"])
def test_resources_of_a_named_component(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--component gives the name and version; files of charts that are called the same are none."""
    assert bring(place, "--component", "example.com/tour:v1.2.0", "--set", "VERSION=1.3.0") == 0, (
        capsys.readouterr().err
    )

    component, blobs = brought()
    assert blobs == {
        "example.com/tour:v1.2.0/shop-blueprint": {"blueprint.yaml": BLUEPRINT, "deploy.yaml": DEPLOY}
    }
    assert (component["name"], component["version"], component["provider"]) == (
        "example.com/tour",
        "v1.2.0",
        "internal",
    )
    found = [
        (one["name"], one["version"], one["relation"], mapping(one["access"])["type"])
        for one in entries(component["resources"])
    ]
    assert found == [
        ("shop-blueprint", "v1.2.0", "local", "localBlob"),
        ("shop", "1.3.0", "external", "ociRegistry"),
    ]
    assert [one["componentName"] for one in entries(component["componentReferences"])] == [
        "example.com/store"
    ]


def test_a_descriptor_beside_them(folder: Path) -> None:
    """A component-descriptor.yaml names the component; the resources that it has already stay as they are."""
    (folder / "component-descriptor.yaml").write_text(DESCRIPTOR)

    assert bring("tour", "--set", "VERSION=1.3.0") == 0

    component, blobs = brought()
    assert list(blobs) == ["example.com/tour:v3.0.0/shop-blueprint"]
    assert [(one["name"], one["version"]) for one in entries(component["resources"])] == [
        ("shop", "v0.9.0"),
        ("shop-blueprint", "v3.0.0"),
    ]
    assert component["repositoryContexts"] == [{"type": "ociRegistry", "baseUrl": "registry.example.com"}]


def test_a_list_of_resources(folder: Path) -> None:
    """Resources may also stand below `resources`."""
    text = "resources: [{name: settings, type: json, input: {type: utf8, text: hello}}]\n"
    (folder / "resources.yaml").write_text(text)

    assert bring("tour", "--component", "example.com/tour:v1.2.0") == 0
    assert brought()[1] == {"example.com/tour:v1.2.0/settings": "hello"}


@pytest.mark.parametrize("component", ["", "example.com/tour", ":v1"])
def test_no_component(folder: Path, component: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name and a version the error says how to give them."""
    assert bring("tour", "--component", component, "--set", "VERSION=1") == 1

    assert capsys.readouterr().err == (
        "krmkit landscaper import: tour/.landscaper/resources.yaml: has resources alone, so give their component:"
        " --component NAME:VERSION, or a component-descriptor.yaml beside it\n"
    )
