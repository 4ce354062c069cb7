"""`krmkit clusterctl migrate`: files, findings, exit codes, and the forms of what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.systems.clusterapi.migration.test_objects import CLUSTER

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n"
TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: boot}
spec:
  template:
    spec:
      useExperimentalRetryJoin: true # flaky network
      joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {v: "2"}}}
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "boot.yaml").write_text(TEMPLATE)
    return tmp_path


def migrate(*words: str) -> int:
    return main(["clusterctl", "migrate", *words])


def test_files_are_written(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A warning names its line; a second run finds nothing to do."""
    assert migrate(str(package)) == 0

    said = capsys.readouterr().out
    assert "warning: boot.yaml:7:7: spec.template.spec.useExperimentalRetryJoin (its comment: # flaky" in said
    assert said.endswith("1 file to change; 0 Clusters: 0 with changes, 0 with rolling machines\n")
    assert "kubeletExtraArgs: [{name: v," in (package / "boot.yaml").read_text()
    assert migrate(str(package), "--check") == 0
    assert capsys.readouterr().out.startswith("0 files to change")


@pytest.mark.parametrize(("words", "code"), [(["--check"], 2), (["--diff"], 0), (["--check", "--diff"], 2)])
def test_nothing_is_written(package: Path, words: list[str], code: int) -> None:
    assert migrate(str(package), *words) == code
    assert (package / "boot.yaml").read_text() == TEMPLATE


def test_json(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files, findings and plan; a Cluster without its class is refused before and after."""
    (package / "cluster.yaml").write_text(CLUSTER)
    assert migrate(str(package), "--check", "-f", "json") == 1

    data = json.loads(capsys.readouterr().out)
    assert data["files"] == ["boot.yaml", "cluster.yaml"]
    [finding] = data["findings"]
    assert (finding["severity"], finding["rule"]) == ("warning", "not-migrated")
    assert finding["place"] == "boot.yaml:7:7"
    assert [one["action"] for one in data["plan"]["clusters"]] == ["refused"]
