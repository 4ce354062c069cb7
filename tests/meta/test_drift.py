"""Generated files are what the definitions say, and the generators say what they should."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tools import documents, proto
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
    """Each entry has every field that KEP-2906 requires, and no digest beside a tag that moves."""
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
            assert version["runtime"]["container"]["image"].endswith(":unstable")
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


def test_porch_starts_pods_unless_told_otherwise(function: Definition, project: Path) -> None:
    """What works with Porch's own function runner names no program, as that one has none; the other form differs in nothing else."""
    settings = Project(project)
    pods = yaml.safe_load(documents.porch(function, settings))
    programs = yaml.safe_load(documents.porch(function, settings, by_runner=True))

    assert pods["spec"].keys() == {"image", "prefixes", "podExecutor"}
    tags = pods["spec"]["podExecutor"]["tags"]
    assert programs["spec"].pop("binaryExecutor") == {"tags": tags, "path": "count-things"}
    assert programs == pods


def test_both_forms_for_porch_are_there(project: Path) -> None:
    """deploy/porch is for everybody; deploy/porch-evaluator for those whose runner has the functions. Each has them all."""
    for folder, programs in (("porch", False), ("porch-evaluator", True)):
        files = sorted((project / "deploy" / folder).glob("*.yaml"))
        assert [path.stem for path in files] == sorted(found.name for found in definitions(project))
        for path in files:
            assert ("binaryExecutor" in yaml.safe_load(path.read_text("utf-8"))["spec"]) is programs


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
