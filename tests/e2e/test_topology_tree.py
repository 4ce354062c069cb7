"""`krmkit topology plan -r`: every package of a tree, which machines roll first, and how many at a time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.libraries.json import Object
from tests.e2e.liveclusters import change, copied
from tests.e2e.test_topology_plan import git

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: empty\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three sites in a git repository, and a package without Clusters."""
    folder = tmp_path / "fleet"
    for name in ("east", "north", "west"):
        copied(folder / name)
    (folder / "empty").mkdir()
    (folder / "empty/Kptfile").write_text(KPTFILE, "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "sites")
    return folder


def planned(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Object]:
    code = main(["topology", "plan", "-r", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_tree_without_changes(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Packages without Clusters are left out; nothing rolls, and the exit code is 0."""
    code, found = planned(capsys, str(tree))

    assert code == 0
    assert [Path(one["path"]).name for one in found["packages"]] == ["east", "north", "west"]
    assert found["order"] == []


def test_machines_roll_in_steps_over_all_sites(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control planes of all Clusters first, then their workers, with the limits of each rolling update."""
    change(tree / "north/clusters.yaml", "version: v1.33.1", "version: v1.34.0")
    change(tree / "west/clusters.yaml", "name: md-0\n", "name: md-0\n        failureDomain: fd2\n")
    surge = "        rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 50%, maxUnavailable: 1}}}\n"
    change(tree / "west/clusters.yaml", "name: md-0\n", "name: md-0\n" + surge)

    code, found = planned(capsys, str(tree))

    turns = [
        (one["step"], Path(one["path"]).name, one["name"], one["group"], one["replicas"])
        for one in found["order"]
    ]
    assert code == 2
    assert turns == [
        (1, "north", "dev", "controlPlane", 1),
        (1, "north", "test", "controlPlane", 3),
        (1, "west", "dev", "MachineDeployment md-0", 2),
        (1, "west", "test", "MachineDeployment md-0", 2),
        (2, "north", "dev", "MachineDeployment md-0", 2),
        (2, "north", "test", "MachineDeployment md-0", 2),
        (3, "north", "test", "MachineDeployment md-1", 1),
    ]
    assert {(one["maxSurge"], one["maxUnavailable"]) for one in found["order"][2:4]} == {("50%", 1)}

    main(["topology", "plan", "-r", str(tree)])
    table = capsys.readouterr().out.splitlines()
    main(["topology", "plan", "-r", str(tree), "--format", "markdown"])
    markdown = capsys.readouterr().out
    assert table[-1] == "3 packages, 6 Clusters: 4 with changes, 4 with rolling machines; 13 machines roll"
    assert any(line.endswith("50% more, 1 fewer") for line in table)
    assert "| Step | Package | Cluster | Machines | How many | At a time |" in markdown


def test_only_changed_packages(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--since takes the packages in which something differs from a revision."""
    change(tree / "east/clusters.yaml", "replicas: 2", "replicas: 4")

    _, found = planned(capsys, str(tree), "--since", "HEAD")

    assert [Path(one["path"]).name for one in found["packages"]] == ["east"]


def test_a_folder_holds_the_tree_as_it_was(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each package is compared with the one at its place; a package that is missing there is named."""
    before = tmp_path / "before"
    shutil.copytree(tree, before)
    change(tree / "east/clusters.yaml", "replicas: 2", "replicas: 4")
    shutil.rmtree(before / "west")

    code, found = planned(capsys, str(tree), "--against", str(before))

    assert code == 1
    assert [one["clusters"][0]["action"] for one in found["packages"][:2]] == ["change", "same"]
    assert found["packages"][2]["problem"].endswith("must hold the packages at the same places")


def test_processes_share_the_packages(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By one process or by two, the plan is the same."""
    change(tree / "north/clusters.yaml", "version: v1.33.1", "version: v1.34.0")

    assert planned(capsys, str(tree), "--jobs", "1") == planned(capsys, str(tree), "--jobs", "2")


def test_a_package_that_cannot_be_read_stops_no_other(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its problem is in the report and on stderr, and the exit code is 1."""
    (tree / "east/broken.yaml").write_text("a: [\n", "utf-8")
    change(tree / "west/clusters.yaml", "replicas: 2", "replicas: 4")

    code = main(["topology", "plan", "-r", str(tree)])

    said = capsys.readouterr()
    assert code == 1
    assert "unreadable" in said.out and "broken.yaml" in said.err
    assert "3 packages, 4 Clusters: 2 with changes" in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-r", "--rebase", "a=b"], "--rebase is for one package"),
        (["-r", "--record", "x"], "--record is for one package"),
        (["-r", "--format", "diff"], "--format diff is for one package"),
        (["--since", "HEAD"], "--since is for --recursive; add -r"),
    ],
)
def test_wrong_calls(tree: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """One line says what does not fit."""
    assert main(["topology", "plan", str(tree), *words]) == 1
    assert said in capsys.readouterr().err


def test_a_folder_without_packages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is an error, and no plan of nothing."""
    assert main(["topology", "plan", "-r", str(tmp_path)]) == 1
    assert "holds no package" in capsys.readouterr().err
