"""Starts the server of extensions and stops it: port, workers, certificates, reloads, signals."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from dataclasses import dataclass
from functools import partial

from hypercorn.asyncio import run as hypercorn_run
from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.config import Config
from hypercorn.events import Event, Updated
from hypercorn.protocol.h2 import H2Protocol

from krmkit.cli.evaluator.frames import CALL
from krmkit.cli.evaluator.pool import DiedError, WorkerPool, WorkerProcess
from krmkit.cli.extension.app import App
from krmkit.cli.extension.metrics import Metrics
from krmkit.cli.extension.sources import ExtensionError, fingerprint, load, module_files, read
from krmkit.cli.extension.tls import Certificates
from krmkit.cli.extension.worker import PROGRAM
from krmkit.cli.listening import listen, set_up, stop_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Any

LABEL = "krmkit topology-extension"


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
    queue: int = 256
    timeout: float = 30.0
    poll: float = 1.0


class _Connection(TCPServer):
    """A connection that goes when its client has gone, with all that it holds.

    Hypercorn keeps its buffers for keep_alive_timeout, and lets answers that HTTP/2 has not sent yet wait for ever.
    """

    _gone = False

    async def protocol_send(self, event: Event) -> None:
        # The end of a call would start the time of keep_alive_timeout.
        if not (self._gone and isinstance(event, Updated)):
            await super().protocol_send(event)

    async def _read_data(self) -> None:
        await super()._read_data()
        self._gone = True
        await self.idle_task.stop()
        protocol = self.protocol.protocol
        if isinstance(protocol, H2Protocol):
            for buffer in list(protocol.stream_buffers.values()):
                await buffer.close()


class _Config(Config):
    """Hypercorn's settings with a context of our own, which can be reloaded."""

    certificates: Certificates | None = None

    @property
    def ssl_enabled(self) -> bool:
        return self.certificates is not None

    def create_ssl_context(self) -> ssl.SSLContext | None:
        return self.certificates.context if self.certificates is not None else None


def serve(settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises ExtensionError."""
    asyncio.run(_Server(settings).run())


async def _stopped(stopping: asyncio.Event, app: App) -> None:
    await stopping.wait()
    app.ready = False


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
        vars(hypercorn_run)["TCPServer"] = _Connection  # there is no setting for it
        application: Any = app  # its messages are plain dicts
        await hypercorn_serve(application, config, shutdown_trigger=partial(_stopped, stopping, app))
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await app.pool.stop()

    def _config(self) -> _Config:
        settings = self._settings
        config = _Config()
        if settings.certificate or settings.key or settings.client_ca:
            if not settings.certificate or not settings.key:
                raise ExtensionError("--tls-cert and --tls-key belong together, and --client-ca needs both")
            config.certificates = Certificates(settings.certificate, settings.key, settings.client_ca)
        elif settings.host not in ("127.0.0.1", "::1", "localhost"):
            raise ExtensionError("--tls-cert and --tls-key are needed: Cluster API calls over https only")
        try:
            listener = listen(settings.host, settings.port)
        except OSError as error:
            raise ExtensionError(
                f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
            ) from None
        self._port = listener.getsockname()[1]
        set_up(config, listener, settings.grace)
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
        pool = WorkerPool(settings.workers, settings.queue, settings.timeout, begin=begin, label=LABEL)
        try:
            await pool.start()
        except (OSError, DiedError) as error:
            raise ExtensionError(f"cannot start a worker: {error}") from None
        return pool

    async def _watch(self, app: App, certificates: Certificates | None, seen: object) -> None:
        """Look for changed files, and take them in where they are good."""
        while True:
            await asyncio.sleep(self._settings.poll)
            # A TLS connection that ended is a cycle with large buffers, of few objects that the collector counts.
            gc.collect()
            self._reload_certificates(certificates)
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

    def _reload_certificates(self, certificates: Certificates | None) -> None:
        try:
            if certificates is not None and certificates.reload():
                self._metrics.reload("certificate", True)
                print(f"{LABEL}: the certificate was loaded again", file=sys.stderr, flush=True)
            self._bad_certificate = ""
        except ExtensionError as error:
            # Tried again each time, since a second file may be on its way; said once.
            if str(error) != self._bad_certificate:
                self._bad_certificate = str(error)
                self._metrics.reload("certificate", False)
                print(f"{LABEL}: the old certificate stays: {error}", file=sys.stderr, flush=True)
