"""Typing errors in pack.json: each is a warning with the nearest name, and what Palette has beside is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.packs.metadatanames import metadata_problems, unknown_names
from krmkit.systems.palette.packs.pack import Pack

RIGHT: dict[str, Any] = {
    "name": "a",
    "displayName": "A",
    "version": "1.0.0",
    "layer": "addon",
    "commit_msg": "anything",
    "constraints": {
        "dependencies": [{"packName": "b", "layer": "k8s", "minVersion": "1.0.0", "type": "optional"}],
        "resources": [
            {
                "type": "cpu",
                "minLimit": 100,
                "components": [{"resourceRequestParamRef": "x", "scheduleType": "all"}],
            }
        ],
    },
}


def changed(*steps: str | int, **names: str) -> dict[str, Any]:
    """RIGHT with names replaced in the object at a path."""
    data: dict[str, Any] = json.loads(json.dumps(RIGHT))
    place: Any = data
    for step in steps:
        place = place[step]
    for new, old in names.items():
        place[new] = place.pop(old)
    return data


CASES = [
    ("the top", changed(versoin="version"), "versoin", "version"),
    (
        "constraints",
        changed("constraints", dependancies="dependencies"),
        "constraints.dependancies",
        "dependencies",
    ),
    (
        "a dependency",
        changed("constraints", "dependencies", 0, minversion="minVersion"),
        "constraints.dependencies[0].minversion",
        "minVersion",
    ),
    (
        "a resource",
        changed("constraints", "resources", 0, minlimit="minLimit"),
        "constraints.resources[0].minlimit",
        "minLimit",
    ),
    (
        "a component",
        changed("constraints", "resources", 0, "components", 0, scheduleTyp="scheduleType"),
        "constraints.resources[0].components[0].scheduleTyp",
        "scheduleType",
    ),
    ("a cloud", {**RIGHT, "cloudTypes": ["all", "vspere"]}, "cloudTypes[1]", "vsphere"),
]


@pytest.mark.parametrize(
    ("data", "path", "near"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_typing_errors(data: dict[str, Any], path: str, near: str) -> None:
    """Where it is, and what was meant."""
    (found,) = unknown_names(Pack(data))

    assert (found.field, found.severity) == (path, "warning")
    assert found.message.endswith(f'; did you mean "{near}"?')


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        ({"displayName": ""}, "displayName", "must not be empty"),
        ({"version": None}, "version", ""),
        ({"layer": "addons"}, "layer", "addon"),
        ({"charts": "charts/a.tgz"}, "charts", "must be a list"),
        ({"kubeManifests": {"a": "b"}}, "kubeManifests", "must be a list"),
        ({"annotations": {"source": 5}}, "annotations.source", "must be a string"),
        ({"version": 1.2}, "version", "must be a string"),
        ({"eol": 2027}, "eol", "must be a string"),
    ],
)
def test_values_of_pack_json(change: dict[str, Any], path: str, said: str) -> None:
    """Each value of another type is an error at its place."""
    (found,) = metadata_problems(Pack({**RIGHT, **change}))

    assert (found.rule, found.severity, found.field) == ("pack-json", "error", path)
    assert said in found.message


@pytest.mark.parametrize("name", ["displayName", "version", "layer"])
def test_fields_that_must_be_there(name: str) -> None:
    """Palette takes no pack without them."""
    (found,) = metadata_problems(Pack({key: value for key, value in RIGHT.items() if key != name}))

    assert (found.rule, found.severity, found.field) == ("incomplete", "warning", name)
    assert metadata_problems(Pack(RIGHT)) == []


@pytest.mark.parametrize(("layer", "rules"), [("addon", []), ("1", ["pack-json"])])
def test_a_pack_without_pack_json(layer: str, rules: list[str]) -> None:
    """A resource of kind Pack has no pack.json that Palette would take: its fields may be fewer."""
    item = f"""\
apiVersion: krmkit.dev/v1alpha1
kind: Pack
metadata: {{name: door}}
spec:
  metadata: {{name: door, layer: {layer}, version: 1.0.0}}
