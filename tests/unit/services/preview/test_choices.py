"""Choices of krmkit preview: what is offered, what becomes of files, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.render.resolve import ProgramResolver
from krmkit.services.preview.configs import ChoiceError
from krmkit.services.preview.package import PreviewPackage
from tests.unit.cli.packages import FAST, KPTFILE, PACK, contents

PRESETS, MACROS = "pipeline.mutators[0]", "pipeline.mutators[1]"


def preview_of(folder: Path) -> PreviewPackage:
    options = RunOptions()
    options.explain = True
    return PreviewPackage(str(folder), ProgramResolver(options))


@pytest.fixture
def profile(project: Path, tmp_path: Path) -> Path:
    """A copy of the example of an edge cluster."""
    folder = tmp_path / "profile"
    shutil.copytree(project / "examples/edge-cluster-profile", folder)
    return folder


def offered(state: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in state["choices"] if one["id"] == name)


def test_what_is_offered(profile: Path) -> None:
    """Presets by pack with what is chosen, from the config or the marker; macros with their values."""
    state = preview_of(profile).state({})

    packs = {one["pack"]: one for one in offered(state, PRESETS)["packs"]}
    assert packs["mesh-cni"]["selected"] == ["Routing:native", "encrypted"]
    assert (packs["site-telemetry"]["from"], len(packs["site-telemetry"]["selected"])) == ("marker", 1)
    entries = {(one["field"], one["name"]): one for one in offered(state, MACROS)["entries"]}
    assert entries["system", "cluster.name"]["value"] == "plant-7"
    assert entries["variables", "camera_password"]["given"] is False
    assert state["edits"] == [] and set(state["files"]) == {"presets.yaml", "macros.yaml"}


def test_trying_writes_nothing(profile: Path) -> None:
    """The report is that of the choices, the change of the config in it; the files stay."""
    before = contents(profile)

    state = preview_of(profile).state({PRESETS: {"edge-k3s": ["Datastore:sqlite"]}})

    (package,) = state["report"]["packages"]
    assert state["edits"] == ["presets.yaml"]
    assert package["changes"][0]["path"].endswith("profile/presets.yaml")
    diffs = "".join(change["diff"] for change in package["changes"])
    assert "+    - Datastore:sqlite\n" in diffs and "+      datastore: etcd" not in diffs
    assert contents(profile) == before


def test_saving_keeps_comments(profile: Path) -> None:
    """Only the lines of the choices change, in the files of the configs; a render then has nothing else to say."""
    preview = preview_of(profile)
    before = contents(profile)
    wanted = {
        PRESETS: {"edge-k3s": ["Datastore:sqlite"], "mesh-cni": ["encrypted"], "site-telemetry": []},
        MACROS: {
            "system": {"cluster.name": "plant 8", "project.name": None},
            "variables": {"camera_password": "007"},
        },
    }

    written = preview.save(wanted, preview.state({})["files"])

    after = contents(profile)
    assert written == ["presets.yaml", "macros.yaml"]
    assert {path for path in after if after[path] != before[path]} == set(written)
    assert after["presets.yaml"] == (
        before["presets.yaml"]
        .replace("Datastore:embedded-etcd", "Datastore:sqlite")
        .replace("    - Routing:native\n", "")
        + "  - pack: site-telemetry\n    presets: []\n"
    )
    assert "  # What only the server knows would be left as it is.\n" in after["macros.yaml"]
    assert "cluster.name: plant 8\n" in after["macros.yaml"] and "project.name" not in after["macros.yaml"]
    assert after["macros.yaml"].endswith('  - name: camera_password\n    value: "007"\n')
    assert preview.state({})["edits"] == []


FORMS = [
    pytest.param(
        {"Kptfile": KPTFILE.replace("{preset}", "slow")},
        "Kptfile",
        '      app: "Mode:fast"\n',
        id="a configMap in the Kptfile",
    ),
    pytest.param(
        {
            "Kptfile": KPTFILE.partition("    configMap")[0] + "    configPath: c.yaml\n",
            "c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  app: ''  # here\n",
        },
        "c.yaml",
        "data:\n  app: 'Mode:fast'  # here\n",
        id="a ConfigMap",
    ),
    pytest.param(
        {
            "Kptfile": KPTFILE.partition("    configMap")[0] + "    configPath: c.yaml\n",
            "c.yaml": "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata: {name: c}\nspec: {}\n",
        },
        "c.yaml",
        "Mode:fast",
        id="an ApplyPresets that selects nothing",
    ),
]


@pytest.mark.parametrize(("files", "path", "line"), FORMS)
def test_forms_of_configs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], path: str, line: str
) -> None:
    """A config of any form takes the choice, and the render follows it."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"app.yaml": PACK, **files}.items():
        (tmp_path / name).write_text(text)
    preview = preview_of(tmp_path)
    wanted = {PRESETS: {"app": ["Mode:fast"]}}

    tried = preview.state(wanted)
    preview.save(wanted, tried["files"])

    assert line in (tmp_path / path).read_text()
    changes = {Path(change["path"]).name for change in tried["report"]["packages"][0]["changes"]}
    assert changes == {"app.yaml", path}
    state = preview.state({})
    assert state["choices"][0]["packs"][0]["selected"] == ["Mode:fast"]
    assert [change["path"] for change in state["report"]["packages"][0]["changes"]] == ["app.yaml"]
    assert FAST != PACK


