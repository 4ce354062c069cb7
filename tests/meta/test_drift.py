"""Generated files are what the definitions say, and the generators say what they should."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from krmkit import REGISTRY, TAG
from tools import documents, proto, tags
from tools.definitions import Definition, DefinitionError, Project, definitions
from tools.generate import filled, generated, stale

FUNCTION = """\
name: count-things
kind: CountThings
accepts: [{apiVersion: things.example.com/v1, kind: Thing}]
summary: Counts things | and names them.
description: |
  Counts every thing.

  Twice.
tags: [validator]
rules:
  too-many: "error: there are more things than wanted"
  none-found: "info, with --explain: nothing to count"
schema:
  type: object
  required: [things]
  additionalProperties: false
  properties:
    limit: {type: integer, default: 10, nullable: true, description: The most that may be there.}
    port: {x-kubernetes-int-or-string: true}
    things:
      type: array
      items:
        type: object
        properties:
          colour: {type: string, enum: [red, "on"]}
    weights:
      type: object
      additionalProperties: {type: number}
"""


@pytest.fixture
def function(tmp_path: Path) -> Definition:
    folder = tmp_path / "functions" / "count-things"
    (folder / "examples" / "basic").mkdir(parents=True)
    (folder / "examples" / "basic" / "Kptfile").write_text("kind: Kptfile\n", "utf-8")
    (folder / "function.yaml").write_text(FUNCTION, "utf-8")
    return Definition(folder)


def test_code_of_messages(project: Path) -> None:
    """The code of each .proto file is what `make proto` would write."""
    files = proto.generated()

    assert {path.name for path in files} == {"evaluator_pb2.py", "evaluator_pb2.pyi"}
    for path, text in files.items():
        assert path.read_text("utf-8") == text, f"{path.relative_to(project)}: run make proto"


def test_nothing_drifted(project: Path) -> None:
    """Every generated file has the text that `make generate` would write; none is left over."""
    files = generated(project)
    old = [
        path.relative_to(project).as_posix()
        for path, text in files.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]

    assert not old, "run `make generate`"
    assert not stale(project, files)


def test_catalog_has_the_form_of_the_kep(project: Path) -> None:
    """Each entry has every field that KEP-2906 requires, and no digest before an image is built."""
    catalog = yaml.safe_load((project / "catalog.yaml").read_text("utf-8"))

    assert (catalog["apiVersion"], catalog["kind"]) == ("config.kubernetes.io/v1alpha1", "Catalog")
    assert [entry["names"]["kind"] for entry in catalog["spec"]["krmFunctions"]] == [
        function.kind for function in definitions(project)
    ]
    for entry in catalog["spec"]["krmFunctions"]:
        assert {"group", "names", "description", "publisher", "versions"} <= set(entry)
        for version in entry["versions"]:
            assert {"name", "schema", "idempotent", "runtime", "usage", "examples", "license"} <= set(version)
            assert set(version["schema"]) == {"openAPIV3Schema"}
            assert version["license"] == "Apache 2.0"
            assert version["runtime"]["container"]["image"].endswith(f":{TAG}")
            assert "sha256" not in version["runtime"]["container"]


def test_editor_schemas_are_json_schemas(project: Path) -> None:
    """Each schema for editors is valid draft 7."""
    paths = sorted((project / "schemas").glob("*.json"))

    kinds = {"TopologyExtension", *(function.kind for function in definitions(project))}

    assert {path.stem for path in paths} == kinds
    for path in paths:
        jsonschema.Draft7Validator.check_schema(json.loads(path.read_text("utf-8")))


CONFIGS: list[tuple[str, str, bool]] = [
    ("all fields", "{limit: 3, port: http, things: [{colour: red}], weights: {a: 1.5}, failOn: never}", True),
    ("null where it is allowed", "{limit: null, things: []}", True),
    ("required field missing", "{limit: 3}", False),
    ("unknown field", "{things: [], thing: []}", False),
    ("unknown field, deeper", "{things: [{color: red}]}", False),
    ("not in the enumeration", "{things: [{colour: blue}]}", False),
    ("wrong type", "{things: [], port: 1.5}", False),
    ("failOn", "{things: [], failOn: always}", False),
]


@pytest.mark.parametrize(("spec", "valid"), [case[1:] for case in CONFIGS], ids=[case[0] for case in CONFIGS])
def test_editor_schema_accepts(function: Definition, spec: str, valid: bool) -> None:
    """A schema for editors takes the configs that the function takes, and no others."""
    schema = json.loads(documents.editor_schema(function.kind, function.schema))
    config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "CountThings",
        "metadata": {"name": "x"},
        "spec": yaml.safe_load(spec),
    }

    assert jsonschema.Draft7Validator(schema).is_valid(config) is valid


def test_tables(function: Definition) -> None:
    """Nested fields have their path; what would break a table is escaped."""
    table = documents.config_table(function)

    assert "| `limit` | integer | `10` | The most that may be there. |" in table
    assert "| `things` | list of object, required |  |  |" in table
    assert "| `things[].colour` | `red`, `on` |  |  |" in table
    assert "| `weights` | map of number |  |  |" in table
    assert "`Thing` (`things.example.com/v1`)" in table
    assert "| `too-many` | error | there are more things than wanted |" in documents.rules_table(function)
    assert "| `none-found` | info, with --explain | nothing to count |" in documents.rules_table(function)
    assert "Counts things \\| and names them." in documents.functions_table([function])


def test_metadata_and_porch(function: Definition, project: Path) -> None:
    """The other catalogs' documents name the image without a tag, and the examples."""
    settings = Project(project)
    metadata = yaml.safe_load(documents.metadata(function, settings))
    porch = yaml.safe_load(documents.porch(function, settings))

    assert metadata["image"] == f"{settings.registry}/count-things"
    assert metadata["examplePackageURLs"] == [f"{settings.home}/functions/count-things/examples/basic"]
    assert (porch["spec"]["image"], porch["spec"]["prefixes"]) == ("count-things", [settings.registry])


