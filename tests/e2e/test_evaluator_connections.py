"""Who may connect to the evaluator, and how many at a time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from socket import create_connection
from typing import Any

import pytest

pytest.importorskip(
    "grpc", reason="grpcio is not installed; the extra `serve` and requirements/dev.txt have it"
)

import grpc

from tests.e2e.porch import Caller
from tests.e2e.test_evaluator import SELECT, Server, children, serving, workers_of
from tests.waiting import MOST, until

pytestmark = pytest.mark.slow


def certificates(folder: Path) -> None:
    """An authority, and certificates of it for localhost and for a client."""
    for name, extra in (
        ("ca", ["-x509"]),
        ("server", ["-x509", "-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost"]),
        ("client", ["-x509", "-CA", "ca.crt", "-CAkey", "ca.key"]),
    ):
        command = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        subprocess.run(
            [*command, *extra, "-keyout", f"{name}.key", "-out", f"{name}.crt"],
            cwd=folder,
            check=True,
            capture_output=True,
        )


def reached(port: int, credentials: grpc.ChannelCredentials | None) -> bool:
    """Whether a client gets an answer."""
    address = f"localhost:{port}"
    channel = (
        grpc.insecure_channel(address) if credentials is None else grpc.secure_channel(address, credentials)
    )
    with channel:
        try:
            check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
            check(b"", timeout=MOST)
        except grpc.RpcError:
            return False
        return True


def test_tls(tmp_path: Path) -> None:
    """With a certificate the port is encrypted; with an authority for clients only its clients are served."""
    certificates(tmp_path)
    ca, key, crt = (
        (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b""
        for name in ("ca.crt", "client.key", "client.crt")
    )
    anybody = grpc.ssl_channel_credentials(ca)
    client = grpc.ssl_channel_credentials(ca, key, crt)
    flags = ["--host", "127.0.0.1", "--workers", "1", "--tls-cert", f"{tmp_path}/server.crt"]
    flags += ["--tls-key", f"{tmp_path}/server.key"]

    with serving(*flags) as server:
        assert [reached(server.port, one) for one in (None, anybody, client)] == [False, True, True]
    with serving(*flags, "--tls-client-ca", f"{tmp_path}/ca.crt") as server:
        assert [reached(server.port, one) for one in (None, anybody, client)] == [False, False, True]


def test_certificates_are_loaded_again(tmp_path: Path) -> None:
    """After a change of --tls-client-ca clients of the old authority are refused; what cannot be used leaves the old one."""
    certificates(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    certificates(other)
    authority = (tmp_path / "ca.crt").read_bytes()
    both = [
        grpc.ssl_channel_credentials(
            authority, (place / "client.key").read_bytes(), (place / "client.crt").read_bytes()
        )
        for place in (tmp_path, other)
    ]
    clients = tmp_path / "clients.crt"
    clients.write_bytes(authority)
    flags = ["--host", "127.0.0.1", "--workers", "1", "--tls-cert", f"{tmp_path}/server.crt"]
    flags += ["--tls-key", f"{tmp_path}/server.key", "--tls-client-ca", str(clients)]

    with serving(*flags) as server:
        assert [reached(server.port, one) for one in both] == [True, False]
        clients.write_bytes(b"")
        assert [reached(server.port, one) for one in both] == [True, False]
        (other / "ca.crt").replace(clients)
        assert [reached(server.port, one) for one in both] == [False, True]

        server.process.send_signal(signal.SIGTERM)
        said = server.process.communicate()[1].splitlines()
    ours = [line.split(": ")[1] for line in said if line.startswith("krmkit evaluator: ")]
    assert ours == ["the old certificate stays", "the certificate was loaded again"]


@pytest.mark.linux
def test_idle_connections() -> None:
    """Clients that are connected and call nothing keep nobody out: they are refused, or closed after a while."""
    with serving("--workers", "1", "--max-connections", "20", "--idle", "1") as server:
        idle = [create_connection(("127.0.0.1", server.port)) for _ in range(60)]
        try:
            until(lambda: reached(server.port, None))
            if children(server.process) is not None:
                assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 60
        finally:
            for one in idle:
                one.close()


def test_silent_connections() -> None:
    """Clients that never begin give their places back long before --idle, and newcomers are served."""
    with serving("--workers", "1", "--max-connections", "20", "--idle", "3600") as server:
        held = [create_connection(("127.0.0.1", server.port)) for _ in range(300)]
        try:
            until(lambda: reached(server.port, None), most=50)  # gRPC's own time for that is two minutes
        finally:
            for one in held:
                one.close()


@pytest.mark.linux
def test_flags_of_workers() -> None:
    """A worker may have --worker-memory, and another takes its place after --recycle calls."""
    flags = ("--workers", "1", "--worker-memory", "900", "--recycle", "2")
    with serving(*flags) as server, Caller(server.port) as caller:
        (first,) = workers_of(server)
        limits = Path(f"/proc/{first}/limits").read_text()
        assert re.search(rf"Max address space +{900 << 20} +{900 << 20} ", limits)

        assert [caller.evaluate("apply-presets", SELECT).code for _ in range(3)] == ["OK"] * 3
        assert first not in workers_of(server)
        assert server.stop() == (0, "")


def connections(server: Server) -> int:
    """Connections that the server keeps up."""
    tables = [path for path in map(Path, ("/proc/net/tcp", "/proc/net/tcp6")) if path.is_file()]
    assert tables
    lines = [line.split() for path in tables for line in path.read_text("ascii").splitlines()[1:]]
    port, established = f":{server.port:04X}", "01"
    return sum(local.endswith(port) and state == established for _, local, _, state, *_ in lines)


IMPATIENT = """
import sys
from krmkit.cli import main
from krmkit.services.evaluator import server
server._KEEPALIVE = 300
sys.exit(main(sys.argv[1:]))
"""
WATCHER = """
import sys, grpc
watch = grpc.insecure_channel("127.0.0.1:" + sys.argv[1]).unary_stream("/grpc.health.v1.Health/Watch")(b"", timeout=600)
next(watch)
print("watches", flush=True)
try:
    next(watch)
