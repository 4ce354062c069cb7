"""The verdict on a change of Clusters is the same on every surface: tables, formats, trees, and the report."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main

EXAMPLE = "functions/render-cluster-topology/examples/quick-start"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")


def edit(folder: Path, name: str, *changes: tuple[str, str]) -> None:
    text = (folder / name).read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / name).write_text(text, "utf-8")


@pytest.fixture
def folder(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a class and two Clusters, as its repository's HEAD has it."""
    shutil.copytree(project / EXAMPLE, tmp_path / "sites", ignore=shutil.ignore_patterns(".expected"))
    for words in (("init", "-q", "-b", "main", "."), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "sites"


def kind_of_machines(folder: Path) -> None:
    edit(folder, "class.yaml", ("kind: DevMachineTemplate", "kind: BigMachineTemplate"))
    edit(folder, "templates.yaml", ("kind: DevMachineTemplate", "kind: BigMachineTemplate"))


def name_of_a_group(folder: Path) -> None:
    edit(folder, "clusters.yaml", ("name: md-0", "name: North"))


def twice_the_same_argument(folder: Path) -> None:
    edit(folder, "class.yaml", ("name: node-labels", "name: eviction-hard"))


def an_autoscaled_group(folder: Path) -> None:
    sizes = ", ".join(
        f'cluster.x-k8s.io/cluster-api-autoscaler-node-group-{end}-size: "5"' for end in ("min", "max")
    )
    group = "replicas: 2\n    variables:"
    edit(folder, "clusters.yaml", (group, f"metadata: {{annotations: {{{sizes}}}}}\n        {group}"))


def a_field_of_v1beta1(folder: Path) -> None:
    edit(folder, "clusters.yaml", ("name: md-0", "name: md-0\n        nodeDrainTimeout: 5s"))


def nothing(folder: Path) -> None:
    """Leave the package as it is."""


def patch_outside_of_spec(folder: Path) -> None:
    edit(folder, "class.yaml", ("path: /spec/template/spec", "path: /metadata/labels"))


CASES = [
    (kind_of_machines, 1, "kind cannot be changed", "class.yaml:26"),
    (name_of_a_group, 1, "should match '^[a-z0-9]", "clusters.yaml:16"),
    (twice_the_same_argument, 1, "kubeletExtraArgs name must be unique", "clusters.yaml:22"),
    (an_autoscaled_group, 1, "cannot be set for cluster", "clusters.yaml:14"),
    (patch_outside_of_spec, 1, 'jsonPatch path must start with "/spec"', "class.yaml:77"),
    (a_field_of_v1beta1, 0, 'unknown field "nodeDrainTimeout"', "clusters.yaml:17"),
    (nothing, 0, "", ""),
]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main([*words])
    return code, capsys.readouterr().out


def counts(results: list[dict[str, Any]]) -> Counter[str]:
    return Counter(one["severity"] for one in results if not one.get("function"))


@pytest.mark.parametrize(("change", "code", "said", "place"), CASES)
def test_one_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], change: Any, code: int, said: str, place: str
) -> None:
    """Exit code, counts of severities, text and place agree between plan, plan of the tree, report and formats."""
    change(folder)

    plan_code, text = told(capsys, "topology", "plan", "sites", "-f", "json")
    plan = json.loads(text)
    tree_code, text = told(capsys, "topology", "plan", "-r", ".", "-f", "json")
    tree = json.loads(text)
    report_code, text = told(capsys, "report", "sites", "-f", "json")
    [package] = json.loads(text)["packages"]
    assert (plan_code == 1, tree_code == 1, report_code) == (code == 1, code == 1, code)
    assert counts(plan["results"]) == counts(tree["results"])
    errors = {(one["message"], one.get("path")) for one in plan["results"] if one["severity"] == "error"}
    known = [one for one in package["results"] if one["severity"] == "error"]
    assert errors <= {(one["message"], one.get("path")) for one in known}
    # What else the report says, the functions of the pipeline found.
    assert errors >= {(one["message"], one.get("path")) for one in known if not one.get("function")}
    for results in (plan["results"], tree["results"], package["results"]):
        places = [f"{one.get('path')}:{one.get('line')}" for one in results if said in one["message"]]
        assert f"sites/{place}" in places or not said

    _, text = told(capsys, "topology", "plan", "sites", "-f", "sarif")
    levels = Counter(one["level"] for one in json.loads(text)["runs"][0]["results"])
    assert levels["error"] == counts(plan["results"])["error"]
    _, table = told(capsys, "topology", "plan", "sites")
    _, page = told(capsys, "report", "sites", "-o", "page.html")
    assert ("refused" in table) == ("1 failed" in page) == (code == 1)
    if code == 1:
        assert said in table


def test_a_report_without_a_repository(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was not compared is said, and is no error."""
    shutil.rmtree(folder.parent / ".git")

    code, text = told(capsys, "report", "sites", "-f", "json")

    [package] = json.loads(text)["packages"]
    [result] = [one for one in package["results"] if one["rule"] == "no-plan"]
    assert (code, result["severity"]) == (0, "info")
    assert (
        "not compared with HEAD, only checked as they are: what a change does is not known: "
        in result["message"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("topology plan empty --against empty", "empty: holds no Cluster, and held none"),
        ("topology plan -r empty --against empty", "empty: no package at or below holds a Cluster"),
        ("landscaper reconcile empty", "empty: holds no Installation"),
        ("landscaper reconcile -r empty", "empty: no package at or below holds an Installation"),
    ],
)
def test_a_wrong_folder(folder: Path, capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    """A folder without what is planned is an error, not an empty plan."""
    (folder.parent / "empty").mkdir()
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: empty}\n"
    (folder.parent / "empty/Kptfile").write_text(kptfile, "utf-8")

    assert main(words.split()) == 1
    assert said in capsys.readouterr().err
