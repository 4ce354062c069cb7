"""The package for a management cluster: rendering fills it in, its parts fit, and it keeps to the rules for pods."""

from __future__ import annotations

import shutil
from base64 import b64decode
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from krmkit.cli import main
from krmkit.cli.serveextension import parser
from krmkit.systems.clusterapi.hooks.extensionconfig import validate_extension_config
from krmkit.systems.clusterapi.hooks.serving import Served
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension

FOLDER = Path(__file__).resolve().parents[4] / "deploy/topology-extension"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
OTHER: dict[str, Any] = {
    "namespace": "extensions",
    "image": "registry.example.com/extension:v1",
    "caBundle": PEM,
}


def objects(folder: Path) -> dict[str, Any]:
    """What goes to the cluster, by kind."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        for one in yaml.safe_load_all(path.read_text("utf-8")):
            if "config.kubernetes.io/local-config" not in (one["metadata"].get("annotations") or {}):
                found[one["kind"]] = one
    return found


def rendered(folder: Path, **spec: Any) -> dict[str, Any]:
    """A copy of the package, its config with other values, rendered."""
    shutil.copytree(FOLDER, folder)
    config = yaml.safe_load((folder / "configure.yaml").read_text("utf-8"))
    config["spec"].update(spec)
    (folder / "configure.yaml").write_text(yaml.safe_dump(config), "utf-8")
    assert main(["render", "--write", str(folder)]) == 0
    return objects(folder)


def test_it_is_rendered(tmp_path: Path) -> None:
    """What is checked in is what rendering makes of it."""
    assert rendered(tmp_path / "copy") == objects(FOLDER)


@pytest.mark.parametrize("spec", [{}, OTHER], ids=["as it is", "with another config"])
def test_the_parts_fit(tmp_path: Path, spec: dict[str, Any]) -> None:
    """Names, ports and arguments agree; the certificate is for the host that controllers call; so is the path."""
    found = rendered(tmp_path / "copy", **spec)
    config, service = found["ExtensionConfig"], found["Service"]
    pod = found["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    arguments = parser().parse_args(container["args"])

    assert validate_extension_config(config) == []
    called = config["spec"]["clientConfig"]["service"]
    assert f"{called['name']}.{called['namespace']}.svc" in found["Certificate"]["spec"]["dnsNames"]
    assert [called["name"], called["namespace"]] == [
        service["metadata"]["name"],
        service["metadata"]["namespace"],
    ]
    assert called.get("port", 443) in {one["port"] for one in service["spec"]["ports"]}
    assert {one["containerPort"] for one in container["ports"]} == {arguments.port, arguments.metrics_port}
    assert any(word.startswith("--workers=") for word in container["args"])
    assert arguments.grace < pod["terminationGracePeriodSeconds"]
    path = called.get("path", "").rstrip("/") + "/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery"
    [extension] = [TopologyExtension(yaml.safe_load(text)) for text in found["ConfigMap"]["data"].values()]
    assert (extension.name, extension.problems) == (config["metadata"]["name"], [])
    status, answer = Served([extension]).respond(path, b"{}")
    assert status == 200
    assert b"discover-variables-mirror" in answer


def test_another_config_reaches_everything(tmp_path: Path) -> None:
    """Nothing is left in the old namespace; the authority is in the ExtensionConfig, as Kubernetes writes bytes."""
    found = rendered(tmp_path / "copy", **OTHER)
    config = found["ExtensionConfig"]

    assert {
        one["metadata"].get("namespace", one["metadata"]["name"])
        for kind, one in found.items()
        if kind != "ExtensionConfig"
    } == {"extensions"}
    assert config["spec"]["clientConfig"]["service"]["namespace"] == "extensions"
    assert b64decode(config["spec"]["clientConfig"]["caBundle"]).decode() == PEM
    assert "annotations" not in config["metadata"] or not config["metadata"]["annotations"]
    [container] = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == OTHER["image"]


@pytest.mark.parametrize("spec", [{}, OTHER], ids=["as it is", "with another config"])
def test_kubernetes_schemas(tmp_path: Path, spec: dict[str, Any]) -> None:
    """Every object of Kubernetes itself is valid, unknown fields included."""
    found = rendered(tmp_path / "copy", **spec)
    own = [one for one in found.values() if "cert-manager" not in one["apiVersion"] and "x-k8s.io" not in one["apiVersion"]]  # fmt: skip

    for one in own:
        kubernetes_validate.validate(one, "1.34", strict=True)
    assert len(own) == 6


def test_the_pod_has_no_rights() -> None:
    """As nobody, without capabilities and token, on a read-only file system."""
    pod = objects(FOLDER)["Deployment"]["spec"]["template"]["spec"]
    security = pod["containers"][0]["securityContext"]

    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    assert security["readOnlyRootFilesystem"]
    assert security["capabilities"] == {"drop": ["ALL"]}


def test_one_is_always_there() -> None:
    """A dead extension blocks every restart of Cluster API's core manager, so updates, drains and the loss of a node leave one."""
    found = objects(FOLDER)
    deployment, budget = found["Deployment"]["spec"], found["PodDisruptionBudget"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    [rule] = deployment["template"]["spec"]["affinity"]["podAntiAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]

    assert deployment["replicas"] > budget["minAvailable"] >= 1
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert rule["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"
    assert rule["podAffinityTerm"]["labelSelector"]["matchLabels"] == labels
    assert budget["selector"]["matchLabels"] == labels
