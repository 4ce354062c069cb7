"""Go on the other side: an extension that krmkit calls, and a client that calls krmkit, both of the standard library alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from krmkit.yaml import emit
from krmkit.yaml.data import go_data
from krmkit.yaml.document import parse_all
from tests.e2e.extensionserver import BASE, ROOT, Server, make_authority, make_certificate, mirror_extension
from tests.e2e.goprograms import build

Object = dict[str, Any]
EXAMPLE = ROOT / "functions/render-cluster-topology/examples/quick-start"
GENERATE = f"{BASE}generatepatches/generate-patches-mirror"
CALLERS = 8


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("go")
    for name in ("extension", "caller"):
        build(name, folder)
    return folder


@pytest.fixture
def certified(tmp_path: Path) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificates, and is not on PATH")
    for authority in ("ca", "other"):
        make_authority(tmp_path, authority)
    for name in ("server", "client"):
        make_certificate(tmp_path, name, "ca")
    make_certificate(tmp_path, "stranger", "other")
    return tmp_path


@pytest.fixture
def extension(programs: Path, certified: Path) -> Iterator[list[str]]:
    """The extension in Go, running; what krmkit's commands need to call it."""
    words = ["-cert", "server.crt", "-key", "server.key", "-client-ca", "ca.crt"]
    with subprocess.Popen([programs / "extension", *words], cwd=certified, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        yield [f"https://localhost:{port}", "--ca-file", str(certified / "ca.crt")]
        process.kill()


def credentials(folder: Path, name: str = "client") -> list[str]:
    return ["--client-cert", str(folder / f"{name}.crt"), "--client-key", str(folder / f"{name}.key")]


def test_an_extension_in_go_keeps_the_contract(
    extension: list[str], certified: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every rule holds against Go's own server; a client that it does not know is told so."""
    code = main(["topology", "check-extension", *extension, *credentials(certified), "--max-ms", "10000"])
    said = capsys.readouterr().out
    refused = main(["topology", "check-extension", *extension, *credentials(certified, "stranger")])

    assert code == 0, said
    assert "3 handlers" in said
    assert "0 violations, 0 warnings" in said
    assert refused == 1
    assert "failed to make the http call" in capsys.readouterr().out


def test_a_plan_with_an_extension_in_go(extension: list[str], certified: Path) -> None:
    """Its variable is discovered, and its patch reaches the rendered object."""
    package, empty = certified / "package", certified / "empty"
    shutil.copytree(EXAMPLE, package, ignore=shutil.ignore_patterns(".expected"))
    empty.mkdir()
    handlers = {f"{hook}Extension": f"{name}-go-mirror.go" for hook, name in (
        ("generatePatches", "generate-patches"), ("validateTopology", "validate-topology"), ("discoverVariables", "discover-variables"))}  # fmt: skip
    change(package / "class.yaml", "ClusterClass", lambda spec: spec["patches"].append({"name": "go", "external": handlers}))  # fmt: skip
    change(package / "clusters.yaml", "Cluster", lambda spec: spec["topology"].setdefault("variables", []).append({"name": "registryMirror", "value": "mirror.example.com"}))  # fmt: skip
    change(
        package / "render.yaml",
        "RenderClusterTopology",
        lambda spec: spec.update(featureGates={"RuntimeSDK": True}),
    )
    address, *authority = extension
    words = ["topology", "plan", str(package), "--against", str(empty), "--extension", f"go={address}"]

    code = main([*words, *authority, *credentials(certified), "--record", str(certified / "recorded.yaml")])

    assert code == 2
    recorded = (certified / "recorded.yaml").read_text("utf-8")
    assert "path: /spec/template/spec/mirror" in recorded
    assert recorded.count("value: mirror.example.com") > 1


def change(path: Path, kind: str, edit: Any) -> None:
    documents: list[Any] = [go_data(one.root) for one in parse_all(path.read_text("utf-8"))]
    for one in documents:
        if one["kind"] == kind:
            edit(one.setdefault("spec", {}))
    path.write_text("---\n".join(emit.document(one) for one in documents), "utf-8")


@pytest.fixture
def server(certified: Path) -> Iterator[Server]:
    (certified / "extension.yaml").write_text(mirror_extension("mirror"), "utf-8")
    holder = {"kind": "Cluster", "namespace": "n", "name": "c", "fieldPath": "spec.infrastructureRef"}
    template = {"apiVersion": "i/v1", "kind": "T", "spec": {"template": {"spec": {"text": "x" * 500}}}}
    items = [{"uid": str(number), "holderReference": holder, "object": template} for number in range(50)]
    body = {"variables": [{"name": "mirror", "value": "m"}], "items": items}
    (certified / "body.json").write_text(json.dumps(body), "utf-8")
    words = ("--tls-cert", "server.crt", "--tls-key", "server.key", "--client-ca", "ca.crt", "--workers", "2")
    with Server(certified, "extension.yaml", *words) as running:
        yield running


class Calls:
    """Go's client against the server, in the background; `result` waits for it."""

    def __init__(
        self, programs: Path, folder: Path, server: Server, *words: str, client: str = "client"
    ) -> None:
        command = [
            str(programs / "caller"),
            "-url",
            f"https://localhost:{server.port}{GENERATE}",
            "-ca",
            "ca.crt",
        ]
        if client:
            command += ["-cert", f"{client}.crt", "-key", f"{client}.key"]
        self.process = subprocess.Popen(
            [*command, "-body", "body.json", *words], cwd=folder, stdout=subprocess.PIPE, text=True
        )

    def result(self) -> Object:
        text, _ = self.process.communicate(timeout=60)
        found: Object = json.loads(text)
        return found


def test_a_client_in_go(programs: Path, certified: Path, server: Server) -> None:
    """It negotiates HTTP/2, and many calls share a connection; without a known certificate there is none."""
    known = Calls(programs, certified, server, "-callers", "20").result()
    refused = [Calls(programs, certified, server, client=name).result() for name in ("", "stranger")]

    assert (known["protocol"], known["calls"], known["failures"]) == ("HTTP/2.0", 20, [])
    assert len(json.loads(known["answer"])["items"]) == 50
    for one in refused:
        assert (one["answer"], len(one["failures"])) == ("", 1)


def test_a_certificate_is_rotated_on_open_connections(
    programs: Path, certified: Path, server: Server
) -> None:
    """Connections that are kept go on with full load while the certificate changes three times, and no call fails."""
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-seconds", "8")
    for number in range(3):
        time.sleep(2)
        fresh = certified / f"fresh-{number}"
        fresh.mkdir()
        for name in ("ca.crt", "ca.key"):
            shutil.copy(certified / name, fresh)
        make_certificate(fresh, "server", "ca")
        for name in ("server.crt", "server.key"):
            os.replace(fresh / name, certified / name)
    found = calls.result()

    assert found["failures"] == []
    assert found["calls"] > CALLERS
    assert server.errors.read_text("utf-8").count("the certificate was loaded again") >= 2


def test_workers_are_killed_under_load(programs: Path, certified: Path, server: Server) -> None:
    """A worker that ends takes no call along: each is answered, as ever, by another one."""
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-seconds", "8")
    killed = 0
    for _ in range(4):
        time.sleep(1.5)
        workers = children(server.process.pid)
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            killed += 1
    found = calls.result()

    assert killed == 4
    assert found["failures"] == []
    assert found["calls"] > CALLERS


def children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, path.read_text("ascii").split())
    return sorted(found)


def test_callers_that_go_away_harm_nobody(programs: Path, certified: Path, server: Server) -> None:
    """Clients that are killed in their calls, or send half a request, leave the others' calls whole and nothing open."""
    descriptors = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(descriptors.iterdir()))
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-seconds", "8")
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            half = server.connection(certified)
            half.putrequest("POST", GENERATE)
            half.putheader("Content-Length", "1000")
            half.endheaders(b'{"items": [')
            with Calls(programs, certified, server, "-callers", "4", "-seconds", "8").process as gone:
                time.sleep(0.4)
                gone.kill()
            half.close()

    others = threading.Thread(target=come_and_go)
    others.start()
    found = calls.result()
    stop.set()
    others.join(30)

    assert found["failures"] == []
    end = time.monotonic() + 20
    while len(list(descriptors.iterdir())) > before + 2:
        assert time.monotonic() < end, "connections of clients that have gone stay open"
        time.sleep(0.2)
    # Nothing waits for those clients: the end takes no grace.
    server.process.terminate()
    assert server.process.wait(15) == 0
