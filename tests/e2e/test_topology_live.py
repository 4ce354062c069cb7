"""`krmkit topology plan` against what `kubectl get -o yaml` exports of a management cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.liveclusters import copied, export, plan


@pytest.fixture(params=[True, False], ids=["with the class", "without the class"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A package from git, and the export of the cluster that it was applied to."""
    return copied(tmp_path / "package"), export(tmp_path / "live", tmp_path, with_class=request.param)


def test_what_was_applied_is_no_change(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """The references that the controller wrote are not missing in git, and uids and endpoints are no change."""
    code, found = plan(capsys, str(places[0]), "--against", str(places[1]))

    assert code == 0
    assert [(one["action"], one["errors"]) for one in found["clusters"]] == [("same", []), ("same", [])]
    knows = (places[1] / "all.yaml").read_text("utf-8").count("kind: ClusterClass\n")
    assert ["fields that the change removes are not seen" in text for text in found["warnings"]] == (
        [] if knows else [True, True]
    )


def test_an_upgrade_begins_with_the_control_plane(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Objects keep the names of the cluster, and the workers wait."""
    file = places[0] / "clusters.yaml"
    file.write_text(file.read_text("utf-8").replace("v1.33.1", "v1.34.0"), "utf-8")

    code, found = plan(capsys, str(places[0]), "--against", str(places[1]), "--cluster", "dev")

    [dev] = found["clusters"]
    assert code == 2
    assert [roll["group"] for roll in dev["rolls"]] == ["controlPlane", "MachineDeployment md-0"]
    assert {change["role"].partition("/")[0] for change in dev["changes"]} == {
        "controlPlane",
        "controlPlaneInfrastructureMachineTemplate",
    }
    assert [[roll["group"] for roll in step["rolls"]] for step in dev["steps"]] == [
        ["controlPlane"],
        ["MachineDeployment md-0"],
    ]
    assert {change["name"][:8] for change in dev["changes"] if change["role"] == "controlPlane"} == {
        "dev-zzzz"
    }
    assert any(text.startswith("MachineDeployments that wait") for text in dev["waits"])


def test_no_version_changes_while_machines_upgrade(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The webhook's check of running upgrades sees the exported objects."""
    file = places[0] / "clusters.yaml"
    file.write_text(file.read_text("utf-8").replace("v1.33.1", "v1.34.0"), "utf-8")
    live = places[1] / "all.yaml"
    text = live.read_text("utf-8")
    assert "status:\n    version: v1.33.1" in text
    live.write_text(text.replace("status:\n    version: v1.33.1", "status:\n    version: v1.32.9"), "utf-8")

    code, found = plan(capsys, str(places[0]), "--against", str(places[1]), "--cluster", "dev")

    assert code == 1
    assert "control plane is still completing a previous upgrade" in "".join(found["clusters"][0]["errors"])