def test_secret_values_are_not_offered(profile: Path) -> None:
    """Neither the value of a secret variable nor another text that holds it leaves the process; another value can be given."""
    macros = profile / "macros.yaml"
    macros.write_text(
        macros.read_text() + "  - name: camera_password\n    value: hunter2-hunter2\n    secret: true\n"
    )
    preview = preview_of(profile)

    state = preview.state({})

    entry = next(one for one in offered(state, MACROS)["entries"] if one["name"] == "camera_password")
    assert (entry["value"], entry["secret"]) == ("(secret)", True)
    assert "hunter2" not in str(state)
    preview.save({MACROS: {"variables": {"camera_password": "correct-horse-battery"}}}, state["files"])
    assert "    value: correct-horse-battery\n    secret: true\n" in macros.read_text()


REFUSED = [
    pytest.param(
        {"pipeline.mutators[9]": {}}, 'no function "pipeline.mutators[9]" has choices', id="function"
    ),
    pytest.param(
        {PRESETS: {"edge-k4s": []}},
        'there is no pack "edge-k4s" with presets; did you mean "edge-k3s"?',
        id="pack",
    ),
    pytest.param(
        {PRESETS: {"edge-k3s": ["Datastore:sqlight"]}},
        'edge-k3s has no preset "Datastore:sqlight"',
        id="preset",
    ),
    pytest.param({PRESETS: {"edge-k3s": "x"}}, "must be a list of names", id="no list"),
    pytest.param({PRESETS: ["x"]}, "must be a map of packs", id="no map"),
    pytest.param({MACROS: {"sytem": {}}}, "must be system, macros or variables", id="field"),
    pytest.param({MACROS: {"system": {"cluster.nam": "x"}}}, 'there is no macro "cluster.nam"', id="macro"),
    pytest.param({MACROS: {"system": {"cluster.name": 7}}}, "must be a text", id="no text"),
]


@pytest.mark.parametrize(("wanted", "said"), REFUSED)
def test_refused(profile: Path, wanted: dict[str, Any], said: str) -> None:
    """A choice that is not offered is refused, for trying and for saving, and nothing is written."""
    before = contents(profile)
    preview = preview_of(profile)

    for act in (lambda: preview.state(wanted), lambda: preview.save(wanted, preview.state({})["files"])):
        with pytest.raises(ChoiceError) as caught:
            act()
        assert said in str(caught.value)
    assert contents(profile) == before


def test_a_file_that_changed_under_it(profile: Path) -> None:
    """What somebody else wrote is not overwritten; what is seen anew can be saved."""
    preview = preview_of(profile)
    wanted = {PRESETS: {"edge-k3s": ["Datastore:sqlite"]}}
    state = preview.state(wanted)
    presets = profile / "presets.yaml"
    presets.write_text("# mine\n" + presets.read_text())

    assert preview.mark() != state["mark"]
    with pytest.raises(Refused, match=r"presets.yaml was changed on disk since the page showed it"):
        preview.save(wanted, state["files"])
    assert "embedded-etcd" in presets.read_text()
    preview.save(wanted, preview.state(wanted)["files"])
    assert presets.read_text().startswith("# mine\n") and "Datastore:sqlite" in presets.read_text()


def test_a_link_out_of_the_package(profile: Path, tmp_path: Path) -> None:
    """A config that is a link to a file elsewhere is not written, and neither is that file."""
    outside = tmp_path / "outside.yaml"
    shutil.move(profile / "presets.yaml", outside)
    (profile / "presets.yaml").symlink_to(outside)
    before = outside.read_text()
    preview = preview_of(profile)
    wanted = {PRESETS: {"edge-k3s": ["Datastore:sqlite"]}}

    with pytest.raises(Refused, match="outside of the package; nothing was written"):
        preview.save(wanted, preview.state({})["files"])

    assert outside.read_text() == before


def test_a_package_that_breaks(profile: Path) -> None:
    """It is shown as a failure, and comes back when it is right again."""
    preview = preview_of(profile)
    text = (profile / "presets.yaml").read_text()
    (profile / "presets.yaml").write_text("a: [")

    state = preview.state({})
    [broken] = state["report"]["packages"][0]["results"]
    assert broken["path"].endswith("presets.yaml") and state["choices"] == []
    (profile / "presets.yaml").write_text(text)
    assert preview.state({})["choices"]
