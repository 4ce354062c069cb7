"""Clients of the server of extensions that are many, silent or in love with small frames: others are served all the same."""

from __future__ import annotations

import shutil
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import SettingsAcknowledged

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
    """While three clients send nothing but PING, the calls of another one are answered (how such clients rest: unit tests of connections)."""
    stop, sent = threading.Event(), [0]
    with Server(folder, "extension.yaml", *WORDS) as server:
        floods = [threading.Thread(target=flood, args=(server, folder, stop, sent)) for _ in range(3)]
        for one in floods:
            one.start()
        try:
            until(lambda: sent[0] >= 6000)
            assert all(is_served(server, folder) for _ in range(20))
        finally:
            stop.set()
            for one in floods:
                one.join(MOST)


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    """One frame of HTTP/2, as RFC 9113 lays it out."""
    return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + content


_HEADERS, _PRIORITY, _RESET = 1, 2, 3
_BEGIN = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)


def priorities() -> bytes:
    """A chain of streams that nobody opened, each of which depends on the one before: more than the server's tree holds."""
    return b"".join(
        frame(_PRIORITY, 0, stream, struct.pack(">IB", stream - 2 if stream > 2 else 0, 255))
        for stream in range(1, 4001, 2)
    )


def on_itself() -> bytes:
    """A stream that depends on itself, which RFC 9113 calls an error."""
    return frame(_PRIORITY, 0, 5, struct.pack(">IB", 5, 1))


@pytest.mark.parametrize("frames", [priorities, on_itself])
def test_odd_priorities(folder: Path, frames: Callable[[], bytes]) -> None:
    """They end their own connection; others are served, the log stays short, and SIGTERM ends the server with exit code 0."""
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    context.load_cert_chain(folder / "client.crt", folder / "client.key")
    context.set_alpn_protocols(["h2"])
    with Server(folder, "extension.yaml", *WORDS) as server:
        for _ in range(3):
            plain = socket.create_connection(("127.0.0.1", server.port), timeout=MOST)
            with context.wrap_socket(plain, server_hostname="localhost") as odd, suppress(ConnectionError):
                odd.sendall(_BEGIN + frames())
                while odd.recv(65536):
                    pass
        assert is_served(server, folder)
        server.process.terminate()
        assert server.process.wait(MOST) == 0
        said = server.errors.read_text("utf-8")

    assert "Traceback" not in said
    assert said.count("whose client broke HTTP/2") <= 1


def test_a_call_taken_back_while_the_server_ends(folder: Path) -> None:
    """A call in the grace is refused; one that its client takes back in the same moment must not break the end."""
    with Server(folder, "extension.yaml", "--workers", "1", "--grace", "3") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=MOST) as held:
            client = H2Connection(H2Configuration(client_side=True))
            client.initiate_connection()
            headers = [(":method", "POST"), (":scheme", "http"), (":authority", "localhost"), (":path", "/")]
            client.send_headers(1, headers)
            held.sendall(client.data_to_send())
            # The server answers the settings once it has read all of this.
            while not any(
                isinstance(one, SettingsAcknowledged) for one in client.receive_data(held.recv(65536))
            ):
                pass
            server.process.terminate()
            until(lambda: refuses(server.port))
            client.send_headers(3, headers, end_stream=True)
            client.reset_stream(3)
            held.sendall(client.data_to_send())
            assert server.process.wait(MOST) == 0
        said = server.errors.read_text("utf-8")

    assert "Traceback" not in said


def refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=MOST).close()
    except ConnectionError:
        return True
    return False
