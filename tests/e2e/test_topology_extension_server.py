"""`krmkit serve topology-extension` as controllers call it: TLS, reloads, faults, and its end."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.services import certificates
from krmkit.services.certificates import Certificates
from tests.e2e.extensionserver import (
    BASE,
    Server,
    StartError,
    make_certificates,
    mirror_extension,
    post,
    renew_certificate,
)
from tests.waiting import MOST, until

MODULE = """
import os, time
from krmkit.systems.clusterapi.extension import Extension
extension = Extension("slow")

@extension.generate_patches("slow")
def slow(templates):
    once = templates.settings.get("once")
    if once and not os.path.exists(once):
        open(once, "w").close()
        os._exit(9)
    begun = templates.settings.get("begun")
    if begun:
        open(begun, "w").close()
        while os.path.exists(begun):
            time.sleep(0.01)
"""
DISCOVER = "discovervariables/discover-variables-mirror"
GENERATE = "generatepatches/generate-patches-mirror"


def request(value: Any = "m", count: int = 1) -> Object:
    holder = {"kind": "Cluster", "namespace": "n", "name": "c", "fieldPath": "spec.infrastructureRef"}
    template = {"apiVersion": "i/v1", "kind": "T", "spec": {"template": {"spec": {}}}}
    return {
        "variables": [{"name": "mirror", "value": value}],
        "items": [{"uid": str(n), "holderReference": holder, "object": template} for n in range(count)],
    }


def write(folder: Path, variable: str = "mirror") -> None:
    (folder / "new.yaml").write_text(mirror_extension(variable), "utf-8")
    (folder / "new.yaml").replace(folder / "extension.yaml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


@pytest.fixture
def plain(folder: Path) -> Iterator[Server]:
    (folder / "slow_extension.py").write_text(MODULE, "utf-8")
    with Server(folder, "extension.yaml", "--module", "slow_extension", "--workers", "2") as server:
        yield server


def variable(server: Server, place: Path | None = None) -> str:
    status, body = post(server.connection(place), DISCOVER)
    assert status == 200, body
    return str(json.loads(body)["variables"][0]["name"])


def test_answers_and_says_what_it_does(plain: Server) -> None:
    """Hooks over one connection; health, metrics and a log line without the body."""
    connection = plain.connection()

    status, discovery = post(connection, "discovery?timeout=10s")
    generated = json.loads(post(connection, GENERATE, request("secret-value"))[1])
    connection.request("GET", "/readyz")
    ready = connection.getresponse()
    ready.read()
    connection.close()
    with urllib.request.urlopen(f"http://127.0.0.1:{plain.metrics_port}/metrics") as answer:
        metrics = answer.read().decode()

    assert status == 200
    assert len(json.loads(discovery)["handlers"]) == 3
    assert generated["items"][0]["patchType"] == "JSONPatch"
    assert ready.status == 200
    assert (
        'krmkit_hook_calls_total{hook="generatepatches/generate-patches-mirror",status="Success"} 1.0'
        in metrics
    )
    log = plain.errors.read_text("utf-8")
    assert json.loads(log.splitlines()[-1])["path"] == BASE + GENERATE
    assert "secret-value" not in log


def test_bad_requests(plain: Server) -> None:
    """Malformed, empty, unknown, too large and half-sent requests harm no other one."""
    half = socket.create_connection(("127.0.0.1", plain.port))
    half.sendall(f"POST {BASE}{GENERATE} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode())

    malformed = post(plain.connection(), GENERATE, b"{")
    unknown = post(plain.connection(), "generatepatches/other")
    large = post(plain.connection(), GENERATE, b" " * ((20 << 20) + 1))
    allowed = post(plain.connection(), GENERATE, json.dumps(request("x" * (9 << 20))).encode())

    assert malformed[0] == 200
    assert b'"message":"error unmarshalling request' in malformed[1]
    assert unknown[0] == 404
    assert large[0] == 200
    assert b"request body too large" in large[1]
    assert b'"status":"Success"' in allowed[1]
    assert variable(plain) == "mirror"
    half.close()
    assert variable(plain) == "mirror"


def test_a_worker_that_dies_loses_no_call(plain: Server, folder: Path) -> None:
    """The call that ended its worker is answered by another one, and so are those beside it."""
    asked = {"settings": {"once": str(folder / "died")}, "items": []}

    status, body = post(plain.connection(), "generatepatches/slow", asked)

    assert (status, json.loads(body)["status"]) == (200, "Success")
    assert (folder / "died").exists()
    assert variable(plain) == "mirror"


def test_extensions_are_loaded_again(plain: Server, folder: Path) -> None:
    """A new version takes over; a broken one leaves the old one, and says so."""
    write(folder, "second")
    until(lambda: variable(plain) == "second")
    (folder / "extension.yaml").write_text("kind: [", "utf-8")
    until(lambda: "the old extensions stay" in plain.errors.read_text("utf-8"))
    assert variable(plain) == "second"
    write(folder, "third")
    until(lambda: variable(plain) == "third")


def test_a_slow_handler_starves_no_other(plain: Server, folder: Path) -> None:
    """Two workers, and calls of one handler that hang in both and in line: the other handler is answered all the same."""
    begun = folder / "begun"
    asked = {"settings": {"begun": str(begun)}, "items": []}
    statuses: list[int] = []

    def slow() -> None:
        statuses.append(post(plain.connection(), "generatepatches/slow", asked)[0])

    callers = [threading.Thread(target=slow) for _ in range(6)]
    for caller in callers:
        caller.start()
    until(begun.exists)
    try:
        for _ in range(3):
            assert variable(plain) == "mirror"
            assert json.loads(post(plain.connection(), GENERATE, request())[1])["status"] == "Success"
        assert statuses == []
    finally:
        # The first call that ends lets those in line make the file again.
        while any(caller.is_alive() for caller in callers):
            begun.unlink(missing_ok=True)
            time.sleep(0.02)
    assert statuses == [200] * 6


def test_a_call_that_times_out(plain: Server, folder: Path) -> None:
    """It is cut at its `?timeout=`, logged as timed out, and holds no worker."""
    begun = folder / "begun"
    asked = {"settings": {"begun": str(begun)}, "items": []}

    for _ in range(3):
        status, text = post(plain.connection(), "generatepatches/slow?timeout=500ms", asked)
        assert (status, text) == (504, b"the call took longer than its timeout of 0.5 s and was ended\n")

    logged = [json.loads(line) for line in plain.errors.read_text("utf-8").splitlines()]
    assert [(line["code"], line["status"]) for line in logged] == [(504, "TimedOut")] * 3
    begun.unlink()
    assert post(plain.connection(), "generatepatches/slow", {"items": []})[0] == 200


def test_it_warns_of_patches_that_may_be_ignored(folder: Path) -> None:
    """failurePolicy Ignore on GeneratePatches rolls machines while the server is away; of validations it does no such harm."""
    text = (folder / "extension.yaml").read_text("utf-8")
    (folder / "extension.yaml").write_text(text + "    failurePolicy: Ignore\n", "utf-8")
    with Server(folder, "extension.yaml", "--workers", "1") as server:
        said = server.errors.read_text("utf-8")

    assert said.count("has failurePolicy Ignore") == 1
    assert "warning: generate-patches-mirror has failurePolicy Ignore" in said


def test_running_calls_end(plain: Server, folder: Path) -> None:
    """SIGTERM lets a call finish; afterwards nobody is served, and nothing is left."""
    outcome: list[tuple[int, bytes]] = []
    begun = folder / "begun"
    asked = {"settings": {"begun": str(begun)}, "items": []}
    caller = threading.Thread(
        target=lambda: outcome.append(post(plain.connection(), "generatepatches/slow", asked))
    )
    caller.start()
    until(begun.exists)
    plain.process.send_signal(signal.SIGTERM)
    until(lambda: is_closed(plain.port))
    begun.unlink()
    caller.join(MOST)

    assert plain.process.wait(MOST) == 0
    assert [status for status, _ in outcome] == [200]
    assert is_closed(plain.port)


def is_closed(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), MOST).close()
    except ConnectionError:
        return True
    return False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.yaml"], "No such file"),
        (["extension.yaml", "--host", "0.0.0.0"], "--tls-cert and --tls-key are needed"),
        (["extension.yaml", "--client-ca", "x"], "belong together"),
        (["--module", "not_there"], "module not_there cannot be imported"),
        (["empty.yaml"], "holds no TopologyExtension"),
        (["broken.yaml"], 'did you mean "handlers"?'),
    ],
)
def test_it_does_not_start(folder: Path, words: list[str], message: str) -> None:
    """Exit code 1, and why."""
    (folder / "empty.yaml").write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n", "utf-8")
    (folder / "broken.yaml").write_text(mirror_extension("mirror").replace("handlers:", "handler:"), "utf-8")
    with pytest.raises(StartError, match="1"), Server(folder, *words):
        pass

    assert message in (folder / "stderr").read_text("utf-8")


@pytest.fixture
def certified(folder: Path) -> Path:
    make_certificates(folder)
    return folder


@pytest.fixture
def secure(certified: Path) -> Iterator[Server]:
    words = ("--tls-cert", "server.crt", "--tls-key", "server.key", "--client-ca", "ca.crt")
    with Server(certified, "extension.yaml", *words, "--workers", "2") as server:
        yield server


def test_only_known_clients(secure: Server, certified: Path) -> None:
    """A client without a certificate, or with one of another authority, is refused."""
    assert variable(secure, certified) == "mirror"
    for client in ("", "stranger"):
        with pytest.raises(OSError):
            post(secure.connection(certified, client), DISCOVER)
    assert variable(secure, certified) == "mirror"


@pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])
def test_curl(secure: Server, certified: Path, protocol: str) -> None:
    """Both protocols that Go's client negotiates."""
    if not shutil.which("curl"):
        pytest.skip("curl is not on PATH")
    done = subprocess.run(
        ["curl", "-sS", protocol, "--cacert", "ca.crt", "--cert", "client.crt", "--key", "client.key", "-w", "\n%{http_version}",
         "-X", "POST", "-d", json.dumps(request(count=50)), f"https://localhost:{secure.port}{BASE}{GENERATE}?timeout=10s"],
        cwd=certified, capture_output=True, text=True, check=True,
    )  # fmt: skip
    body, _, version = done.stdout.rpartition("\n")

    assert version == {"--http1.1": "1.1", "--http2": "2"}[protocol]
    assert len(json.loads(body)["items"]) == 50


