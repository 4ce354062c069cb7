"""The image of the server of extensions: the hooks, health and the end of a container with the rights that the Deployment gives."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from krmkit.libraries.json import Object
from tests.e2e.extensionserver import BASE, ROOT, http_connection, make_authority, make_certificate, post
from tests.e2e.images import need, need_image
from tests.waiting import MOST, until

pytestmark = pytest.mark.images


NAME = "topology-extension"
REQUEST: Object = {
    "variables": [{"name": "registryMirror", "value": "mirror.example.com"}],
    "items": [
        {
            "uid": "7",
            "holderReference": {"kind": "Cluster", "namespace": "n", "name": "c", "fieldPath": "spec.infrastructureRef"},
            "object": {"apiVersion": "i/v1", "kind": "T", "spec": {"template": {"spec": {}}}},
        }
    ],
}  # fmt: skip
EXTENSION = """\
apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: registries}
spec:
  handlers:
  - name: mirror
    variables:
    - {name: registryMirror, schema: {openAPIV3Schema: {type: string}}}
    patches:
    - name: mirror
      enabledIf: '{{ regexMatch "^[a-z.]+$" .registryMirror }}'
      definitions:
      - selector: {apiVersion: i/v1, kind: T, matchResources: {infrastructureCluster: true}}
        jsonPatches:
        - {op: add, path: /spec/template/spec/mirror, valueFrom: {variable: registryMirror}}
    validations:
    - {rule: "has(self.spec.template.spec.mirror)", message: the mirror is not set}
"""


def rights() -> list[str]:
    """The Deployment's securityContexts as options of podman."""
    found = list(yaml.safe_load_all((ROOT / f"deploy/{NAME}/server.yaml").read_text("utf-8")))
    [pod] = [one["spec"]["template"]["spec"] for one in found if one["kind"] == "Deployment"]
    container = pod["containers"][0]["securityContext"]
    user = pod["securityContext"]
    options = [f"--user={user['runAsUser']}:{user['runAsGroup']}"]
    options += [f"--cap-drop={one.lower()}" for one in container["capabilities"]["drop"]]
    if container["readOnlyRootFilesystem"]:
        options += ["--read-only", "--read-only-tmpfs=false"]
    if not container["allowPrivilegeEscalation"]:
        options.append("--security-opt=no-new-privileges")
    return options


@pytest.fixture
def container(tmp_path: Path) -> Iterator[tuple[str, Path, int]]:
    """A running container: its id, the folder of its certificates, and its port on the loopback interface."""
    podman, image = need("podman"), need_image(NAME)
    need("openssl")
    make_authority(tmp_path, "ca")
    make_certificate(tmp_path, "server", "ca")
    tls, extensions = tmp_path / "tls", tmp_path / "extensions"
    for folder in (tls, extensions):
        folder.mkdir()
    for source, target in (("server.crt", "tls.crt"), ("server.key", "tls.key")):
        (tls / target).write_bytes((tmp_path / source).read_bytes())
        (tls / target).chmod(0o644)  # what a Secret that is mounted for a pod of nobody comes down to
    (extensions / "extension.yaml").write_text(EXTENSION, "utf-8")
    tmp_path.chmod(0o755)
    # Without a name: another run of these tests may have a container, too.
    command = [podman, "run", "--detach", "--pull=never", "--network=host", *rights()]
    command += [f"--volume={extensions}:/extensions:ro", f"--volume={tls}:/tls:ro", image, "/extensions"]
    command += ["--host=127.0.0.1", "--port=0", "--metrics-port=0", "--tls-cert=/tls/tls.crt", "--tls-key=/tls/tls.key"]  # fmt: skip
    started = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield started, tmp_path, _port(podman, started)
    finally:
        subprocess.run([podman, "rm", "--force", "--time=0", started], check=True, capture_output=True)


def _port(podman: str, container: str) -> int:
    def ports() -> list[str]:
        return re.findall(r"listening on \S+:(\d+)", _log(podman, container).stdout)

    until(lambda: bool(ports()), lambda: str(_log(podman, container)))
    return int(ports()[0])


def _log(podman: str, container: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([podman, "logs", container], check=True, capture_output=True, text=True)


def test_it_serves_with_bare_rights(container: tuple[str, Path, int]) -> None:
    """Discovery, patches, validation, health; SIGTERM ends it with 0, as Kubernetes asks."""
    name, folder, port = container
    connection = http_connection(port, folder, client="")

    connection.request("GET", "/healthz")
    health = connection.getresponse()
    health.read()
    discovery = json.loads(post(connection, "discovery")[1])
    generated = json.loads(post(connection, "generatepatches/generate-patches-mirror", REQUEST)[1])
    validated = json.loads(post(connection, "validatetopology/validate-topology-mirror", REQUEST)[1])
    podman = need("podman")
    subprocess.run([podman, "kill", "--signal=TERM", name], check=True, capture_output=True)
    ended = subprocess.run([podman, "wait", name], check=True, capture_output=True, text=True, timeout=MOST)  # fmt: skip
    log = _log(podman, name).stderr

    assert health.status == 200
    assert len(discovery["handlers"]) == 3
    assert (generated["status"], generated["items"][0]["uid"]) == ("Success", "7")
    assert (validated["status"], validated["message"].rpartition(": ")[2]) == (
        "Failure",
        "the mirror is not set",
    )
    assert ended.stdout.strip() == "0"
    assert [json.loads(line)["path"] for line in log.splitlines()][-1].startswith(BASE)
    assert "mirror.example.com" not in log


def test_it_says_why_it_does_not_start() -> None:
    """Without a certificate it listens to this machine only; a module that is not there is named."""
    image = need_image(NAME)
    command = [need("podman"), "run", "--rm", "--pull=never", "--network=none", *rights(), image]

    open_port = subprocess.run([*command, "--module=absent", "--host=0.0.0.0"], check=False, capture_output=True, text=True)  # fmt: skip
    absent = subprocess.run([*command, "--module=absent"], check=False, capture_output=True, text=True)

    assert (open_port.returncode, absent.returncode) == (1, 1)
    assert "--tls-cert and --tls-key are needed" in open_port.stderr
    assert "module absent cannot be imported" in absent.stderr
