"""The example platform: the tour of docs/platform.md runs as it stands, and what is broken on purpose is named at its line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.test_tutorial import ROOT, boxes, follow

TOUR = ROOT / "docs/platform.md"
EXAMPLE = ROOT / "examples/platform"
# What is broken: (file, what stands there, what is put in its place, where it is named, a part of the message).
BREAKS = {
    "a newer pack": ("packs.yaml", '"version": "1.31.4"', '"version": "1.32.1"', "cluster.yaml", "version: v1.31.4", "[kubernetes-version]"),
    "a class without the pack's version": ("class.yaml", "[v1.31.4, v1.32.1]", "[v1.32.1]", "cluster.yaml", "version: v1.31.4", "one of the versions defined in the ClusterClass"),
    "a Target in another namespace": ("installation.yaml", "name: plant\n  namespace: plants", "name: plant\n  namespace: shops",
                                      "installation.yaml", "target: plant", "target"),
    "another key of the kubeconfig": ("installation.yaml", "key: value", "key: kubeconfig", "installation.yaml", "key: kubeconfig", "[target-key]"),
    "an import that is not there": ("installation.yaml", "configMapRef: {name: site-settings}", "configMapRef: {name: site-setting}",
                                    "installation.yaml", "configMapRef:", "site-setting"),
    "more than the machines hold": ("packs.yaml", "replicas: 3", "replicas: 9", "packs.yaml", "apiVersion: v1", "[insufficient]"),
    "a class that is not there": ("cluster.yaml", "name: plant\n    version", "name: plants\n    version", "cluster.yaml", "name: plants", "[missing-class]"),
    "a worker class that is not there": ("cluster.yaml", "class: worker", "class: workers", "cluster.yaml", "class: workers", "workers"),
    "a selector that selects nothing": ("class.yaml", "{infrastructureCluster: true}", "{}", "class.yaml", "selector:", "matchResources.infrastructureCluster: true"),
    "a fact that is not there": ("bindings.yaml", "data.region}", "data.regio}", "package-context.yaml", "data:", "data.regio"),
    "a machine of unknown size": ("class.yaml", "numCPUs: 4, memoryMiB: 16384", "numCPUs: 4", "constraints.yaml", "", "[capacity-unknown]"),
    "a variable that nobody declares": ("cluster.yaml", "name: mirror", "name: miror", "cluster.yaml", "    variables:", "variable is not defined"),
    "a pack that wants a newer Kubernetes": ("packs.yaml", '"minVersion": "1.30.0"', '"minVersion": "1.33.0"', "packs.yaml", '"dependencies"', "[version]"),
    "an import that nobody exports": ("installation.yaml", "dataRef: store-url\n    targets", "dataRef: store-uri\n    targets",
                                      "installation.yaml", "dataRef: store-uri", 'did you mean "store-url"?'),
    "an export of another name": ("installation.yaml", "dataRef: store-url\n  blueprint", "dataRef: store-address\n  blueprint",
                                  "installation.yaml", "dataRef: store-url", "[data-object-not-found]"),
    "a version that only the facts have": ("versions.yaml", "v1.31.4", "v1.30.9", "cluster.yaml", "version: v1.31.4", "v1.30.9"),
    "a patch of the extension for no template": ("extension.yaml", "kind: KubeadmControlPlaneTemplate", "kind: KubeadmControlPlaneTemplat",
                                                 "extension.yaml", "selector:", "[unused-patch]"),
    "an operation that does not exist": ("installation.yaml", "operation: reconcile", "operation: recncile",
                                         "installation.yaml", "operation: recncile", "[unknown-operation]"),
    "a Cluster beside its class": ("cluster.yaml", "namespace: plants", "namespace: shops", "cluster.yaml", "      name: plant", "ClusterClass shops/plant"),
    "a required variable that is gone": ("cluster.yaml", "    - name: region\n      value: nowhere\n", "", "cluster.yaml", "    variables:", '"region" must be set'),
    "a pack in another layer": ("packs.yaml", '"layer": "k8s", "version": "1.31.4"', '"layer": "k8", "version": "1.31.4"', "packs.yaml", '"dependencies"', "[wrong-layer]"),
}  # fmt: skip


def test_the_tour_has_boxes() -> None:
    """None but the one that installs is left out, and one shows how a mistake is found."""
    found = boxes(TOUR)

    assert [box.skipped or box.kpt for box in found] == [True, *[False] * (len(found) - 1)]
    assert [box.exit_code for box in found if box.exit_code] == [1, 2]


def test_the_tour(tmp_path: Path) -> None:
    """Every box does what the page shows."""
    assert follow(tmp_path, kpt=False, page=TOUR) == len(boxes(TOUR)) - 1


@pytest.mark.parametrize("name", BREAKS)
def test_broken_on_purpose(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What one system says against another is named with its file and line."""
    file, old, new, where, text, message = BREAKS[name]
    shutil.copytree(EXAMPLE / "blueprints/plant", tmp_path / "plant")
    monkeypatch.chdir(tmp_path / "plant")
    before = Path(file).read_text("utf-8")
    assert before.count(old) >= 1
    Path(file).write_text(before.replace(old, new, 1), "utf-8")
    lines = Path(where).read_text("utf-8").splitlines()
    numbers = [number for number, line in enumerate(lines, 1) if text in line] if text else [1]

    main(["render", ".", "-f", "text"])

    told = [line for line in capsys.readouterr().out.splitlines() if not re.search(r":\d+: info: ", line)]
    assert any(
        message in line and any(line.startswith(f"{where}:{number}:") for number in numbers) for line in told
    ), (numbers, told)
