"""`krmkit topology plan` in a git repository: what rolls and why, what is refused, exit codes, formats."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from tests.bench import topologies

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "functions/render-cluster-topology/examples"


def git(folder: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *settings, *arguments], check=True, capture_output=True)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The quick start in a folder of a git repository, committed."""
    folder = tmp_path / "clusters" / "quick-start"
    shutil.copytree(EXAMPLES / "quick-start", folder, ignore=shutil.ignore_patterns(".expected"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "clusters")
    return folder


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, the plan as data, and stderr."""
    code = main(["topology", "plan", *words, "--format", "json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def test_no_change_is_exit_code_0(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package as it was committed changes nothing."""
    code, found, _ = plan(capsys, str(package))

    assert code == 0
    assert [one["action"] for one in found["clusters"]] == ["same", "same"]


def test_a_changed_template_names_the_machines_that_roll(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bootstrap template is of the workers only, so the control planes stay as they are."""
    templates = package / "templates.yaml"
    head, mark, tail = templates.read_text("utf-8").rpartition("nodefs.available<0%")
    templates.write_text(head + "nodefs.available<5%" + tail, "utf-8")
    assert mark

    code, found, _ = plan(capsys, str(package))

    assert code == 2
    dev, test = found["clusters"]
    field = "spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs[0].value"
    reason = f"KubeadmConfigTemplate {field}"
    assert dev["rolls"] == [
        {
            "group": "MachineDeployment md-0",
            "sure": True,
            "reasons": [reason],
            "replicas": 2,
            "maxSurge": 1,
            "maxUnavailable": 0,
        }
    ]
    assert [roll["group"] for roll in test["rolls"]] == ["MachineDeployment md-0", "MachineDeployment md-1"]
    [replaced] = [change for change in dev["changes"] if change["action"] == "replace"]
    assert replaced["fields"] == [field]
    assert replaced["name"] != replaced["oldName"]


def test_replicas_change_in_place(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """More machines are no reason to replace any."""
    edit(package / "clusters.yaml", "replicas: 1\n    workers", "replicas: 3\n    workers")

    code, found, _ = plan(capsys, str(package), "--cluster", "dev")

    assert code == 2
    [dev] = found["clusters"]
    assert dev["rolls"] == []
    assert [(one["action"], one["fields"]) for one in dev["changes"]] == [("change", ["spec.replicas"])]


def test_a_new_version_rolls_everything(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From git the version goes everywhere at once; the image of the machines depends on it."""
    edit(package / "clusters.yaml", "version: v1.33.1", "version: v1.34.0")

    code, found, _ = plan(capsys, str(package), "--cluster", "dev")

    assert code == 2
    control_plane, workers = found["clusters"][0]["rolls"]
    assert control_plane["group"] == "controlPlane"
    assert "version v1.33.1 -> v1.34.0" in control_plane["reasons"]
    assert "DevMachineTemplate spec.template.spec.backend.docker.customImage" in workers["reasons"]


def test_a_removed_worker_group_is_removed(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its MachineDeployment and templates go, and nothing else changes."""
    edit(package / "clusters.yaml", "      - class: default-worker\n        name: md-1\n        failureDomain: fd1\n        replicas: 1\n", "")  # fmt: skip

    code, found, _ = plan(capsys, str(package))

    assert code == 2
    dev, test = found["clusters"]
    assert dev["action"] == "same"
    assert {change["action"] for change in test["changes"]} == {"remove"}
    assert [change["kind"] for change in test["changes"]] == [
        "MachineDeployment", "KubeadmConfigTemplate", "DevMachineTemplate"]  # fmt: skip


def test_a_forbidden_change_is_refused_in_the_words_of_the_reference(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another kind of machines for a class in use."""
    for name in ("class.yaml", "templates.yaml"):
        edit(package / name, "kind: DevMachineTemplate", "kind: BigMachineTemplate")

    code, found, said = plan(capsys, str(package))

    text = (
        "spec.workers.machineDeployments[0].infrastructure.templateRef.kind: Forbidden: kind cannot be changed from"
        ' "DevMachineTemplate" to "BigMachineTemplate" to prevent incompatible changes in the Clusters'
    )
    assert code == 1
    assert text in said
    assert {one["action"] for one in found["clusters"]} == {"refused"}


def test_a_change_that_breaks_a_cluster_names_it(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A class that wants a variable which one Cluster has and the other has not."""
    edit(package / "class.yaml", "  - name: nodeLabels\n    required: false", "  - name: nodeLabels\n    required: true")  # fmt: skip

    code, found, _ = plan(capsys, str(package))

    dev, test = found["clusters"]
    assert code == 1
    assert dev["action"] == "refused"
    assert any('required variable "nodeLabels" must be set' in text for text in dev["errors"])
    assert test["action"] == "same"


def test_an_older_revision_and_a_folder_can_be_what_was(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--against takes either; both say the same."""
    before = tmp_path / "before"
    shutil.copytree(package, before)
    edit(package / "clusters.yaml", "replicas: 2", "replicas: 4")
    git(tmp_path, "commit", "-qam", "more workers")

    by_revision = plan(capsys, str(package), "--against", "HEAD~1")
    by_folder = plan(capsys, str(package), "--against", str(before))

    assert by_revision == by_folder
    assert by_revision[0] == 2
    assert plan(capsys, str(package))[0] == 0


def test_rebase_asks_what_another_class_would_do(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A class with another machine image; the Cluster's file stays as it is."""
    text = (package / "class.yaml").read_text("utf-8")
    other = text.replace("  name: quick-start\n", "  name: slim\n", 1).replace("kindest/node:", "slim/node:")
    (package / "slim.yaml").write_text(other, "utf-8")

    code, found, _ = plan(capsys, str(package), "--rebase", "dev=slim", "--cluster", "dev")

    assert code == 2
    assert [roll["group"] for roll in found["clusters"][0]["rolls"]] == [
        "controlPlane",
        "MachineDeployment md-0",
    ]
    assert "name: slim" not in (package / "clusters.yaml").read_text("utf-8")


REST = (
    ("MetalCluster", "shop-9k2vt", "{}"),
    ("MetalMachineTemplate", "shop-tills-v9xbt", "{image: {url: a}}"),
)


def _running(kind: str, name: str, spec: str) -> str:
    """The text of an object that the export of the example leaves out."""
    body = f"{{template: {{spec: {spec}}}}}" if kind.endswith("Template") else spec
    labels = '{cluster.x-k8s.io/cluster-name: shop, topology.cluster.x-k8s.io/owned: ""}'
    metadata = f"{{name: {name}, namespace: shops, uid: {name}, labels: {labels}}}"
    return f"apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: {kind}\nmetadata: {metadata}\nspec: {body}\n"


def test_exported_objects_are_what_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Objects of a cluster keep their names, and defaults that a provider filled in are no change."""
    folder, before = tmp_path / "package", tmp_path / "cluster"
    shutil.copytree(EXAMPLES / "upgrade", folder, ignore=shutil.ignore_patterns(".expected"))
    shutil.copytree(folder, before)
    (folder / "running.yaml").unlink()
    (before / "rest.yaml").write_text("---\n".join(_running(*one) for one in REST), "utf-8")

    code, found, _ = plan(capsys, str(folder), "--against", str(before))

    [shop] = found["clusters"]
    names = {change["role"]: change for change in shop["changes"]}
    assert code == 2
    assert names["controlPlaneInfrastructureMachineTemplate"]["oldName"] == "shop-2c7hz"
    assert names["controlPlaneInfrastructureMachineTemplate"]["fields"] == ["spec.template.spec.image.url"]
    assert "the control plane goes through v1.33.1, v1.34.2" in shop["waits"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cluster", "devv"], 'no Cluster has this name; did you mean "dev"?'),
        (["--rebase", "dev"], "--rebase must be CLUSTER=CLASS, got dev"),
        (["--rebase", "nobody=slim"], "there is no Cluster nobody"),
        (["--against", "no-such-branch"], "there is no commit no-such-branch"),
    ],
)
def test_wrong_calls_are_exit_code_1(
    package: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    """One line says what is wrong."""
    code = main(["topology", "plan", str(package), *words])

    assert code == 1
    assert said in capsys.readouterr().err


def test_the_table_has_a_line_for_each_cluster(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And markdown fits a pull request: Clusters that stay the same are counted only."""
    edit(package / "clusters.yaml", "replicas: 1\n    workers", "replicas: 3\n    workers")

    main(["topology", "plan", str(package)])
    table = capsys.readouterr().out.splitlines()
    main(["topology", "plan", str(package), "--format", "markdown"])
    markdown = capsys.readouterr().out
    main(["topology", "plan", str(package), "--format", "diff"])
    diff = capsys.readouterr().out

    assert [line.split()[:2] for line in table[1:3]] == [["default/dev", "change"], ["default/test", "same"]]
    assert table[-1] == "2 Clusters: 1 with changes, 0 with rolling machines"
    assert "| default/dev | change | ~1 | - | KubeadmControlPlane spec.replicas |" in markdown
    assert "1 Cluster without changes." in markdown
    assert "-  replicas: 1\n+  replicas: 3\n" in diff


def test_many_clusters_are_planned_by_several_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shared among processes, the plan is the same."""
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, old, new in ((before, "", ""), (after, "sizeGiB: 2", "sizeGiB: 3")):
        folder.mkdir()
        text = "---\n".join(topologies.documents(40))
        (folder / "all.yaml").write_text(text.replace(old, new) if old else text, "utf-8")

    one = plan(capsys, str(after), "--against", str(before), "--jobs", "1")
    two = plan(capsys, str(after), "--against", str(before), "--jobs", "2")

    assert one == two
    assert one[0] == 2
    assert sum(bool(cluster["rolls"]) for cluster in one[1]["clusters"]) == 10
