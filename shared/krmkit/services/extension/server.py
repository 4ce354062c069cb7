"""Starts the server of extensions and stops it: port, workers, certificates, reloads, signals."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypercorn.asyncio import run as hypercorn_run
from hypercorn.asyncio import serve as hypercorn_serve

from krmkit.clusterapi.hooks.extensionconfig import hook_path
from krmkit.clusterapi.hooks.extensions import GENERATE_PATCHES
from krmkit.services.bounded import BoundedListener, SeldomLine, possible_connections
from krmkit.services.certificates import CertificateError, Certificates
from krmkit.services.evaluator.frames import CALL
from krmkit.services.evaluator.pool import DiedError, WorkerPool, WorkerProcess
from krmkit.services.extension.app import App
from krmkit.services.extension.connections import Connection, ServerConfig
from krmkit.services.extension.fairpool import FairPool
from krmkit.services.extension.live import GROUP, VERSION
from krmkit.services.extension.metrics import Metrics
from krmkit.services.extension.sources import ExtensionError, fingerprint, load, module_files, read
from krmkit.services.extension.worker import PROGRAM
from krmkit.services.listening import listen, set_up, stop_event

LABEL = "krmkit topology-extension"
_CANCEL_AFTER = 5.0  # seconds after the grace until hypercorn cancels what has not ended by itself


@dataclass(slots=True)
class ServerSettings:
    """How to serve. Without a certificate the port speaks plain HTTP, which only loopback addresses may."""

    paths: list[str]
    modules: list[str]
    host: str
    port: int
    metrics_port: int
    certificate: str
    key: str
    client_ca: str
    workers: int
    grace: float
    log: bool
    connections: int = 512
    queue: int = 256
    timeout: float = 30.0
    poll: float = 1.0


def serve(settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises ExtensionError."""
    asyncio.run(_Server(settings).run())


async def _stopped(stopping: asyncio.Event, app: App) -> None:
    await stopping.wait()
    app.ready = False


async def _warn(pool: WorkerPool) -> None:
    """Say which handlers have a failurePolicy that rolls machines while the server cannot be reached."""
    with suppress(DiedError, TimeoutError, ValueError):
        answer = json.loads((await pool.run(hook_path(GROUP, VERSION, "Discovery"), b"{}")).output)
        for handler in answer.get("handlers") or []:
            if (
                handler["requestHook"]["hook"] == GENERATE_PATCHES
                and handler.get("failurePolicy") == "Ignore"
            ):
                print(
                    f"{LABEL}: warning: {handler['name']} has failurePolicy Ignore: while this server cannot be reached, templates"
                    " lose its patches, so machines roll, and roll again afterwards",
                    file=sys.stderr,
                    flush=True,
                )


async def _cut_after_grace(stopping: asyncio.Event, grace: float) -> None:
    """End the connections that are still open when the grace is over.

    Hypercorn cancels their tasks then, which wait for their clients all the same, and newer versions of asyncio wait for open connections
    before that.
    """
    await stopping.wait()
    await asyncio.sleep(grace)
    for connection in list(Connection.open):
        connection.cut()


