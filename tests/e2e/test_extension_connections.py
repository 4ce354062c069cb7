"""Who stays connected to the server of extensions: after its authority changed, and after SIGTERM."""

from __future__ import annotations

import shutil
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection

from tests.e2e.extensionserver import (
    BASE,
    Server,
    make_certificate,
    make_certificates,
    mirror_extension,
    post,
)
from tests.waiting import MOST, until

pytestmark = pytest.mark.slow

DISCOVERY = f"POST {BASE}discovery HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n".encode()
WORDS = (
    "--tls-cert",
    "server.crt",
    "--tls-key",
    "server.key",
    "--client-ca",
    "clients.crt",
    "--workers",
    "2",
)
GRACE = 2.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Certificates, an extension, and `clients.crt`, the authority of clients."""
    (tmp_path / "extension.yaml").write_text(mirror_extension("mirror"), "utf-8")
    make_certificates(tmp_path)
    shutil.copy(tmp_path / "ca.crt", tmp_path / "clients.crt")
    return tmp_path


@pytest.fixture
def secure(folder: Path) -> Iterator[Server]:
    with Server(folder, "extension.yaml", *WORDS, "--grace", f"{GRACE:g}") as server:
        yield server


def context(folder: Path, client: str, *protocols: str) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    made.load_cert_chain(folder / f"{client}.crt", folder / f"{client}.key")
    made.set_alpn_protocols(list(protocols))
    return made


def connected(server: Server, made: ssl.SSLContext, session: ssl.SSLSession | None = None) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=MOST)
    return made.wrap_socket(plain, server_hostname="localhost", session=session)


def answered(open_connection: ssl.SSLSocket) -> bytes:
    """The status line of the answer to a call over HTTP/1.1; the answer is read whole."""
    open_connection.sendall(DISCOVERY + b"{}")
    text = b""
    while not text.endswith(b"}]}"):
        part = open_connection.recv(65536)
        assert part, "the server closed the connection"
        text += part
    return text.partition(b"\r\n")[0].strip()


def is_served(server: Server, folder: Path, client: str) -> bool:
    try:
        return post(server.connection(folder, client), "discovery")[0] == 200
    except OSError:
        return False


def resumes(server: Server, made: ssl.SSLContext, session: ssl.SSLSession | None) -> bool:
    """Whether a client with a session of before gets an answer."""
    try:
        with connected(server, made, session) as back:
            back.sendall(DISCOVERY + b"{}")
            return back.recv(1) != b""
    except OSError:
        return False


def change_authority(folder: Path) -> None:
    shutil.copy(folder / "other.crt", folder / "fresh")
    (folder / "fresh").replace(folder / "clients.crt")


def test_an_old_authority_is_trusted_no_more(secure: Server, folder: Path) -> None:
    """After a change of --client-ca only clients of the new authority are let in, whatever session the others bring along."""
    made = context(folder, "client", "http/1.1")
    made.maximum_version = ssl.TLSVersion.TLSv1_2  # which gives the session at once
    with connected(secure, made) as first:
        session = first.session
    assert resumes(secure, made, session)
    assert is_served(secure, folder, "client")

    change_authority(folder)
    until(lambda: is_served(secure, folder, "stranger"))

    assert not is_served(secure, folder, "client")
    assert not resumes(secure, made, session)


@pytest.mark.parametrize("protocol", ["http/1.1", "h2"])
def test_open_connections_of_an_old_authority_end(secure: Server, folder: Path, protocol: str) -> None:
    """A client that is connected already may not stay for as long as it likes."""
    with connected(secure, context(folder, "client", protocol)) as kept:
        if protocol == "h2":
            client = H2Connection(H2Configuration(client_side=True))
            client.initiate_connection()
            kept.sendall(client.data_to_send())
        else:
            assert answered(kept) == b"HTTP/1.1 200"

        change_authority(folder)

        until(lambda: is_served(secure, folder, "stranger"))
        try:
            while kept.recv(65536):
                pass
        except ConnectionError:
            pass


def test_a_new_certificate_ends_no_connection(secure: Server, folder: Path) -> None:
    """The authority is the same, so who is in stays in."""
    with connected(secure, context(folder, "client", "http/1.1")) as kept:
        assert answered(kept) == b"HTTP/1.1 200"
        before = secure.errors.read_text("utf-8").count("loaded again")
        (folder / "place").mkdir()
        for name in ("ca.crt", "ca.key"):
            shutil.copy(folder / name, folder / "place")
        make_certificate(folder / "place", "server", "ca")
        for name in ("server.key", "server.crt"):
            (folder / "place" / name).replace(folder / name)
        until(lambda: secure.errors.read_text("utf-8").count("loaded again") > before)

        assert answered(kept) == b"HTTP/1.1 200"


def test_an_unusable_authority_leaves_the_old_one(secure: Server, folder: Path) -> None:
    """An empty file must neither let everybody in nor lock everybody out."""
    (folder / "clients.crt").write_text("", "utf-8")
    until(
        lambda: (
            "the old certificate stays: cannot check clients with clients.crt"
            in secure.errors.read_text("utf-8")
        )
    )

    assert is_served(secure, folder, "client")
    assert not is_served(secure, folder, "stranger")


def open_stream(server: Server, folder: Path) -> ssl.SSLSocket:
    """A connection of HTTP/2 with a call whose body never comes."""
    kept = connected(server, context(folder, "client", "h2"))
    client = H2Connection(H2Configuration(client_side=True))
    client.initiate_connection()
    headers = {":method": "POST", ":scheme": "https", ":authority": "localhost", ":path": f"{BASE}discovery"}
    client.send_headers(1, list(headers.items()))
    kept.sendall(client.data_to_send())
    return kept


def half_body(server: Server, folder: Path) -> ssl.SSLSocket:
    """A call whose body never comes whole."""
    kept = connected(server, context(folder, "client", "http/1.1"))
    kept.sendall(DISCOVERY + b"{")
    return kept


def unread_answers(server: Server, folder: Path) -> ssl.SSLSocket:
    """Frames that the server has to answer, and nobody who reads the answers."""
    kept = connected(server, context(folder, "client", "h2"))
    client = H2Connection(H2Configuration(client_side=True))
    client.initiate_connection()
    kept.settimeout(0.5)
    try:
        for _ in range(2000):
            for _ in range(200):
                client.ping(b"12345678")
            kept.sendall(client.data_to_send())
    except OSError:
        pass  # the server reads no more
    return kept


def silent(server: Server, folder: Path) -> socket.socket:
    """A connection without a word, not even of TLS."""
    return socket.create_connection(("127.0.0.1", server.port))


@pytest.mark.parametrize("hold", [open_stream, half_body, unread_answers, silent])
@pytest.mark.parametrize("stays", [True, False], ids=["stays", "left"])
def test_nobody_keeps_the_server_from_ending(
    secure: Server, folder: Path, hold: Callable[[Server, Path], socket.socket], stays: bool
) -> None:
    """SIGTERM ends it when the grace is over, with exit code 0 and without a traceback."""
    held = hold(secure, folder)
    time.sleep(0.3)  # what was sent arrives
    if not stays:
        held.close()
    secure.process.terminate()

    assert secure.process.wait(MOST) == 0
    assert "Traceback" not in secure.errors.read_text("utf-8")
    held.close()
