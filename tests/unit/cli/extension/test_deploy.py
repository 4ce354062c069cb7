"""The package for a management cluster: it serves what the ExtensionConfig calls, and keeps to the rules for pods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from krmkit.cli.extension.command import parser
from krmkit.clusterapi.hooks.extensionconfig import extension_url, validate_extension_config
from krmkit.clusterapi.hooks.topologyextension import TopologyExtension

FOLDER = Path(__file__).resolve().parents[4] / "deploy/topology-extension"


def objects() -> dict[str, Any]:
    return {
        one["kind"]: one
        for path in sorted(FOLDER.glob("*.yaml"))
        for one in yaml.safe_load_all(path.read_text("utf-8"))
    }


def test_the_parts_fit() -> None:
    """Names, ports and arguments agree; the certificate is for the host that controllers call."""
    found = objects()
    config, service = found["ExtensionConfig"], found["Service"]
    pod = found["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    arguments = parser().parse_args(container["args"])

    assert validate_extension_config(config) == []
    host = extension_url(config["spec"]["clientConfig"], "/").split("/")[2].partition(":")[0]
    assert host in found["Certificate"]["spec"]["dnsNames"]
    assert host == f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    assert {one["containerPort"] for one in container["ports"]} == {arguments.port, arguments.metrics_port}
    assert arguments.grace < pod["terminationGracePeriodSeconds"]
    [extension] = [TopologyExtension(yaml.safe_load(text)) for text in found["ConfigMap"]["data"].values()]
    assert (extension.name, extension.problems) == (config["metadata"]["name"], [])


def test_the_pod_has_no_rights() -> None:
    """As nobody, without capabilities and token, on a read-only file system."""
    pod = objects()["Deployment"]["spec"]["template"]["spec"]
    security = pod["containers"][0]["securityContext"]

    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    assert security["readOnlyRootFilesystem"]
    assert security["capabilities"] == {"drop": ["ALL"]}
