"""Start and stop the evaluator: port, workers, signals."""

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

from krmkit.krm.errors import Refused
from krmkit.services.certificates import Certificates
from krmkit.services.evaluator.pool import WorkerPool
from krmkit.services.evaluator.service import EVALUATOR, Evaluator, Health
from krmkit.services.listening import stop_event
from krmkit.services.settings import ServiceSettings

_KEEPALIVE = 60_000  # milliseconds after which a silent client is pinged

_HANDSHAKE = 5_000  # milliseconds for the handshake


@dataclass(slots=True)
class EvaluatorSettings:
    """Settings of the server: those of every service, and its own.

    - `queue`: the most waiting callers. `message_limit`: bytes of a message. `timeout`: seconds of a run.
    - `forward`: the address of the function runner for other images, or "".
    - `idle`: seconds that a connection may be without a call.
    - `memory`: bytes of a worker. `recycle`: after so many calls it is replaced.
    - `reflection`: offer gRPC reflection. `registries`: more registries that hold the catalog's images.
    """

    service: ServiceSettings
    queue: int
    message_limit: int
    timeout: float
    forward: str
    idle: float
    memory: int
    recycle: int
    reflection: bool
    registries: tuple[str, ...] = ()


def serve(settings: EvaluatorSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises Refused."""
    asyncio.run(_serve(settings))


async def _serve(settings: EvaluatorSettings) -> None:
    stopping = stop_event()
    pool = WorkerPool(
        settings.service.workers, settings.queue, settings.timeout, settings.memory, settings.recycle
    )
    health = Health()
    sizes = [
        ("grpc.max_receive_message_length", settings.message_limit),
        ("grpc.max_send_message_length", settings.message_limit),
    ]
    # A second server on one port is a mistake.
    server = grpc.aio.server(options=[*sizes, ("grpc.so_reuseport", 0), *_connections(settings)])
    forward = grpc.aio.insecure_channel(settings.forward, options=sizes) if settings.forward else None
    evaluator = Evaluator(pool, settings.message_limit, forward, settings.registries)
    server.add_generic_rpc_handlers((evaluator.handler(),))
    add_HealthServicer_to_server(health, server)
    await health.start()
    if settings.reflection:
        names = (EVALUATOR, SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    address = f"{settings.service.host}:{settings.service.port}"
    try:
        credentials = _credentials(settings)
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError:
        raise Refused(
            f"cannot listen on {address}: is the address this machine's, and is the port free?"
        ) from None
    try:
        await pool.start()
    except OSError as error:
        raise Refused(f"cannot start a worker: {error}") from None
    await server.start()
    print(
        f"krmkit evaluator: {settings.service.workers} workers, listening on {settings.service.host}:{port}",
        flush=True,
    )
    await stopping.wait()
    await health.leave()
    # A second signal stops without the grace.
    stopping.clear()
    stopped = asyncio.create_task(server.stop(settings.service.grace))
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
    """Return options that close the connections of idle or vanished clients."""
    return [
        ("grpc.max_connection_idle_ms", max(int(settings.idle * 1000), 1)),
        ("grpc.max_allowed_incoming_connections", settings.service.connections),
        # A client that does not begin TLS and HTTP/2 in time loses its connection.
        ("grpc.server_handshake_timeout_ms", _HANDSHAKE),
        ("grpc.keepalive_time_ms", _KEEPALIVE),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE // 3),
        # For newer versions of gRPC, which would otherwise wait a minute for the answer to a ping.
        ("grpc.http2.ping_timeout_ms", _KEEPALIVE // 3),
        # Clients may ping as often without a call; more often counts as an attack.
        ("grpc.http2.min_ping_interval_without_data_ms", _KEEPALIVE // 6),
    ]


def _credentials(settings: EvaluatorSettings) -> grpc.ServerCredentials | None:
    """Return the certificates to serve with, None without TLS. Raises Refused."""
    certificates = settings.service.certificates("--tls-client-ca")
    if certificates is None:
        return None
    renewed = _RenewedCertificates(certificates)
    fetch: Any = renewed  # the types of grpcio leave out None, which means no change
    return grpc.dynamic_ssl_server_credentials(
        renewed.configuration(), fetch, require_client_authentication=bool(settings.service.client_ca)
    )


class _RenewedCertificates:
    """Return the new configuration if files changed, else None; gRPC calls this at each handshake."""

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
            except Refused as error:
                if str(error) != self._bad:  # tried again each time, reported once
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
