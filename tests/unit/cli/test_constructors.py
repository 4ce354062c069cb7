"""krmkit landscaper import of component constructors, as they lie in source repositories."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.render.package import read
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier

CONSTRUCTOR = f"""\
components:
- name: example.com/shop
  version: ${{VERSION}}
  provider: {{name: internal}}
  componentReferences:
  - {{name: store, componentName: example.com/store, version: "${{VERSION}}"}}
  resources:
  - name: blueprint
    type: landscaper.gardener.cloud/blueprint
    input: {{type: dir, path: ../blueprint, compress: true, mediaType: application/vnd.gardener.landscaper.blueprint.v1+tar+gzip}}
  - name: settings
    type: json
    input: {{type: file, path: settings.json, mediaType: application/json}}
  - name: said
    type: PlainText
    input: {{type: utf8, text: "hello ${{WHO:=you}}"}}
  - name: bytes
    type: blob
    input: {{type: Binary, data: {base64.b64encode(b"odd").decode()}}}
  - name: image
    type: ociImage
    version: v1.2.3
    access: {{type: ociArtifact, imageReference: "registry.example.com/shop:1.2.3"}}
  - name: local-image
    type: ociImage
    input: {{type: docker, path: shop}}
---
name: example.com/store
version: ${{VERSION}}
provider: internal
resources: []
"""
INSTALLATION = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: shop, namespace: shops}
spec:
  componentDescriptor:
    ref:
      componentName: example.com/shop
      version: VERSION
      repositoryContext: {type: ociRegistry, baseUrl: registry.example.com}
  blueprint: {ref: {resourceName: blueprint}}
"""
BLUEPRINT = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
deployExecutions:
- name: main
  type: GoTemplate
  file: /deploy.yaml
"""
DEPLOY = """\
deployItems:
- name: main
  type: landscaper.gardener.cloud/mock
  config:
    apiVersion: x/v1
    kind: C
    image: {{ with (getResource .cd "name" "image") }}{{ .access.imageReference }}{{ end }}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a constructor beside a blueprint, and the working directory above it."""
    monkeypatch.chdir(tmp_path)
    files = {
        "tour/commands/components.yaml": CONSTRUCTOR,
        "tour/commands/settings.json": '{"a": 1}',
        "tour/blueprint/blueprint.yaml": BLUEPRINT,
        "tour/blueprint/deploy.yaml": DEPLOY,
    }
    for path, text in files.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return tmp_path / "tour"


def bring(*words: str) -> int:
    return main(["landscaper", "import", *words, "-o", "package"])


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("place", ["tour/commands/components.yaml", "tour"])
def test_a_constructor(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its components come with what their resources are made of; what is not made here is named."""
    Path("values.yaml").write_text("VERSION: v1.0.0\n")

    code = bring(place, "--values", "values.yaml")

    told = capsys.readouterr()
    assert code == 0, told.err
    assert (
        "example.com/shop:v1.0.0/local-image: left out, as an input of type docker is not made here"
        in told.err
    )
    items = [item for item in read("package").items if item.kind == "ConfigMap"]
    blobs = {}
    for item in items:
        data = item.get()
        if carrier.BLOB in item.annotations and isinstance(data, dict):
            content = carrier.content_of(data)
            blobs[item.annotations[carrier.BLOB].rpartition("/")[2]] = (
                content.all() if isinstance(content, Files) else content
            )
    assert blobs == {
        "blueprint": {"blueprint.yaml": BLUEPRINT, "deploy.yaml": DEPLOY},
        "settings": '{"a": 1}',
        "said": "hello you",
        "bytes": "odd",
    }
    descriptors = {
        item.annotations[carrier.DESCRIPTOR]: item for item in items if carrier.DESCRIPTOR in item.annotations
    }
    assert set(descriptors) == {"example.com/shop:v1.0.0", "example.com/store:v1.0.0"}
    shop = go_data(
        parse(str(descriptors["example.com/shop:v1.0.0"].get("data", "component-descriptor.yaml"))).root
    )
    assert isinstance(shop, dict)
    resources = {one["name"]: one for one in shop["component"]["resources"]}
    assert resources["blueprint"]["version"] == "v1.0.0"
    assert resources["blueprint"]["relation"] == "local"
    assert resources["blueprint"]["access"]["type"] == "localBlob"
    assert (resources["image"]["version"], resources["image"]["relation"]) == ("v1.2.3", "external")
    assert shop["component"]["componentReferences"][0]["version"] == "v1.0.0"


