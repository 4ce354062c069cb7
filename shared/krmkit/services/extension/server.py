"""Start and stop the extension server: port, workers, certificates, reloads, signals."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from krmkit.krm.errors import Refused
from krmkit.services.bounded import BoundedListener, SeldomLine, possible_connections
from krmkit.services.certificates import Certificates
from krmkit.services.evaluator.frames import CALL
from krmkit.services.evaluator.pool import WorkerPool, WorkerProcess, start_task
from krmkit.services.extension.app import App
from krmkit.services.extension.connections import Connection, ServerConfig
from krmkit.services.extension.fairpool import FairPool
from krmkit.services.extension.live import GROUP, VERSION
from krmkit.services.extension.metrics import Metrics
from krmkit.services.extension.sources import fingerprint, load, module_files, read
from krmkit.services.extension.worker import PROGRAM
from krmkit.services.gracefulserver import OpenConnection, serve_until
from krmkit.services.listening import listen, set_up, stop_event
from krmkit.services.settings import ServiceSettings
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path
from krmkit.systems.clusterapi.model.extensions import GENERATE_PATCHES

LABEL = "krmkit topology-extension"
_CANCEL_AFTER = 5.0  # seconds after the grace until the remaining calls are cancelled


@dataclass(slots=True)
class ServerSettings:
    """Settings. Without a certificate the port is plain HTTP, which only loopback addresses may use."""

    paths: list[str]
    modules: list[str]
    service: ServiceSettings
    metrics_port: int
    log: bool
    queue: int = 256
    timeout: float = 30.0
    poll: float = 1.0


def serve(settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises Refused."""
    asyncio.run(_Server(settings).run())


async def _stopped(stopping: asyncio.Event, app: App) -> None:
    await stopping.wait()
    app.ready = False


async def _warn(pool: WorkerPool) -> None:
    """Warn about handlers whose failurePolicy rolls machines while the server cannot be reached."""
    with suppress(ChildProcessError, TimeoutError, ValueError):
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


class _Server:
    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._watched = [*settings.paths, *module_files(settings.modules, os.getcwd())]
        self._metrics = Metrics()
        self._bad_certificate = ""
        self._retiring: set[asyncio.Task[None]] = set()

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
            metrics_port = self._metrics.listen(settings.service.host, settings.metrics_port)
        except OSError as error:
            await pool.stop()
            raise Refused(f"cannot listen on port {settings.metrics_port}: {error.strerror}") from None
        print(
            f"{LABEL}: {settings.service.workers} workers, listening on {settings.service.host}:{self._port}, metrics on port {metrics_port}",
            flush=True,
        )
        await serve_until(
            app,
            config,
            stopping,
            settings.service.grace,
            _CANCEL_AFTER,
            trigger=partial(_stopped, stopping, app),
            connection=Connection,
        )
        for task in (watch, *self._retiring):
            task.cancel()
        await asyncio.gather(watch, *self._retiring, return_exceptions=True)
        await app.pool.stop()

    def _config(self) -> ServerConfig:
        settings = self._settings
        config = ServerConfig()
        config.certificates = settings.service.certificates("--client-ca")
        if config.certificates is None and settings.service.host not in ("127.0.0.1", "::1", "localhost"):
            raise Refused("--tls-cert and --tls-key are needed: Cluster API calls over https only")
        try:
            listener = listen(settings.service.host, settings.service.port)
        except OSError as error:
            raise Refused(
                f"cannot listen on {settings.service.host}:{settings.service.port}: {error.strerror}"
            ) from None
        self._port = listener.getsockname()[1]
        most = possible_connections(settings.service.connections)
        config.listener = BoundedListener.of(listener, most, LABEL)
        config.broken = SeldomLine(LABEL)
        set_up(config)
        config.keep_alive_timeout = 120.0
        # At its limit hypercorn closes a connection of HTTP/2 under the calls that run on it.
        config.keep_alive_max_requests = 1 << 30
        config.read_timeout = 60
        config.h2_max_inbound_frame_size = 1 << 20
        return config

    async def _pool(self) -> WorkerPool:
        settings = self._settings
        content = read(settings.paths, settings.modules)
        if not settings.modules:
            load(content)  # reports all errors, without a process
        setup = CALL.pack(0, len(content)) + content
        begin = partial(WorkerProcess.start, PROGRAM, setup)
        pool = FairPool(settings.service.workers, settings.queue, settings.timeout, begin, LABEL)
        try:
            await pool.start()
        except OSError as error:
            raise Refused(f"cannot start a worker: {error}") from None
        await _warn(pool)
        return pool

    async def _watch(self, app: App, certificates: Certificates | None, seen: object) -> None:
        while True:
            await asyncio.sleep(self._settings.poll)
            # An ended TLS connection is a cycle of few but large objects, and the collector counts objects.
            gc.collect()
            await self._reload_certificates(certificates)
            now = fingerprint(self._watched)
            if now == seen:
                continue
            seen = now
            try:
                new = await self._pool()
            except Refused as error:
                self._metrics.reload("extensions", False)
                print(f"{LABEL}: the old extensions stay: {error}", file=sys.stderr, flush=True)
                continue
            old, app.pool = app.pool, new
            # A long call of the old one holds up neither the next change nor a new certificate.
            start_task(self._retire(app, old), self._retiring)
            self._metrics.reload("extensions", True)
            print(f"{LABEL}: the extensions were loaded again", file=sys.stderr, flush=True)

    async def _retire(self, app: App, old: WorkerPool) -> None:
        """Stop a pool once its calls have ended, or at once if the server stops."""
        try:
            while app.running.get(old):
                await asyncio.sleep(0.02)
        finally:
            await old.stop()

    async def _reload_certificates(self, certificates: Certificates | None) -> None:
        if certificates is None:
            return
        authority = certificates.authority
        try:
            if certificates.reload():
                self._metrics.reload("certificate", True)
                print(f"{LABEL}: the certificate was loaded again", file=sys.stderr, flush=True)
            self._bad_certificate = ""
        except Refused as error:
            # Tried again each time, as the second file may still be missing; reported once.
            if str(error) != self._bad_certificate:
                self._bad_certificate = str(error)
                self._metrics.reload("certificate", False)
                print(f"{LABEL}: the old certificate stays: {error}", file=sys.stderr, flush=True)
        if certificates.authority != authority:
            for connection in list(OpenConnection.open):
                assert isinstance(connection, Connection)
                await connection.leave_untrusted()
