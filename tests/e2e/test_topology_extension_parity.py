"""Inline patches of published classes, moved into an extension: the same objects inline, in process, and over HTTPS."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.services.extension.client import HttpCaller
from krmkit.services.extension.live import LiveExtensions, Recorder
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.desired.topologies import Topologies, TopologyOptions
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions, package_extensions
from krmkit.systems.clusterapi.model.extensions import NoExtensions
from tests.e2e.extensionserver import Server, make_authority, make_certificate

RECORDS = Path(__file__).resolve().parents[3] / "shared/conformance/clusterapi"
CLASSES = ["capi-quick-start", "capo-dev-test"]
CONFIG = {
    "apiVersion": "krmkit.dev/v1alpha1",
    "kind": "RenderClusterTopology",
    "metadata": {"name": "render", "annotations": {"config.kubernetes.io/local-config": "true"}},
    "spec": {"featureGates": {"RuntimeSDK": True, "MachineTaintPropagation": True}},
}


def given(name: str) -> tuple[Object, list[Object], Object]:
    """The class, its templates and one Cluster that was rendered."""
    if not RECORDS.exists():
        pytest.skip("the records of ../shared/conformance are absent")
    data = json.loads((RECORDS / f"render_real_classes/{name}.json").read_text("utf-8"))
    for line in (RECORDS / "render_real.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if (
            record.get("class") == name
            and "expect" in record
            and not {"oldCluster", "mutateClass", "current"} & set(record["input"])
        ):
            return data["clusterClass"], [*data["templates"], *data["crds"]], record["input"]["cluster"]
    raise AssertionError(name)


def moved(cluster_class: Object) -> tuple[Object, Object]:
    """The class with one external patch in place of its own, and the extension that has these with their variables."""
    extension = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "moved", "annotations": {"config.kubernetes.io/local-config": "true"}},
        "spec": {
            "handlers": [
                {
                    "name": "all",
                    "variables": cluster_class["spec"]["variables"],
                    "patches": cluster_class["spec"]["patches"],
                    "validations": [{"rule": "has(self.kind)"}],
                }
            ]
        },
    }
    external = {
        "generatePatchesExtension": "generate-patches-all.moved",
        "validateTopologyExtension": "validate-topology-all.moved",
        "discoverVariablesExtension": "discover-variables-all.moved",
    }
    changed = deepcopy(cluster_class)
    del changed["spec"]["variables"]
    changed["spec"]["patches"] = [{"name": "moved", "external": external}]
    return changed, extension


def rendered(items: list[Object], callers: dict[str, HttpCaller] | None = None) -> str:
    """All objects of the Cluster as text, and no error."""
    collected = collect(Resource.from_data(one) for one in items)
    extensions: Any = package_extensions(collected)[0]
    if callers is not None:
        extensions = LiveExtensions(callers, PackageExtensions(NoExtensions()), Recorder())
    options = TopologyOptions(feature_gates={"RuntimeSDK": True, "MachineTaintPropagation": True})
    topologies = Topologies(collected, options, extensions)
    [one] = [topologies.render(decoded) for decoded in topologies.managed()]
    assert one is not None, topologies.findings
    return "".join(f"# {role}\n{emit.document(item)}" for role, item in one.state.objects())


@pytest.mark.parametrize("name", CLASSES)
def test_three_ways(name: str, tmp_path: Path) -> None:
    """Byte for byte, and the recorded answers stand for the server afterwards."""
    cluster_class, others, cluster = given(name)
    changed, extension = moved(cluster_class)
    (tmp_path / "extension.yaml").write_text(emit.document(extension), "utf-8")
    make_authority(tmp_path, "ca")
    make_certificate(tmp_path, "server", "ca")

    inline = rendered([cluster_class, *others, cluster])
    in_process = rendered([changed, *others, cluster, extension])
    with Server(tmp_path, "extension.yaml", "--tls-cert", "server.crt", "--tls-key", "server.key") as server:
        address = f"https://localhost:{server.port}"
        caller = HttpCaller(address, str(tmp_path / "ca.crt"))
        served = rendered([changed, *others, cluster], {"moved": caller})
        package = tmp_path / "package"
        package.mkdir()
        write(package, [changed, *others, cluster, CONFIG])
        empty = tmp_path / "empty"
        empty.mkdir()
        words = ["topology", "plan", str(package), "--against", str(empty), "--extension", f"moved={address}"]
        planned = main(
            [*words, "--ca-file", str(tmp_path / "ca.crt"), "--record", str(package / "recorded.yaml")]
        )
        checked = main(["topology", "check-extension", address, "--ca-file", str(tmp_path / "ca.crt"), "--package", str(package), "--max-ms", "10000"])  # fmt: skip
    from_record = main(["topology", "plan", str(package), "--against", str(empty)])

    assert in_process == inline
    assert served == inline
    assert (planned, checked, from_record) == (2, 0, 2)


def write(folder: Path, items: list[Object]) -> None:
    for number, item in enumerate(items):
        (folder / f"{number:02}.yaml").write_text(emit.document(item), "utf-8")