def test_what_was_brought_is_rendered(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An Installation of the component gives deploy items; before the import, the error names the command."""
    Path("package").mkdir()
    Path("package/Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/render-installation\n    configMap: {}\n"
    )
    Path("package/installation.yaml").write_text(INSTALLATION.replace("VERSION", "v1.0.0"))

    assert main(["render", "package"]) == 1
    told = capsys.readouterr().out
    assert 'component version "example.com/shop:v1.0.0" not found' in told
    assert "krmkit landscaper import SOURCE -o PACKAGE" in told

    assert bring(str(source), "--set", "VERSION=v1.0.0") == 0
    assert main(["render", "package"]) == 0, capsys.readouterr().out
    (item,) = Path("package/landscape").rglob("deployitem*.yaml")
    assert "image: registry.example.com/shop:1.2.3" in item.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("components: []\n", "must hold a component with a name, or several below components"),
        ("name: example.com/a\n", "a component must have a name and a version"),
        ("name: a\nversion: ${VERSION}\n", "no value for VERSION; give it in --values FILE or by --set NAME=VALUE"),
        ("name: a\nversion: ${VERSION\n", "line 2: ${VERSION has no } that closes it"),
        ("name: a\nversion: {{ .VERSION }}\n", "variables other than ${NAME} (Go templates, spiff) are not filled in"),
        ("name: Root_Bad\nversion: v1\nresources: []\n", "must be a domain with a path in small letters, such as example.com/shop, got Root_Bad"),
        ("name: a.bc/c\nversion: latest\nresources: []\n", "component.version: Does not match pattern"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: My_Res, input: {type: utf8, text: x}}]\n", "component.resources.0.name: Does not match pattern"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx}]\n", "a.bc/c:v1/xx must have an access or an input"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: dir, path: nothing}}]\n", "input.path nothing is not a folder"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: file, path: nothing}}]\n", "input.path nothing is not a file"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: file, path: ../../../secret}}]\n", "leads out of"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: file, path: /etc/passwd}}]\n", "leads out of"),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: binary, data: '?'}}]\n", ""),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: dir, path: ., includeFiles: ['(']}}]\n", "a.bc/c:v1/xx: "),
        ("name: a.bc/c\nversion: v1\nresources: [{name: xx, type: blueprint, input: {type: file, path: settings.json}}]\n", "cannot read the archive"),
    ],
)  # fmt: skip
def test_what_cannot_be_made(source: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The file, the place and what would be right are named; nothing is written."""
    (source / "commands/components.yaml").write_text(text)

    code = bring("tour/commands/components.yaml")

    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert str(source.parent) not in told and told.count("components.yaml: ") == (1 if said else 0)
    assert (code, Path("package").exists()) == ((1, False) if said else (0, True))


@pytest.mark.parametrize("git", [True, False])
def test_the_file_and_its_bound_are_named(
    source: Path, git: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The constructor's path is said once, also below a folder."""
    if git:
        (source / ".git").mkdir()
    (source / "commands/components.yaml").write_text(
        "name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: file, path: ../../secret}}]\n"
    )

    assert bring("tour") == 1

    bound = "the constructor's git repository" if git else "tour"
    told = capsys.readouterr().err
    assert "tour/commands/components.yaml: a.bc/c:v1/xx: " in told
    assert told.endswith(f"the path ../../secret leads out of {bound}\n")
    assert told.count("components.yaml") == 1


def test_nothing_above_the_given_folder_is_read(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A constructor at its root could reach beside it, as one that is given itself may: its folder is then one of a source."""
    text = "name: a.bc/c\nversion: v1\nresources: [{name: xx, input: {type: file, path: ../beside}}]\n"
    (source / "commands/components.yaml").rename(source / "components.yaml").write_text(text)
    (source.parent / "beside").write_text("x")

    assert bring("tour") == 1
    assert capsys.readouterr().err.endswith("the path ../beside leads out of tour\n")
    assert bring("tour/components.yaml") == 0


def test_chosen_files_of_a_folder(source: Path) -> None:
    """includeFiles and excludeFiles are patterns of paths, and preserveDir keeps the folder's name."""
    (source / "blueprint/notes.md").write_text("x")
    (source / "commands/components.yaml").write_text(
        "name: a.bc/c\nversion: v1\nresources:\n- name: xx\n  input: {type: dir, path: ../blueprint, preserveDir: true,"
        " includeFiles: ['yaml$', 'md$'], excludeFiles: ['^deploy']}\n"
    )

    assert bring("tour") == 0

    (item,) = [one for one in read("package").items if carrier.BLOB in one.annotations]
    assert sorted(mapping(item.get("data"))) == ["blueprint_2Fblueprint.yaml", "blueprint_2Fnotes.md"]


def test_the_example_is_what_the_import_gives(project: Path, tmp_path: Path) -> None:
    """The components of the example's package are those of its source."""
    example = project / "functions/render-installation/examples/from-constructor"

    words = ["--set", "VERSION=v1.4.0", "-o", str(tmp_path / "package")]
    assert main(["landscaper", "import", str(example / "source"), *words]) == 0

    made = {one.name: one.read_text() for one in (tmp_path / "package/components").iterdir()}
    assert made == {one.name: one.read_text() for one in (example / "components").iterdir()}