except grpc.RpcError as error:
    print(error.code().name)
"""


@pytest.mark.linux
def test_a_client_that_is_gone_without_a_word() -> None:
    """It has an open stream and answers nothing any more: its connection ends, as one without calls would after --idle."""
    with serving("--workers", "1", program=("-c", IMPATIENT)) as server:
        client = subprocess.Popen(
            [sys.executable, "-c", WATCHER, str(server.port)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert client.stdout is not None
            assert client.stdout.readline() == "watches\n"
            client.send_signal(signal.SIGSTOP)
            # It may have been silent for too long before, on a machine that had no time for it.
            until(lambda: connections(server) == 0, most=60)
            client.send_signal(signal.SIGCONT)

            assert client.communicate(timeout=MOST)[0] == "UNAVAILABLE\n"
        finally:
            client.kill()
            client.communicate()


@pytest.mark.linux
def test_more_connections_than_descriptors() -> None:
    """1,500 idle clients against 1,024 descriptors: who is connected is served all the time, newcomers after --idle."""
    resource = pytest.importorskip("resource", reason="this system has no limits on descriptors")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip(f"this test needs 2,048 descriptors, and the system gives {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    idle = []
    try:
        with serving("--workers", "1", "--idle", "2") as server, Caller(server.port) as early:
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            assert early.evaluate("apply-presets", SELECT).code == "OK"
            for number in range(1500):
                idle.append(create_connection(("127.0.0.1", server.port)))
                if number % 300 == 0:
                    assert early.evaluate("apply-presets", SELECT).code == "OK"
            assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 1000

            def newcomer_is_served() -> bool:
                assert early.evaluate("apply-presets", SELECT).code == "OK"
                return reached(server.port, None)

            until(newcomer_is_served)
            with Caller(server.port) as late:
                assert late.evaluate("apply-presets", SELECT).code == "OK"
            assert server.stop() == (0, "")
    finally:
        for one in idle:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