def test_a_certificate_is_rotated_under_load(secure: Server, certified: Path) -> None:
    """No call fails while a new certificate comes in, and new connections get it."""
    before = peer(secure, certified)
    stop = threading.Event()
    failures: list[object] = []
    count = [0]

    def calls() -> None:
        while not stop.is_set():
            try:
                status, _ = post(secure.connection(certified), DISCOVER)
                count[0] += 1
                if status != 200:
                    failures.append(status)
            except OSError as error:
                failures.append(error)

    callers = [threading.Thread(target=calls) for _ in range(3)]
    for caller in callers:
        caller.start()
    renew_certificate(certified, certified / "fresh")
    try:
        until(lambda: peer(secure, certified) != before)
        until(lambda: count[0] > 3 or bool(failures))
    finally:
        stop.set()
        for caller in callers:
            caller.join(MOST)

    assert failures == []


def test_a_broken_certificate_is_told_once(secure: Server, certified: Path) -> None:
    """The old one serves on; a line each second for as long as nobody mends it would bury all others."""
    before = peer(secure, certified)
    (certified / "server.crt").write_text("none\n", "utf-8")
    until(lambda: "the old certificate stays" in secure.errors.read_text("utf-8"))
    time.sleep(2.5)  # the server looks each second

    assert secure.errors.read_text("utf-8").count("the old certificate stays") == 1
    assert peer(secure, certified) == before