class _Server:
    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._watched = [*settings.paths, *module_files(settings.modules, os.getcwd())]
        self._metrics = Metrics()
        self._bad_certificate = ""

    async def run(self) -> None:
        settings = self._settings
        config = self._config()
        stopping = stop_event()
        seen = fingerprint(self._watched)
        pool = await self._pool()
        app = App(pool, self._metrics, log=settings.log)
        self._metrics.reload("extensions", True)
        gc.freeze()
        watch = asyncio.create_task(self._watch(app, config.certificates, seen))
        try:
            metrics_port = self._metrics.listen(settings.host, settings.metrics_port)
        except OSError as error:
            await pool.stop()
            raise ExtensionError(f"cannot listen on port {settings.metrics_port}: {error.strerror}") from None
        print(
            f"{LABEL}: {settings.workers} workers, listening on {settings.host}:{self._port}, metrics on port {metrics_port}",
            flush=True,
        )
        vars(hypercorn_run)["TCPServer"] = Connection  # there is no setting for it
        application: Any = app  # its messages are plain dicts
        end = asyncio.create_task(_cut_after_grace(stopping, settings.grace))
        await hypercorn_serve(application, config, shutdown_trigger=partial(_stopped, stopping, app))
        end.cancel()
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await app.pool.stop()

    def _config(self) -> ServerConfig:
        settings = self._settings
        config = ServerConfig()
        if settings.certificate or settings.key or settings.client_ca:
            if not settings.certificate or not settings.key:
                raise ExtensionError("--tls-cert and --tls-key belong together, and --client-ca needs both")
            try:
                config.certificates = Certificates(settings.certificate, settings.key, settings.client_ca)
            except CertificateError as error:
                raise ExtensionError(str(error)) from None
        elif settings.host not in ("127.0.0.1", "::1", "localhost"):
            raise ExtensionError("--tls-cert and --tls-key are needed: Cluster API calls over https only")
        try:
            listener = listen(settings.host, settings.port)
        except OSError as error:
            raise ExtensionError(
                f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
            ) from None
        self._port = listener.getsockname()[1]
        most = possible_connections(settings.connections)
        config.listener = BoundedListener.of(listener, most, LABEL)
        config.broken = SeldomLine(LABEL)
        set_up(config, settings.grace + _CANCEL_AFTER)
        config.keep_alive_timeout = 120.0
        # At its limit hypercorn closes a connection of HTTP/2 under the calls that run on it.
        config.keep_alive_max_requests = 1 << 30
        config.read_timeout = 60
        config.h2_max_inbound_frame_size = 1 << 20
        return config

    async def _pool(self) -> WorkerPool:
        """Workers with the extensions as they are now. Raises ExtensionError."""
        settings = self._settings
        content = read(settings.paths, settings.modules)
        if not settings.modules:
            load(content)  # says all that is wrong, without a process
        setup = CALL.pack(0, len(content)) + content
        begin = partial(WorkerProcess.start, PROGRAM, setup)
        pool = FairPool(settings.workers, settings.queue, settings.timeout, begin, LABEL)
        try:
            await pool.start()
        except (OSError, DiedError) as error:
            raise ExtensionError(f"cannot start a worker: {error}") from None
        await _warn(pool)
        return pool

    async def _watch(self, app: App, certificates: Certificates | None, seen: object) -> None:
        """Look for changed files, and take them in where they are good."""
        while True:
            await asyncio.sleep(self._settings.poll)
            # A TLS connection that ended is a cycle with large buffers, of few objects that the collector counts.
            gc.collect()
            await self._reload_certificates(certificates)
            now = fingerprint(self._watched)
            if now == seen:
                continue
            seen = now
            try:
                new = await self._pool()
            except ExtensionError as error:
                self._metrics.reload("extensions", False)
                print(f"{LABEL}: the old extensions stay: {error}", file=sys.stderr, flush=True)
                continue
            old, app.pool = app.pool, new
            while app.running.get(old):
                await asyncio.sleep(0.02)
            await old.stop()
            self._metrics.reload("extensions", True)
            print(f"{LABEL}: the extensions were loaded again", file=sys.stderr, flush=True)

    async def _reload_certificates(self, certificates: Certificates | None) -> None:
        if certificates is None:
            return
        authority = certificates.authority
        try:
            if certificates.reload():
                self._metrics.reload("certificate", True)
                print(f"{LABEL}: the certificate was loaded again", file=sys.stderr, flush=True)
            self._bad_certificate = ""
        except CertificateError as error:
            # Tried again each time, since a second file may be on its way; said once.
            if str(error) != self._bad_certificate:
                self._bad_certificate = str(error)
                self._metrics.reload("certificate", False)
                print(f"{LABEL}: the old certificate stays: {error}", file=sys.stderr, flush=True)
        if certificates.authority != authority:
            for connection in list(Connection.open):
                await connection.leave_untrusted()