def test_porch_starts_pods(function: Definition, project: Path) -> None:
    """What works with Porch's own function runner names no program, as that one has none."""
    found = yaml.safe_load(documents.porch(function, Project(project)))

    assert found["spec"].keys() == {"image", "prefixes", "podExecutor"}
    assert found["spec"]["podExecutor"]["tags"] == [TAG]


@pytest.mark.skipif(shutil.which("kustomize") is None, reason="kustomize is not on PATH")
def test_both_forms_for_porch(project: Path) -> None:
    """deploy/porch is for everybody; deploy/porch-evaluator, as kustomize builds it, for those whose runner has the functions."""
    for folder, program in (("porch", None), ("porch-evaluator", {"tags": [TAG], "path": "krmkit"})):
        command = ["kustomize", "build", str(project / "deploy" / folder)]
        built = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = {one["metadata"]["name"]: one["spec"] for one in yaml.safe_load_all(built)}
        assert sorted(found) == sorted(one.name for one in definitions(project))
        assert all(spec.get("binaryExecutor") == program for spec in found.values())


def test_places_in_a_readme(tmp_path: Path) -> None:
    """A place is filled and found again; the text around it stays; a missing one is named."""
    path = tmp_path / "README.md"
    path.write_text("before\n<!-- generated:rules -->\nold\n<!-- /generated -->\nafter\n", "utf-8")
    text = filled(path, {"rules": "new"})
    path.write_text(text, "utf-8")

    assert text == "before\n<!-- generated:rules -->\n\nnew\n\n<!-- /generated -->\nafter\n"
    assert filled(path, {"rules": "new"}) == text
    with pytest.raises(DefinitionError, match="generated:config"):
        filled(path, {"rules": "new", "config": "x"})