def test_a_certificate_that_changes_while_it_is_loaded(
    certified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was tried and found good, and is another one when it is put into place: an error that the server tells, and tries again."""
    read = certificates._text
    server, key = certified / "server.crt", certified / "server.key"
    found = Certificates(str(server), str(key), str(certified / "ca.crt"))
    served = found.context

    def meddle(path: str) -> bytes:
        monkeypatch.undo()
        text = read(path)
        (certified / "client.crt").replace(server)
        return text

    (certified / "stranger.crt").replace(server)
    (certified / "stranger.key").replace(key)
    monkeypatch.setattr(certificates, "_text", meddle)
    with pytest.raises(Refused, match="cannot serve with"):
        found.reload()
    assert found.context is served
    (certified / "client.key").replace(key)

    assert found.reload()
    assert not found.reload()
    assert found.certificate == server.read_bytes()


def peer(server: Server, folder: Path) -> bytes | None:
    connection = server.connection(folder)
    connection.connect()
    encrypted = connection.sock
    assert isinstance(encrypted, ssl.SSLSocket)
    found = encrypted.getpeercert(binary_form=True)
    connection.close()
    return found


@pytest.mark.linux
def test_connections_go_with_their_clients(secure: Server, certified: Path) -> None:
    """No descriptor stays open for clients that have gone."""
    folder = Path(f"/proc/{secure.process.pid}/fd")
    if not folder.exists():
        pytest.skip("open descriptors are counted in /proc, which this system does not have")
    variable(secure, certified)
    until(lambda: len(list(folder.iterdir())) > 0)
    before = len(list(folder.iterdir()))

    for _ in range(20):
        variable(secure, certified)

    until(lambda: len(list(folder.iterdir())) <= before)