"""
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidatePackConstraints\nmetadata: {name: c}\nspec: {}\n"

    outcome = run_function("functions/validate-pack-constraints", resource_list([item], config))

    assert [one.rule for one in outcome.results] == rules


@pytest.mark.parametrize(
    ("names", "errors"),
    [
        (["", "x"], 0),
        (["x", "y"], 0),
        ([""], 0),
        (["", ""], 1),
        (["x", "x"], 1),
        (["", "x", "x", ""], 2),
        (["{{ .spectro.var.a }}", "{{ .spectro.var.b }}"], 0),
    ],
)
def test_twins(names: list[str], errors: int) -> None:
    """A pack may stand more than once where all but one have a name of their own."""
    packs = []
    for number, name in enumerate(names):
        own = f"pack:\n  spectrocloud.com/display-name: '{name}'\n" if name else "a: 1\n"
        packs.append(Pack({**RIGHT, "constraints": {}}, own))
        packs[-1].label = f"a (item{number})" if len(names) > 1 else "a"

    found = [one for one in validate(packs, ValidationOptions()) if one.rule == "twin"]

    assert len(found) == errors
    assert all(one.severity == "error" and "display-name" in one.message for one in found)


def test_what_is_right() -> None:
    """So are fields that only Palette reads."""
    assert unknown_names(Pack(RIGHT)) == []
    assert unknown_names(Pack({"name": "a", "constraints": ["x"]})) == []


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "disk", "minLimit": 1}, 'unknown resource type "disk"'),
        ({"type": "cpu", "minLimit": "2000m"}, "must be a number of millicores, without a unit"),
        (
            {"type": "cpu", "components": [{"scheduleType": "workers", "resourceRequestParamRef": "x"}]},
            'did you mean "worker"?',
        ),
    ],
)
def test_constraints_without_pools(entry: dict[str, Any], said: str) -> None:
    """What is wrong in itself is an error, though a config without machinePools asks for no sums."""
    pack = {**RIGHT, "constraints": {"resources": [entry]}}
    item = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: "true"}}\n'
        f"data:\n  pack.json: '{json.dumps(pack)}'\n"
    )
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidatePackConstraints\nmetadata: {name: c}\nspec: {}\n"

    outcome = run_function("functions/validate-pack-constraints", resource_list([item], config))

    errors = [one for one in outcome.results if one.severity == "error"]
    assert [one.rule for one in errors] == ["schema"]
    assert said in errors[0].message


@pytest.mark.parametrize(
    ("presets", "path", "said"),
    [
        (
            "presets:\n- {name: a, ad: 'x: 1'}\n",
            "presets[0].ad",
            'presets.yaml has no field "ad"; did you mean "add"?',
        ),
        ("presets:\n- {name: a, removed: [x]}\n", "presets[0].removed", 'did you mean "remove"?'),
        ("preset:\n- {name: a}\n", "preset", 'presets.yaml has no field "preset"; did you mean "presets"?'),
        (
            "presets:\n- {name: a}\n- {name: b}\n- {name: a}\n",
            "presets[2].name",
            'more than one preset named "a"',
        ),
    ],
)
def test_slips_in_presets(presets: str, path: str, said: str) -> None:
    """A name that nobody reads, and a name that occurs twice, are warnings though nothing is selected."""
    (found,) = unknown_names(Pack(RIGHT, presets=presets))

    assert (found.severity, found.field, found.tags["file"]) == ("warning", path, "presets.yaml")
    assert said in found.message


def test_slips_in_a_schema() -> None:
    """An entry of schema.yaml with nearly the key schema."""
    (found,) = unknown_names(Pack(RIGHT, schema="a.b:\n  schemas: '{{ required }}'\n"))

    assert (found.field, found.tags["file"]) == ("a.b.schemas", "schema.yaml")
    assert 'did you mean "schema"?' in found.message


@pytest.mark.parametrize(
    "text", ["", "presets:\n", "presets: [", "- a\n", "presets: {a: 1}\n", "# nothing\n"]
)
def test_odd_files_are_left_to_who_reads_them(text: str) -> None:
    """What is no list of presets is no slip of a name."""
    assert unknown_names(Pack(RIGHT, presets=text, schema=text.replace("presets", "a"))) == []


def test_schemas_for_editors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`krmkit schema` prints what the check reads; the packs of the tutorial fit, a slip does not."""
    from jsonschema import Draft202012Validator

    from krmkit.cli import main
    from krmkit.libraries.yaml.data import core_data
    from krmkit.libraries.yaml.document import parse

    folder = Path(__file__).resolve().parents[5] / "docs/tutorial/packs"
    for name in ("pack.json", "presets.yaml", "schema.yaml"):
        assert main(["schema", name]) == 0
        schema = json.loads(capsys.readouterr().out)
        Draft202012Validator.check_schema(schema)
        files = sorted(folder.glob(f"*/{name}"))
        assert files
        for file in files:
            Draft202012Validator(schema).validate(core_data(parse(file.read_text()).root))
    assert main(["schema", "pack"]) == 0
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))
    assert validator.is_valid(RIGHT)
    assert not validator.is_valid(changed("constraints", dependancies="dependencies"))
    place = tmp_path / "presets.yaml"
    place.write_text("presets: []\n")
    assert main(["schema", "presets.yaml", "--modeline", str(place)]) == 0
    assert place.read_text() == "# yaml-language-server: $schema=.schemas/presets.yaml.json\npresets: []\n"
    assert json.loads((tmp_path / ".schemas/presets.yaml.json").read_text())["title"] == "presets.yaml"
    assert main(["schema", "pack", "--modeline", "pack.json"]) == 1
    assert "JSON, which has no comments" in capsys.readouterr().err


def test_the_same_files_in_many_packs() -> None:
    """What is wrong in them is said for each pack; what is right is known from then on, and counts for no other file."""
    wrong, good = "presets:\n- nam: x\n", "presets:\n- name: x\n"
    right: set[tuple[str, str]] = set()

    found = [unknown_names(Pack({**RIGHT, "name": name}, presets=wrong), right=right) for name in "ab"]
    assert [[(one.rule, one.tags["pack"]) for one in findings] for findings in found] == [
        [("unknown-name", "a")],
        [("unknown-name", "b")],
    ]
    assert right == set()

    assert unknown_names(Pack(RIGHT, presets=good), right=right) == []
    assert right == {("presets.yaml", good)}
    assert unknown_names(Pack(RIGHT, presets=good, schema=good), right=right) == unknown_names(
        Pack(RIGHT, presets=good, schema=good)
    )
