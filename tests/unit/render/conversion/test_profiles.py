"""Cluster profiles go into a package and come out of it, in all forms and without loss."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from tests.unit.render.conversion.profiles import FORMS, bring, edit, take, text_in

SHIPPED = Path(__file__).resolve().parents[5] / "shared/specs/palette-profiles-examples"


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="the folder shared, which has the examples, is absent")
@pytest.mark.parametrize("form", ["create", "crossplane", "export", "flat", "terraform"])
def test_the_shipped_examples_come_out_byte_for_byte(tmp_path: Path, form: str) -> None:
    """The files are read in place."""
    files = sorted(SHIPPED.glob(f"{form}-*"))
    assert len(files) == (4 if form == "export" else 2)
    for file in files:
        bring(file, tmp_path / file.name / "pkg")
        take(tmp_path / file.name / "pkg", tmp_path / file.name / f"out{file.suffix}")
        assert (tmp_path / file.name / f"out{file.suffix}").read_bytes() == file.read_bytes()


@pytest.fixture(params=sorted(FORMS))
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with a profile, of each form."""
    path: Path = tmp_path / str(request.param)
    path.write_text(FORMS[path.name], "utf-8")
    return path


def test_a_profile_comes_out_as_it_went_in(given: Path, tmp_path: Path) -> None:
    """Nothing changed, so that no byte does; a second import changes nothing in the package."""
    bring(given, tmp_path / "pkg")
    before = {path: path.read_bytes() for path in (tmp_path / "pkg").rglob("*") if path.is_file()}
    bring(given, tmp_path / "pkg")
    assert {path: path.read_bytes() for path in (tmp_path / "pkg").rglob("*") if path.is_file()} == before
    take(tmp_path / "pkg", tmp_path / f"out-{given.name}")
    assert (tmp_path / f"out-{given.name}").read_text("utf-8") == FORMS[given.name]


def test_an_edit_changes_its_own_lines(given: Path, tmp_path: Path) -> None:
    """The values of a layer, edited in the package."""
    bring(given, tmp_path / "pkg")
    edit(tmp_path / "pkg/web.yaml", "values.yaml: ", "values.yaml: |\n    own: 1\n  was: ")
    out = tmp_path / f"out-{given.name}"
    take(tmp_path / "pkg", out)
    old, new = (text.splitlines() for text in (FORMS[given.name], out.read_text("utf-8")))
    gone = [line for line in difflib.ndiff(old, new) if line.startswith("- ")]
    assert len(gone) <= 4, gone
    bring(out, tmp_path / "again")
    assert text_in(tmp_path / "again/web.yaml") == "own: 1\n"


