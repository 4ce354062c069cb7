"""The evaluator with TLS, and clients that do not keep to it: others are served all the time, and nobody fills descriptors or the log."""

from __future__ import annotations

import os
import socket
import ssl
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "grpc", reason="grpcio is not installed; the extra `serve` and requirements/dev.txt have it"
)

import grpc

from tests.e2e.porch import METHOD, request
from tests.e2e.test_evaluator import SELECT, Server, serving
from tests.e2e.test_evaluator_connections import certificates
from tests.waiting import MOST, until

pytestmark = pytest.mark.slow
Client = Callable[[int, Path], socket.socket]
CLIENTS = 40  # of each kind, one after the other
HELLO = bytes.fromhex("160301020001000001fc0303") + b"x" * 200  # the begin of a handshake of 512 bytes
LOG = 8000  # bytes that the log may have, whatever clients do


def plain(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=MOST)


def secured(port: int, place: Path, alpn: tuple[str, ...] = ("h2",), who: str = "client") -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(place / "ca.crt"))
    if who:
        context.load_cert_chain(place / f"{who}.crt", place / f"{who}.key")
    if alpn:
        context.set_alpn_protocols(list(alpn))
    return context.wrap_socket(plain(port), server_hostname="localhost")


def said(sock: socket.socket, *content: bytes) -> socket.socket:
    """The connection after something was sent over it; the other side may have closed it."""
    try:
        for one in content:
            sock.sendall(one)
    except OSError:
        pass
    return sock


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    return struct.pack(">I", len(content))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + content


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)


def field(name: bytes, value: bytes) -> bytes:
    """A field of HPACK as a literal with a new name; lengths up to 126 + 127."""
    return b"\0" + b"".join(
        bytes([len(text)]) + text if len(text) < 127 else bytes([127, len(text) - 127]) + text
        for text in (name, value)
    )


HEADERS = (
    field(b":method", b"POST")
    + field(b":scheme", b"https")
    + field(b":path", METHOD.encode())
    + field(b":authority", b"localhost")
)
GRPC = field(b"content-type", b"application/grpc") + field(b"te", b"trailers")


def reset(sock: socket.socket) -> socket.socket:
    """The connection is cut by a RST, in whatever state it is."""
    raw = sock
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()
    return raw


ODD: dict[str, Client] = {
    "a silent one": lambda port, place: plain(port),
    "half a handshake": lambda port, place: said(plain(port), HELLO),
    "half a handshake, then a RST": lambda port, place: reset(said(plain(port), HELLO)),
    "plain HTTP/1": lambda port, place: said(plain(port), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "plain HTTP/2": lambda port, place: said(plain(port), PREFACE + frame(1, 4, 1, HEADERS + GRPC)),
    "noise": lambda port, place: said(plain(port), os.urandom(5000)),
    "no ALPN": lambda port, place: said(secured(port, place, ()), PREFACE),
    "ALPN of HTTP/1": lambda port, place: said(secured(port, place, ("http/1.1",)), b"GET / HTTP/1.1\r\n\r\n"),
    "noise behind the handshake": lambda port, place: said(secured(port, place), os.urandom(5000)),
    "an open call": lambda port, place: said(secured(port, place), PREFACE, frame(1, 4, 1, HEADERS + GRPC)),
    "half a message": lambda port, place: said(
        secured(port, place), PREFACE, frame(1, 4, 1, HEADERS + GRPC), frame(0, 0, 1, b"\0\0\1\0\0half")
    ),
    "a RST in the middle of a call": lambda port, place: reset(
        said(secured(port, place), PREFACE, frame(1, 4, 1, HEADERS + GRPC), frame(0, 0, 1, b"\0\0\1\0\0half"))
    ),
    "a message of four gigabytes": lambda port, place: said(
        secured(port, place), PREFACE, frame(1, 4, 1, HEADERS + GRPC), frame(0, 0, 1, b"\0\xff\xff\xff\xff")
    ),
    "huge headers": lambda port, place: said(
        secured(port, place), PREFACE, frame(1, 0, 1, HEADERS + GRPC), *(frame(9, 0, 1, field(b"x", b"y" * 200) * 70) for _ in range(20))
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of the server and its clients; in `other` those of an authority that nobody trusts."""
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "other").mkdir()
    certificates(folder)
    certificates(folder / "other")
    return folder


def served(server: Server, place: Path) -> bool:
    """Whether a proper newcomer gets a call through."""
    names = ("ca.crt", "client.key", "client.crt")
    known = grpc.ssl_channel_credentials(*((place / name).read_bytes() for name in names))
    with grpc.secure_channel(f"localhost:{server.port}", known) as channel:
        try:
            call: Any = channel.unary_unary(METHOD)
            call(request(SELECT, "apply-presets"), timeout=MOST)
        except grpc.RpcError:
            return False
    return True


def running(place: Path) -> tuple[str, ...]:
    names = (("--tls-cert", "server.crt"), ("--tls-key", "server.key"), ("--tls-client-ca", "ca.crt"))
    flags = [word for flag, name in names for word in (flag, str(place / name))]
    return ("--host", "127.0.0.1", "--workers", "1", "--idle", "2", *flags)


@pytest.mark.linux
def test_odd_clients(place: Path) -> None:
    """Many of each kind: a proper client is served beside them and after them, and their descriptors come back."""
    with serving(*running(place)) as server:
        assert served(server, place)
        before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        for kind, connect in ODD.items():
            clients = []
            try:
                for _ in range(CLIENTS):
                    clients.append(connect(server.port, place))
                assert served(server, place), kind
            finally:
                for one in clients:
                    one.close()
            assert served(server, place), kind
            until(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) <= before + 3)
        code, log = server.stop()

    assert code == 0
    assert len(log) < LOG and "Traceback" not in log, log


@pytest.mark.parametrize("who", ["nobody", "other/client"])
def test_clients_that_are_not_known(place: Path, who: str) -> None:
    """Without a certificate, or with one of another authority, no call comes through; TLS 1.3 may say so only at the first read."""
    with serving(*running(place)) as server:
        for _ in range(CLIENTS):
            try:
                with secured(server.port, place, who="" if who == "nobody" else who) as sock:
                    sock.settimeout(MOST)
                    said(sock, PREFACE, frame(1, 4, 1, HEADERS + GRPC))
                    while answer := sock.recv(1000):
                        assert answer[3:4] != b"\1"  # no headers of an answer
            except OSError:
                continue
        assert served(server, place)
        code, log = server.stop()

    assert code == 0
    assert len(log) < LOG and "Traceback" not in log, log
