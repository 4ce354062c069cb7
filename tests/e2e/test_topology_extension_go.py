"""Go on the other side: an extension that krmkit calls, and a client that calls krmkit, both of the standard library alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from tests.e2e.extensionserver import (
    BASE,
    ROOT,
    Server,
    make_certificates,
    mirror_extension,
    renew_certificate,
)
from tests.e2e.goprograms import build
from tests.waiting import MOST, until

pytestmark = pytest.mark.slow
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
    make_certificates(tmp_path)
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
    # A provider whose schema krmkit does not ship: the patch adds a field that the API of DevCluster refuses.
    for path in package.glob("*.yaml"):
        path.write_text(path.read_text("utf-8").replace("DevCluster", "HouseCluster"), "utf-8")
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
    with Server(certified, "extension.yaml", *words, "--grace", "1000") as running:
        yield running


class Calls:
    """Go's client against the server, in the background; `result` lets it end and waits for it.

    -lasting: it calls until then.
    """

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
            [*command, "-body", "body.json", *words],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def result(self) -> Object:
        text, _ = self.process.communicate(timeout=MOST)
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
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-lasting")
    await_calls(server)
    for number in range(3):
        renew_certificate(certified, certified / f"fresh-{number}")
        await_log(server, "the certificate was loaded again", number + 1)
        await_calls(server)
    found = calls.result()

    assert found["failures"] == []
    assert found["calls"] > CALLERS


@pytest.mark.linux
def test_workers_are_killed_under_load(programs: Path, certified: Path, server: Server) -> None:
    """A worker that ends takes no call along: each is answered, as ever, by another one."""
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-lasting")
    killed: set[int] = set()
    for _ in range(4):
        # A call that loses two workers fails, so the last one's call, which stands behind all others, must be answered before the next.
        await_calls(server, 3 * CALLERS)
        worker = min(children(server.process.pid))
        os.kill(worker, signal.SIGKILL)
        killed.add(worker)
        # Its successor is started when the server knows of its end, and its call stands in line by then.
        until(lambda: len(children(server.process.pid) - killed) == 2)
    found = calls.result()

    assert len(killed) == 4
    assert found["failures"] == []
    assert found["calls"] > CALLERS


def children(pid: int) -> set[int]:
    found: set[int] = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found |= set(map(int, path.read_text("ascii").split()))
    return found


def await_log(server: Server, text: str, count: int) -> None:
    """Return when the server's log has the text so often."""

    def log() -> str:
        return server.errors.read_text("utf-8")

    until(lambda: log().count(text) >= count, log)


def await_calls(server: Server, count: int = CALLERS + 1) -> None:
    """Return when the server's log shows `count` more calls: with one more than callers, each was answered once more."""
    before = server.errors.read_text("utf-8").count(GENERATE)
    await_log(server, GENERATE, before + count)


@pytest.mark.linux
def test_callers_that_go_away_harm_nobody(programs: Path, certified: Path, server: Server) -> None:
    """Clients that are killed in their calls, or send half a request, leave the others' calls whole and nothing open."""
    descriptors = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(descriptors.iterdir()))
    calls = Calls(programs, certified, server, "-callers", str(CALLERS), "-lasting")
    gone: list[int] = []
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            half = server.connection(certified)
            half.putrequest("POST", GENERATE)
            half.putheader("Content-Length", "1000")
            half.endheaders(b'{"items": [')
            with Calls(programs, certified, server, "-callers", "4", "-lasting").process as caller:
                await_calls(server)
                caller.kill()
            half.close()
            gone.append(caller.pid)

    others = threading.Thread(target=come_and_go)
    others.start()
    try:
        until(lambda: len(gone) >= 5 or not others.is_alive())
    finally:
        stop.set()
        others.join(MOST)
        found = calls.result()

    assert len(gone) >= 5
    assert found["failures"] == []
    until(lambda: len(list(descriptors.iterdir())) <= before + 2, lambda: "connections of clients stay open")
    # Nothing waits for those clients: the end takes no grace, which would be longer than this waits.
    server.process.terminate()
    assert server.process.wait(MOST) == 0