def test_manifests_and_charts_are_no_packs(tmp_path: Path) -> None:
    """Their items have no pack.json, and a manifest may be several documents."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    assert text_in(tmp_path / "pkg/extras-manifests.yaml", "ns") == "kind: A\n---\nkind: B"
    assert "pack.json" not in (tmp_path / "pkg/extras.yaml").read_text("utf-8")
    assert "pack.json" not in (tmp_path / "pkg/web.yaml").read_text("utf-8")
    assert json.loads(text_in(tmp_path / "pkg/edge-k3s.yaml", "pack.json")) == {
        "name": "edge-k3s",
        "displayName": "edge-k3s",
        "version": "1.32.4",
        "layer": "k8s",
    }


def test_computed_values_are_named_by_line(tmp_path: Path) -> None:
    """Only literals and heredocs are read."""
    (tmp_path / "p.tf").write_text(FORMS["terraform.tf"], "utf-8")
    assert [line.split("p.tf: ")[1] for line in bring(tmp_path / "p.tf", tmp_path / "pkg")] == [
        "line 13: registry_uid is computed by Terraform, and stays there as it is",
        "line 23: values is computed by Terraform, and stays there as it is",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n", "is not a cluster profile"),
        ("{", "a key in double quotes is expected here"),
        (
            "name: x\ntype: infra\npacks:\n- {name: a, tag: 1.10}\n",
            "tag must be a text, got 1.1; put it in quotes",
        ),
        ("name: x\ntype: infra\npacks:\n- {name: a}\n- {name: a}\n", "layer 2: the name a stands twice"),
        ("name: x\ntype: infra\npacks:\n- {tag: a}\n", "layer 1 has no name"),
    ],
)
def test_what_is_no_profile_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """The message says what would be right."""
    (tmp_path / "p").write_text(text, "utf-8")
    with pytest.raises(Refused, match="p: ") as refused:
        bring(tmp_path / "p", tmp_path / "pkg")
    assert said in str(refused.value)


def test_two_profiles_in_a_file_are_refused(tmp_path: Path) -> None:
    """Their names are in the message."""
    (tmp_path / "p.tf").write_text(
        FORMS["terraform.tf"] + FORMS["terraform.tf"].replace('"plant"', '"mill"'), "utf-8"
    )
    with pytest.raises(Refused, match=r"must hold one profile, got 2 \(plant, mill\)"):
        bring(tmp_path / "p.tf", tmp_path / "pkg")


@pytest.mark.parametrize("form", ["export", "create", "read", "flat", "terraform", "crossplane"])
def test_another_form_says_what_it_cannot_hold(tmp_path: Path, form: str) -> None:
    """What it can hold is the same when it is read again."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    said = take(tmp_path / "pkg", tmp_path / "other", form)
    lost = {one.split("no place for ")[1] for one in said if "no place for" in one}
    assert (
        lost
        == {
            "export": set(),
            "create": {
                "later.a of layers",
                "registry.metadata.kind of layers",
                "version of layers",
                "registry of layers",
            },
            "read": {
                "later.a of layers",
                "registry.metadata.kind of layers",
                "manifests of layers",
                "registry of layers",
                "variables",
            },
            "flat": {"later.a of layers", "registry.metadata.kind of layers", "tags", "version", "variables"},
            "terraform": {
                "later.a of layers",
                "registry.metadata.kind of layers",
                "layer of layers",
                "version of layers",
            },
            "crossplane": {
                "later.a of layers",
                "registry.metadata.kind of layers",
                "layer of layers",
                "version of layers",
            },
        }[form]
    )
    file = (tmp_path / "other").rename(tmp_path / ("other.tf" if form == "terraform" else "other"))
    bring(file, tmp_path / "again")
    for name in ("edge-k3s", "web"):
        assert text_in(tmp_path / f"again/{name}.yaml") == text_in(tmp_path / f"pkg/{name}.yaml")


def test_another_version_of_a_pack_changes_version_and_tag(tmp_path: Path) -> None:
    """A train stays a train."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    edit(tmp_path / "pkg/edge-k3s.yaml", '"version": "1.32.4"', '"version": "1.33.1"')
    take(tmp_path / "pkg", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text("utf-8") == FORMS["export.json"].replace(
        "1.32.4", "1.33.1"
    ).replace("1.32.x", "1.33.x")


def test_layers_without_items_and_items_without_layers_are_refused(tmp_path: Path) -> None:
    """An export never leaves out a layer in silence."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    (tmp_path / "pkg/web.yaml").rename(tmp_path / "web.yaml")
    with pytest.raises(Refused, match="lists the layer web, and no item is marked"):
        take(tmp_path / "pkg", tmp_path / "out.json")
    (tmp_path / "web.yaml").rename(tmp_path / "pkg/web.yaml")
    edit(tmp_path / "pkg/plant-profile.yaml", "- name: web", "- name: net")
    with pytest.raises(Refused, match="lists the layer net"):
        take(tmp_path / "pkg", tmp_path / "out.json")


def test_a_package_without_its_record(tmp_path: Path) -> None:
    """The form that the console writes comes out byte for byte all the same; of other forms the data are the same."""
    known = json.loads(FORMS["export.json"])
    del known["spec"]["template"]["packs"][0]["later"]
    text = json.dumps(known, separators=(",", ":")).replace("<", "\\u003c")
    (tmp_path / "p.json").write_text(text, "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    shutil.rmtree(tmp_path / "pkg/.krmkit-packs")
    take(tmp_path / "pkg", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text("utf-8") == text


def test_deep_nesting_ends_in_a_message(tmp_path: Path) -> None:
    """Not in a traceback."""
    (tmp_path / "p.tf").write_text("a = " + "[" * 100_000, "utf-8")
    with pytest.raises(Refused, match="nested too deeply"):
        bring(tmp_path / "p.tf", tmp_path / "pkg")