def test_folders_that_git_left(function: Definition) -> None:
    """A branch without a function leaves its compiled modules: that is no function; one with files lacks its definition."""
    root = function.folder.parents[1]
    compiled = root / "functions/of-another-branch/examples/__pycache__/main.cpython-311.pyc"
    compiled.parent.mkdir(parents=True)
    compiled.write_bytes(b"")

    assert [found.name for found in definitions(root)] == ["count-things"]
    (root / "functions/of-another-branch/main.py").write_text("", "utf-8")
    with pytest.raises(DefinitionError, match=r"functions/of-another-branch/function\.yaml is missing"):
        definitions(root)


BROKEN: list[tuple[str, str, str, str]] = [
    ("another name", "name: count-things", "name: count", "the folder 'count-things'"),
    ("no summary", "summary: Counts things | and names them.", "summary: ''", "summary"),
    ("unknown tag", "tags: [validator]", "tags: [checker]", "mutator, validator"),
    (
        "rule without severity",
        'none-found: "info, with --explain: nothing',
        'none-found: "nothing',
        "rules.none-found",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_incomplete_definition(function: Definition, old: str, new: str, message: str) -> None:
    """A function.yaml that the generators cannot use is refused, with the reason."""
    (function.folder / "function.yaml").write_text(FUNCTION.replace(old, new), "utf-8")

    with pytest.raises(DefinitionError, match=message):
        Definition(function.folder)


NAMES = {"apply-presets", "catalog"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("image: {}/apply-presets\n", "image: {}/apply-presets:{tag}\n"),
        ("see `{}/catalog:v0.0.9`.", "see `{}/catalog:{tag}`."),
        ("{}/apply-presets failed. {}/catalog: no", "{}/apply-presets:{tag} failed. {}/catalog:{tag}: no"),
        ("{}/apply-presets:v1 {}/apply-presets-too {}/other x.{}/catalog", None),
        ("{}/apply-presets:v0.0.9@sha256:ab {}/apply-presets@sha256:ab", None),
    ],
)
def test_images_are_named_with_the_version(tmp_path: Path, text: str, wanted: str | None) -> None:
    """Registry and tag are written, also after the registry has changed; a tag that is no version and a digest stay."""
    old = "old.example/krmkit"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(text.replace("{}", old), "utf-8")
    (tmp_path / "catalog.yaml").write_text(f"    image: {old}/apply-presets:v0.0.9\n", "utf-8")

    found = tags.named(tmp_path, {}, NAMES)

    new = None if wanted is None else wanted.replace("{}", REGISTRY).replace("{tag}", TAG)
    assert list(found.values()) == ([] if new is None else [new])


@pytest.mark.parametrize(
    "before", ["actions/checkout@v4", "actions/checkout@0123 # v1.2.3", "others/action@v1"]
)
def test_actions_are_those_of_the_workflows(tmp_path: Path, before: str) -> None:
    """An action that a workflow pins is named by the same digest elsewhere; others stay."""
    pinned = "actions/checkout@abcd # v5.0.0"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(f"- uses: {before} # why\n", "utf-8")
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/ci.yml").write_text(f"  - uses: {pinned}\n", "utf-8")

    found = tags.named(tmp_path, {}, NAMES)

    assert list(found.values()) == ([] if "others" in before else [f"- uses: {pinned} # why\n"])


def test_no_image_without_a_tag(project: Path) -> None:
    """What kpt would ask `latest` for is written nowhere but where an image is a repository; and the registry stands in one place."""
    bare = re.compile(rf"{re.escape(REGISTRY)}/[a-z-]+(?![\w:-])")
    found = {
        path.relative_to(project).as_posix(): bare.findall(path.read_text("utf-8"))
        for path in tags.written(project)
        if path.suffix in {".md", ".yaml", ""}
    }
    code = [path for path in project.glob("shared/krmkit/**/*.py") if REGISTRY in path.read_text("utf-8")]

    assert {path: names for path, names in found.items() if names} == {}
    assert code == [project / "shared/krmkit/__init__.py"]
