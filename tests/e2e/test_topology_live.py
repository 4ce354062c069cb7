"""`krmkit topology plan` against what `kubectl get -o yaml` exports of a management cluster."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "functions/render-cluster-topology/examples/quick-start"
Data = dict[str, Any]
CLASS_FILES = ("class.yaml", "templates.yaml")
REFERENCES = {"DevCluster": "infrastructureRef", "KubeadmControlPlane": "controlPlaneRef"}


def copied(target: Path) -> Path:
    shutil.copytree(EXAMPLE, target, ignore=shutil.ignore_patterns(".expected"))
    return target


def read(file: Path) -> list[Data]:
    return list(yaml.safe_load_all(file.read_text("utf-8")))


def export(target: Path, place: Path, *, with_class: bool) -> Path:
    """The quick start as a cluster has it: other suffixes, uids, status, references and an endpoint from the provider."""
    rendered = copied(place / "rendered")
    assert main(["render", str(rendered)]) == 0
    objects: list[Data] = []
    references: dict[str, Data] = {}
    for file in sorted(rendered.glob("topology/**/*.yaml")):
        data = read(file)[0]
        metadata = data["metadata"]
        metadata["annotations"] = {
            key: value
            for key, value in metadata["annotations"].items()
            if key.startswith("cluster.x-k8s.io/")
        }
        if data["kind"] in REFERENCES:
            reference = {
                "apiGroup": data["apiVersion"].partition("/")[0],
                "kind": data["kind"],
                "name": metadata["name"],
            }
            owner = metadata["labels"]["cluster.x-k8s.io/cluster-name"]
            references.setdefault(owner, {})[REFERENCES[data["kind"]]] = reference
        if data["kind"] == "KubeadmControlPlane":
            data["status"] = {"version": data["spec"]["version"]}
        if data["kind"] == "DevCluster":
            data["spec"]["controlPlaneEndpoint"] = {"host": "192.0.2.1", "port": 6443}
        objects.append(data)
    names = {data["metadata"]["name"] for data in objects}
    clusters = read(rendered / "clusters.yaml")
    for data in clusters:
        data["spec"].update(references[data["metadata"]["name"]])
    objects += clusters
    if with_class:
        objects += [data for name in CLASS_FILES for data in read(rendered / name)]
    for number, data in enumerate(objects):
        data["metadata"]["uid"] = f"00000000-0000-0000-0000-{number:012}"
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects})
    for name in names:
        text = text.replace(name, name[:-5] + "zzzz" + name[-1])
    target.mkdir()
    (target / "all.yaml").write_text(text, "utf-8")
    return target


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Data]:
    capsys.readouterr()
    code = main(["topology", "plan", *words, "--format", "json"])
    found: Data = json.loads(capsys.readouterr().out)
    return code, found


@pytest.fixture(params=[True, False], ids=["with the class", "without the class"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A package from git, and the export of the cluster that it was applied to."""
    return copied(tmp_path / "package"), export(tmp_path / "live", tmp_path, with_class=request.param)


def test_what_was_applied_is_no_change(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """The references that the controller wrote are not missing in git, and uids and endpoints are no change."""
    code, found = plan(capsys, str(places[0]), "--against", str(places[1]))

    assert code == 0
    assert [(one["action"], one["errors"]) for one in found["clusters"]] == [("same", []), ("same", [])]
    assert found["warnings"] == []


def test_an_upgrade_begins_with_the_control_plane(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Objects keep the names of the cluster, and the workers wait."""
    file = places[0] / "clusters.yaml"
    file.write_text(file.read_text("utf-8").replace("v1.33.1", "v1.34.0"), "utf-8")

    code, found = plan(capsys, str(places[0]), "--against", str(places[1]), "--cluster", "dev")

    [dev] = found["clusters"]
    assert code == 2
    assert [roll["group"] for roll in dev["rolls"]] == ["controlPlane"]
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
