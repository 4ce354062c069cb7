"""A package of two Clusters, and what `kubectl get -o yaml` shows of the cluster that it was applied to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.cli import main
from krmkit.libraries.json import Object

EXAMPLE = Path(__file__).resolve().parents[2] / "functions/render-cluster-topology/examples/quick-start"

CLASS_FILES = ("class.yaml", "templates.yaml")
REFERENCES = {"DevCluster": "infrastructureRef", "KubeadmControlPlane": "controlPlaneRef"}


def copied(target: Path) -> Path:
    shutil.copytree(EXAMPLE, target, ignore=shutil.ignore_patterns(".expected"))
    return target


def read(file: Path) -> list[Object]:
    return list(yaml.safe_load_all(file.read_text("utf-8")))


def export(target: Path, place: Path, *, with_class: bool) -> Path:
    """The quick start as a cluster has it: other suffixes, uids, status, references and an endpoint from the provider.

    with_class: the export holds the ClusterClass and its templates too.
    """
    rendered = copied(place / "rendered")
    assert main(["render", str(rendered)]) == 0
    objects: list[Object] = []
    references: dict[str, Object] = {}
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


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Object]:
    capsys.readouterr()
    code = main(["topology", "plan", *words, "--format", "json"])
    found: Object = json.loads(capsys.readouterr().out)
    return code, found


def change(file: Path, old: str, new: str) -> None:
    """Replace a text in a file, which must hold it."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def change_objects(file: Path, kind: str, edit: Any) -> None:
    """Call `edit` with every object of a kind in the list of an export, and write the list."""
    data = yaml.safe_load(file.read_text("utf-8"))
    found = [item for item in data["items"] if item["kind"] == kind]
    assert found
    for item in found:
        edit(item)
    file.write_text(yaml.safe_dump(data), "utf-8")
