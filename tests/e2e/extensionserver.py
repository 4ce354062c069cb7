"""A server of extensions in a process of its own, with certificates made by openssl."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path

from krmkit.libraries.json import Object
from tests.e2e.goprograms import need
from tests.waiting import MOST

ROOT = Path(__file__).resolve().parents[2]
BASE = "/hooks.runtime.cluster.x-k8s.io/v1alpha1/"
_EXTENSION = """
apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: registries}
spec:
  handlers:
  - name: mirror
    variables:
    - {name: VARIABLE, schema: {openAPIV3Schema: {type: string}}}
    patches:
    - name: mirror
      definitions:
      - selector: {apiVersion: i/v1, kind: T, matchResources: {infrastructureCluster: true}}
        jsonPatches:
        - {op: add, path: /spec/template/spec/mirror, valueFrom: {variable: VARIABLE}}
"""


def mirror_extension(variable: str) -> str:
    """An extension with one handler, `mirror`, which writes a variable to spec.template.spec.mirror."""
    return _EXTENSION.replace("VARIABLE", variable)


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> None:
    openssl(
        folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}", "-days", "2",
        "-addext", "basicConstraints=critical,CA:true", "-addext", "keyUsage=critical,keyCertSign",
    )  # fmt: skip


def make_certificate(folder: Path, name: str, authority: str) -> None:
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n", "utf-8")
    openssl(
        folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}",
    )  # fmt: skip
    openssl(
        folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
        "-CAcreateserial", "-out", f"{name}.crt", "-days", "2", "-extfile", "names",
    )  # fmt: skip


def make_certificates(folder: Path) -> None:
    """Two authorities, `ca` and `other`, the server's and the client's certificate, and that of a stranger. Skips without openssl."""
    need("openssl", "openssl")
    for authority in ("ca", "other"):
        make_authority(folder, authority)
    for name in ("server", "client"):
        make_certificate(folder, name, "ca")
    make_certificate(folder, "stranger", "other")


def renew_certificate(folder: Path, place: Path) -> None:
    """Replace the server's certificate and key, each at once, by new ones that are made in the folder `place`."""
    place.mkdir()
    for name in ("ca.crt", "ca.key"):
        shutil.copy(folder / name, place)
    make_certificate(place, "server", "ca")
    for name in ("server.crt", "server.key"):
        (place / name).replace(folder / name)


class StartError(Exception):
    """The server did not start; the exit code."""


class Server:
    """A running server; `port` and `metrics_port` are those that it got."""

    def __init__(self, folder: Path, *words: str) -> None:
        command = [
            sys.executable,
            "-m",
            "krmkit",
            "serve",
            "topology-extension",
            "--port",
            "0",
            "--metrics-port",
            "0",
        ]
        self.errors = folder / "stderr"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [*command, *words],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT / "shared")},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"listening on \S+:(\d+), metrics on port (\d+)", line)
        if not found:
            self.process.wait(MOST)
            self.process.stdout.close()
            raise StartError(self.process.returncode)
        self.port, self.metrics_port = int(found[1]), int(found[2])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(MOST)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def connection(self, folder: Path | None = None, client: str = "client") -> http.client.HTTPConnection:
        return http_connection(self.port, folder, client)


def http_connection(port: int, folder: Path | None = None, client: str = "") -> http.client.HTTPConnection:
    """A connection to a port of this machine; over TLS where a folder has the authority and the client's certificate."""
    if folder is None:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=MOST)
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    if client:
        context.load_cert_chain(folder / f"{client}.crt", folder / f"{client}.key")
    return http.client.HTTPSConnection("localhost", port, timeout=MOST, context=context)


def post(
    connection: http.client.HTTPConnection, path: str, body: bytes | Object = b"{}"
) -> tuple[int, bytes]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request("POST", BASE + path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
