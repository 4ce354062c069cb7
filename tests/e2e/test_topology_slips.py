"""What people write by mistake into packages of topologies, and what `krmkit topology plan` and its neighbours say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.liveclusters import change, copied, plan

AUTOSCALER = """\
        metadata:
          annotations:
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "2"
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "5"
"""
EXTERNAL = """\
  - name: site
    external:
      generatePatchesExtension: generate-patches.site
      discoverVariablesExtension: discover-variables.site
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return copied(tmp_path / "package")


def test_replicas_beside_the_autoscaler(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One error, about the Cluster that sets both; its class is sound."""
    last = "        replicas: 2\n    variables:\n"  # of dev
    change(package / "clusters.yaml", last, AUTOSCALER + last)

    _, found = plan(capsys, str(package), "--against", str(package.parent / "empty"))
    [error] = [one for one in found["results"] if one["severity"] == "error"]

    assert (error["resource"]["kind"], error["resource"]["name"]) == ("Cluster", "dev")
    assert error["field"] == "spec.topology.workers.machineDeployments[md-0].replicas"


def test_an_argument_that_two_patches_set(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The API refuses the template that the controller makes, and so does the plan."""
    change(package / "class.yaml", "name: node-labels", "name: eviction-hard")

    code, found = plan(capsys, str(package), "--against", str(package))

    assert code == 1
    assert "kubeletExtraArgs name must be unique" in str(found["clusters"])


def test_a_field_of_v1beta1(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server drops it from a Cluster of v1beta2: the plan warns, and names the field of today."""
    workers = "        name: md-0\n"
    change(package / "clusters.yaml", workers, workers + "        nodeDrainTimeout: 30s\n")

    code, found = plan(capsys, str(package), "--against", str(package))

    assert code == 0
    assert 'did you mean "deletion.nodeDrainTimeoutSeconds"?' in str(found["warnings"])


def test_an_extension_that_nobody_answers_for(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`init` and the plan after it name the extension, not only that the class has errors."""
    for name in ("Kptfile", "render.yaml"):
        (package / name).unlink()
    change(package / "class.yaml", "  patches:\n", "  patches:\n" + EXTERNAL)
    cause = 'no answer to DiscoverVariables of extension "discover-variables.site"'

    assert main(["init", str(package)]) == 0
    assert cause in capsys.readouterr().err

    code, found = plan(capsys, str(package), "--against", str(package))
    assert code == 1
    assert all(cause in json.dumps(one["errors"]).replace("\\", "") for one in found["clusters"])
