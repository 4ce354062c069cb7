"""`krmkit topology plan --live`: a stand-in of kubectl answers from an export, and every call of it is seen."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.liveclusters import change, change_objects, copied, export, plan
from tests.programs import python, write_script

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = ROOT / "tests/live/kubectl.py"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package from git."""
    return copied(tmp_path / "package")


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The objects of a cluster that the package was applied to, behind a `kubectl` on the PATH; returns their folder."""
    objects = export(tmp_path / "live", tmp_path, with_class=True)
    programs = tmp_path / "bin"
    write_script(programs / "kubectl", f'exec {python(STAND_IN)} "$@"\n')
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "shared"), str(ROOT))))
    monkeypatch.setenv("KUBECTL_OBJECTS", str(objects))
    monkeypatch.setenv("KUBECTL_LOG", str(tmp_path / "calls"))
    return objects


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text("utf-8").splitlines()


def test_what_was_applied_is_the_same(
    package: Path, cluster: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan is the one against the exported folder; kubectl only reads, and only kinds of the topology."""
    code, found = plan(capsys, str(package), "--live")

    assert code == 0
    assert [one["action"] for one in found["clusters"]] == ["same", "same"]
    assert {line.split()[1] for line in calls(tmp_path)} == {"get"}
    kinds = {
        kind.partition(".")[0]
        for line in calls(tmp_path)
        for kind in line.partition(" -- ")[2].split()[0].split(",")
    }
    assert kinds == {
        "clusters", "clusterclasses", "DevClusterTemplate", "KubeadmControlPlaneTemplate", "DevMachineTemplate",
        "KubeadmConfigTemplate", "MachineDeployment", "MachinePool", "MachineHealthCheck", "MachineSet", "Machine",
        "DevCluster", "KubeadmControlPlane",
    }  # fmt: skip


