"""The scenarios: what the plan says of each, and, with `make live`, whether a real Cluster API does the same."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import pytest
import yaml

from krmkit.cli import main
from tests.live.harness import KubectlApi, run
from tests.live.scenarios import NAMESPACE, Scenario, edited, in_short, scenarios

SCENARIOS = {one.name: one for one in scenarios()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_plan_of_each_scenario(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From files to files, the plan is the one that is expected of the cluster."""
    scenario: Scenario = SCENARIOS[name]
    for folder, objects in zip(("old", "new"), scenario.objects(NAMESPACE), strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "all.yaml").write_text(yaml.safe_dump_all(objects), "utf-8")

    main(["topology", "plan", str(tmp_path / "new"), "--against", str(tmp_path / "old"), "--format", "json"])
    [plan] = json.loads(capsys.readouterr().out)["clusters"]

    assert in_short(plan) == scenario.expect


def test_an_edit_of_what_is_not_there_is_an_error() -> None:
    """A scenario with a slip in a path fails, and does not pass for a change that does nothing."""
    objects = [{"kind": "A", "metadata": {"name": "a"}, "spec": {"l": [1]}}]

    assert edited(objects, [["A/a", "spec.l[1]", 2]])[0]["spec"] == {"l": [1, 2]}
    with pytest.raises(KeyError):
        edited(objects, [["A/b", "spec.x", 1]])
    with pytest.raises(KeyError):
        edited(objects, [["A/a", "spec.x", None]])
    with pytest.raises(IndexError):
        edited(objects, [["A/a", "spec.l[3]", 1]])


@pytest.fixture(scope="session")
def api() -> KubectlApi:
    """The server of KUBECONFIG. One that cannot be used ends the run with one line, and not each scenario with the same one."""
    found = KubectlApi()
    why = found.why_unusable()
    if why:
        pytest.exit(
            f"KUBECONFIG={os.environ['KUBECONFIG']}: {why} (tests/live/README.md says what is needed)", 1
        )
    return found


@pytest.mark.live
@pytest.mark.skipif(
    not (os.environ.get("KRMKIT_LIVE") and os.environ.get("KUBECONFIG")),
    reason="needs KUBECONFIG of an API server with Cluster API, and KRMKIT_LIVE=1, as `make live` sets it",
)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_cluster_does_what_the_plan_says(name: str, tmp_path: Path, api: KubectlApi) -> None:
    """Apply the scenario in a namespace of its own, wait, and compare the fields that the topology controller owns."""
    namespace = f"{NAMESPACE}-{uuid.uuid4().hex[:8]}"

    assert run(SCENARIOS[name], api, tmp_path, namespace) == []
