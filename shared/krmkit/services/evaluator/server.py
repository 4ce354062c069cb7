"""Starts the evaluator and stops it: port, workers, signals."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from threading import Lock
from typing import Any

import grpc
from grpc_health.v1.health import SERVICE_NAME
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection

from krmkit.services.certificates import CertificateError, Certificates
from krmkit.services.evaluator.pool import DiedError, WorkerPool
from krmkit.services.evaluator.service import EVALUATOR, Evaluator, Health
from krmkit.services.listening import stop_event

_KEEPALIVE = 60_000  # milliseconds after which a silent client is asked whether it is there

_HANDSHAKE = 5_000  # milliseconds that a client has to begin


@dataclass(slots=True)
class EvaluatorSettings:
    """How to serve: where (`host`, `port`; 0: any that is free), with how many processes, how many callers in line, the limit for
    messages in bytes, how many seconds a run may take and how many running calls have to end when the server stops, and the address
    of the function runner that is asked about images of other functions ("": none).

    `idle` is how many seconds a connection may be without a call, `connections` how many there may be, `memory` how many bytes a worker
    may have, `recycle` after how many calls it is replaced. `certificate`, `key` and `client_ca` are PEM files: with the first two the
    port is encrypted, with the third only clients with a certificate of it are served. With `reflection` the port tells
    what it offers."""

    host: str
    port: int
    workers: int
    queue: int
    message_limit: int
    timeout: float
    grace: float
    forward: str
    idle: float
    connections: int
    memory: int
    recycle: int
    reflection: bool
    certificate: str
    key: str
    client_ca: str


class ServeError(Exception):
    """The server cannot start; the message says why."""


def serve(settings: EvaluatorSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises ServeError."""
    asyncio.run(_serve(settings))


async def _serve(settings: EvaluatorSettings) -> None:
    stopping = stop_event()
    pool = WorkerPool(settings.workers, settings.queue, settings.timeout, settings.memory, settings.recycle)
    health = Health()
    sizes = [
        ("grpc.max_receive_message_length", settings.message_limit),
        ("grpc.max_send_message_length", settings.message_limit),
    ]
    # A second server on one port is a mistake.
    server = grpc.aio.server(options=[*sizes, ("grpc.so_reuseport", 0), *_connections(settings)])
    forward = grpc.aio.insecure_channel(settings.forward, options=sizes) if settings.forward else None
    evaluator = Evaluator(pool, settings.message_limit, forward)
    server.add_generic_rpc_handlers((evaluator.handler(),))
    add_HealthServicer_to_server(health, server)
    await health.start()
    if settings.reflection:
        names = (EVALUATOR, SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    address = f"{settings.host}:{settings.port}"
    try:
        credentials = _credentials(settings)
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError:
        raise ServeError(
            f"cannot listen on {address}: is the address this machine's, and is the port free?"
        ) from None
    try:
        await pool.start()
    except (OSError, DiedError) as error:
        raise ServeError(f"cannot start a worker: {error}") from None
    await server.start()
    print(f"krmkit evaluator: {settings.workers} workers, listening on {settings.host}:{port}", flush=True)
    await stopping.wait()
    await health.leave()
    # Who is in a hurry signals twice.
    stopping.clear()
    stopped = asyncio.create_task(server.stop(settings.grace))
    hurry = asyncio.create_task(stopping.wait())
    await asyncio.wait({stopped, hurry}, return_when=asyncio.FIRST_COMPLETED)
    if not stopped.done():
        print("krmkit evaluator: calls are cut off", file=sys.stderr)
        await server.stop(None)
    hurry.cancel()
    await stopped
    await pool.stop()
    if forward is not None:
        await forward.close()


def _connections(settings: EvaluatorSettings) -> list[tuple[str, int]]:
    """Options that keep clients without calls, or gone without a word, from holding the server's connections."""
    return [
        ("grpc.max_connection_idle_ms", max(int(settings.idle * 1000), 1)),
        ("grpc.max_allowed_incoming_connections", settings.connections),
        # Who does not say a word of TLS and HTTP/2 soon gives its place to others.
        ("grpc.server_handshake_timeout_ms", _HANDSHAKE),
        ("grpc.keepalive_time_ms", _KEEPALIVE),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE // 3),
        # What newer versions of gRPC go by: without it they would wait for the answer for a minute.
        ("grpc.http2.ping_timeout_ms", _KEEPALIVE // 3),
        # Clients may ask as often while nothing is called; more often is taken for an attack.
        ("grpc.http2.min_ping_interval_without_data_ms", _KEEPALIVE // 6),
    ]


def _credentials(settings: EvaluatorSettings) -> grpc.ServerCredentials | None:
    """The certificates to serve with, None for a port without. Raises ServeError."""
    if not settings.certificate and not settings.key and not settings.client_ca:
        return None
    if not settings.certificate or not settings.key:
        raise ServeError("--tls-cert and --tls-key belong together, and --tls-client-ca needs both")
    try:
        renewed = _RenewedCertificates(Certificates(settings.certificate, settings.key, settings.client_ca))
    except CertificateError as error:
        raise ServeError(str(error)) from None
    fetch: Any = renewed  # the types of grpcio leave out None, which means no change
    return grpc.dynamic_ssl_server_credentials(
        renewed.configuration(), fetch, require_client_authentication=bool(settings.client_ca)
    )


class _RenewedCertificates:
    """What gRPC asks before each handshake, from threads of its own: the new configuration if files changed, else None."""

    def __init__(self, certificates: Certificates) -> None:
        self._certificates = certificates
        self._lock = Lock()
        self._bad = ""

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        latest = self._certificates
        return grpc.ssl_server_certificate_configuration(
            [(latest.key, latest.certificate)], root_certificates=latest.authority or None
        )

    def __call__(self) -> grpc.ServerCertificateConfiguration | None:
        with self._lock:
            try:
                changed = self._certificates.reload()
            except CertificateError as error:
                if str(error) != self._bad:  # tried again each time, said once
                    self._bad = str(error)
                    print(
                        f"krmkit evaluator: the old certificate stays: {error}", file=sys.stderr, flush=True
                    )
                return None
            self._bad = ""
            if not changed:
                return None
            print("krmkit evaluator: the certificate was loaded again", file=sys.stderr, flush=True)
            return self.configuration()