def test_sources_of_v1beta1_against_objects_of_v1beta2(
    cluster: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The endpoint that the provider wrote into the Cluster, and all that a conversion spells anew, is no change."""
    text = (ROOT / "tests/conformance/records/clusterapi/live.jsonl").read_text("utf-8")
    record = next(one for one in map(json.loads, text.splitlines()) if one["id"] == "v1beta1-list-list")
    (cluster / "all.yaml").write_text(record["old"]["elder.yaml"], "utf-8")
    sources = tmp_path / "sources"
    sources.mkdir()
    for name, source in record["new"].items():
        if source is not None:
            (sources / name).write_text(source, "utf-8")

    code, found = plan(capsys, str(sources), "--live")

    assert "controlPlaneEndpoint" in record["old"]["elder.yaml"]
    assert (code, found["errors"], found["warnings"]) == (0, [], [])
    assert [(one["name"], one["action"], one["changes"]) for one in found["clusters"]] == [
        ("bay", "same", [])
    ]


def test_a_change_is_planned_against_what_runs(
    package: Path, cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A removed field, and the names of the running objects, as with the folder."""
    change(package / "clusters.yaml", "        failureDomain: fd1\n", "")

    live = plan(capsys, str(package), "--live")

    assert live == plan(capsys, str(package), "--against", str(cluster))
    assert live[1]["clusters"][1]["rolls"][0]["group"] == "MachineDeployment md-1"


def test_one_cluster_is_read_alone(
    package: Path, cluster: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--cluster narrows what is read by its label."""
    _, found = plan(capsys, str(package), "--live", "--cluster", "dev")

    assert [one["name"] for one in found["clusters"]] == ["dev"]
    selectors = [line.partition(" --selector=")[2] for line in calls(tmp_path) if " --selector=" in line]
    assert selectors and all("cluster-name in (dev)" in one for one in selectors)


def test_a_cluster_outside_of_the_package_is_named(
    package: Path, cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It uses the class of the package, and a change of the class concerns it too."""
    text = (package / "clusters.yaml").read_text("utf-8")
    (package / "clusters.yaml").write_text(text.partition("---\n")[0], "utf-8")

    _, found = plan(capsys, str(package), "--live")

    assert [one["name"] for one in found["clusters"]] == ["dev"]
    assert "Cluster default/test uses ClusterClass default/quick-start too" in found["warnings"][0]


@pytest.mark.parametrize("evidence", ["git", "inventory", "name"])
def test_a_cluster_that_was_removed(
    package: Path, cluster: Path, capsys: pytest.CaptureFixture[str], evidence: str
) -> None:
    """What is applied with pruning deletes it: the last commit, the inventory or the caller says that it was there."""
    if evidence == "git":
        for words in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm one"):
            subprocess.run(["git", *words.split()], cwd=package, check=True)
    file = package / "clusters.yaml"
    file.write_text(file.read_text("utf-8").partition("---\n")[0], "utf-8")
    if evidence == "inventory":
        kptfile = package / "Kptfile"
        inventory = "inventory:\n  name: a\n  namespace: default\n  inventoryID: own\n"
        kptfile.write_text(kptfile.read_text("utf-8") + inventory, "utf-8")
        text = (cluster / "all.yaml").read_text("utf-8").replace(
            "    name: test\n", "    annotations: {config.k8s.io/owning-inventory: own}\n    name: test\n"
        )  # fmt: skip
        (cluster / "all.yaml").write_text(text, "utf-8")

    code, found = plan(capsys, str(package), "--live", *(("--cluster", "test") if evidence == "name" else ()))

    removed = found["clusters"][-1]
    assert (code, removed["name"], removed["action"]) == (2, "test", "remove")
    assert {"KubeadmControlPlane", "DevCluster"} <= {change["kind"] for change in removed["changes"]}
    assert found["warnings"] == []


def test_a_context_is_passed_on(
    package: Path, cluster: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The context that does not exist is kubectl's own error, in one line."""
    code = main(["topology", "plan", str(package), "--live", "--context", "prod"])

    error = capsys.readouterr().err
    assert code == 1
    assert error == (
        "krmkit topology plan: kubectl get clusters.cluster.x-k8s.io -n default failed: error: context"
        ' "prod" does not exist\n'
    )
    assert calls(tmp_path)[0].startswith("--context=prod ")


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        ("Unable to connect to the server: dial tcp 192.0.2.1:6443: i/o timeout", "Unable to connect to the server"),
        ('Error from server (Forbidden): clusters is forbidden: User "me" cannot list', 'User "me" cannot list'),
        ("error: the server doesn't have a resource type \"clusters\"", "resource type"),
    ],
)  # fmt: skip
def test_errors_of_kubectl_are_one_line(
    package: Path,
    cluster: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failure: str,
    said: str,
) -> None:
    """No answer, no permission, no Cluster API."""
    monkeypatch.setenv("KUBECTL_FAILURE", failure)

    code = main(["topology", "plan", str(package), "--live"])

    error = capsys.readouterr().err
    assert code == 1
    assert said in error and error.count("\n") == 1


def test_without_kubectl_one_line_says_so(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what to do instead."""
    monkeypatch.setenv("PATH", "/nonexistent")

    code = main(["topology", "plan", str(package), "--live"])

    error = capsys.readouterr().err
    assert code == 1
    assert error.startswith("krmkit topology plan: --live needs kubectl") and error.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('{"kind": "List", ', "the answer must be JSON: "),
        ("no resources\n", "the answer must be JSON: "),
        ('{"kind": "List", "items": 5}', "the answer must be an object or a List of them"),
        ('{"kind": "List", "items": [null]}', "the answer must be an object or a List of them"),
        ("[1]", "the answer must be an object or a List of them"),
    ],
)
def test_broken_answers_are_one_line(
    package: Path,
    cluster: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    said: str,
) -> None:
    """Half an answer, another program that is called kubectl, odd objects."""
    monkeypatch.setenv("KUBECTL_ANSWER", answer)

    code = main(["topology", "plan", str(package), "--live"])

    error = capsys.readouterr().err
    assert code == 1
    assert error.startswith(f"krmkit topology plan: kubectl get clusters.cluster.x-k8s.io -n default: {said}")
    assert error.count("\n") == 1


@pytest.mark.parametrize("answer", ["", '{"apiVersion": "v1", "kind": "List", "items": []}'])
def test_an_empty_cluster(
    package: Path,
    cluster: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
) -> None:
    """Everything is new."""
    monkeypatch.setenv("KUBECTL_ANSWER", answer or " ")

    code, found = plan(capsys, str(package), "--live")

    assert code == 2
    assert [one["action"] for one in found["clusters"]] == ["create", "create"]


def test_a_kind_that_is_not_served(
    package: Path, cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Cluster API that does not know v1beta2 yet, or a provider that is not there: kubectl's own words."""
    monkeypatch.setenv("KUBECTL_UNKNOWN", "MachineDeployment.v1beta2.cluster.x-k8s.io")

    assert main(["topology", "plan", str(package), "--live"]) == 1

    error = capsys.readouterr().err
    assert error.endswith(
        'the server doesn\'t have a resource type "MachineDeployment.v1beta2.cluster.x-k8s.io"\n'
    )
    assert error.count("\n") == 1


def test_a_login_that_nobody_answers(
    package: Path, cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan ends with a line that says what kubectl may wait for, also if a plugin keeps its output open."""
    monkeypatch.setattr("krmkit.analysis.plans.livecluster._PATIENCE", 0.2)
    monkeypatch.setenv("KUBECTL_LOGIN", "1")

    assert main(["topology", "plan", str(package), "--live"]) == 1

    error = capsys.readouterr().err
    assert "did not end within 0.2 seconds; if it waits for a login" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--live", "--against", "HEAD"], "--live and --against must not be given both"),
        (["--context", "prod"], "--context is for --live"),
    ],
)
def test_wrong_calls(package: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """One line says what does not fit."""
    assert main(["topology", "plan", str(package), *words]) == 1
    assert said in capsys.readouterr().err


def test_managed_fields_of_running_objects_count(
    package: Path, cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field that the class renders, and that the topology controller does not own, is somebody else's."""

    def edit(item: dict[str, object]) -> None:
        metadata = item["metadata"]
        assert isinstance(metadata, dict)
        metadata["managedFields"] = [
            {
                "manager": "capi-topology",
                "operation": "Apply",
                "apiVersion": item["apiVersion"],
                "fieldsV1": {"f:spec": {"f:version": {}}},
            }
        ]

    change_objects(cluster / "all.yaml", "KubeadmControlPlane", edit)
    change(package / "clusters.yaml", "value: registry.example.com/k8s", 'value: ""')

    # The field stays, so the control plane's webhook has nothing to refuse either.
    assert plan(capsys, str(package), "--live")[0] == 0
