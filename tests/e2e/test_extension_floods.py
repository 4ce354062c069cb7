"""Clients of the server of extensions that are many, silent or in love with small frames: others are served all the same."""

from __future__ import annotations

import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection

from tests.e2e.extensionserver import Server, make_certificates, mirror_extension, post
from tests.waiting import MOST, until

pytestmark = pytest.mark.slow

WORDS = (
    "--tls-cert",
    "server.crt",
    "--tls-key",
    "server.key",
    "--client-ca",
    "clients.crt",
    "--workers",
    "1",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Certificates, an extension, and `clients.crt`, the authority of clients."""
    (tmp_path / "extension.yaml").write_text(mirror_extension("mirror"), "utf-8")
    make_certificates(tmp_path)
    shutil.copy(tmp_path / "ca.crt", tmp_path / "clients.crt")
    return tmp_path


@contextmanager
def silent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Connections without a word, not even of TLS."""
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    try:
        yield held
    finally:
        for one in held:
            one.close()


def is_served(server: Server, folder: Path) -> bool:
    try:
        return post(server.connection(folder), "discovery")[0] == 200
    except OSError:
        return False


@pytest.mark.parametrize("flags", [WORDS, ("--workers", "1")], ids=["tls", "plain"])
def test_more_silent_connections_than_allowed(folder: Path, flags: tuple[str, ...]) -> None:
    """The oldest of those without a call give way, and one line says so."""
    with Server(folder, "extension.yaml", *flags, "--max-connections", "20") as server:
        place = folder if flags is WORDS else None
        with silent(server.port, 200) as held:
            assert [post(server.connection(place), "discovery")[0] for _ in range(5)] == [200] * 5
            held[0].settimeout(MOST)
            assert held[0].recv(1) == b""
        said = server.errors.read_text("utf-8")

    lines = [line for line in said.splitlines() if "--max-connections" in line]
    assert len(lines) == 1 and "all 20 connections are taken" in lines[0]
    assert "Traceback" not in said


def test_a_client_with_a_call_keeps_its_place(folder: Path) -> None:
    """Among silent ones that come and go, a connection that has called once stays."""
    with Server(folder, "extension.yaml", "--workers", "1", "--max-connections", "5") as server:
        call = server.connection()
        for _ in range(3):
            call.request("POST", "/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery", b"{}")
            assert call.getresponse().read()
            kept = call.sock
            with silent(server.port, 50) as held:
                held[0].settimeout(MOST)
                assert held[0].recv(1) == b""
            assert call.sock is kept
        call.close()


@pytest.mark.linux
def test_fewer_descriptors_than_connections(folder: Path) -> None:
    """400 silent connections against 300 descriptors: newcomers are served, and the log stays short."""
    resource = pytest.importorskip("resource", reason="this system has no limits on descriptors")
    with Server(folder, "extension.yaml", *WORDS) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (300, 300))
        with silent(server.port, 400):
            until(lambda: is_served(server, folder))
        said = server.errors.read_text("utf-8")

    assert "Traceback" not in said
    assert len(said.splitlines()) < 20


def flood(server: Server, folder: Path, stop: threading.Event, sent: list[int]) -> None:
    """Send PING frames as fast as the server takes them, and read the answers."""
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    context.load_cert_chain(folder / "client.crt", folder / "client.key")
    context.set_alpn_protocols(["h2"])
    client = H2Connection(H2Configuration(client_side=True))
    client.initiate_connection()
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=MOST)
    with context.wrap_socket(plain, server_hostname="localhost") as wrapped:
        wrapped.sendall(client.data_to_send())
        for _ in range(1000):
            client.ping(b"12345678")
        pings = client.data_to_send()
        wrapped.settimeout(0.2)
        while not stop.is_set():
            with suppress(TimeoutError):
                wrapped.sendall(pings)
                sent[0] += 1000
            with suppress(TimeoutError):
                while len(wrapped.recv(1 << 20)) >= 1 << 14:
                    pass


def test_a_flood_of_pings(folder: Path) -> None:
    """While three clients send nothing but PING, each call of another one is answered before they got through with many."""
    stop, sent = threading.Event(), [0]
    with Server(folder, "extension.yaml", *WORDS) as server:
        floods = [threading.Thread(target=flood, args=(server, folder, stop, sent)) for _ in range(3)]
        for one in floods:
            one.start()
        try:
            until(lambda: sent[0] >= 6000)
            before = sent[0]
            assert all(is_served(server, folder) for _ in range(20))
            during = sent[0] - before
        finally:
            stop.set()
            for one in floods:
                one.join(MOST)

    assert during < 20 * 15_000
