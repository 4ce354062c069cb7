"""Connections of the extension server: their TLS, and when they end.

Hypercorn has a public way for neither: it takes no class of connections, and an application sees calls only.
So this class takes the place of its own, and overrides `_read_data` and `_idle_timeout`. Uvicorn takes such a
class but serves no HTTP/2, which Go's client speaks with a server that offers it.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import suppress
from typing import Any

from hypercorn.config import Config, Sockets
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h2 import H2Protocol

from krmkit.services.bounded import BoundedListener, SeldomLine
from krmkit.services.certificates import Certificates, ServerContext
from krmkit.services.gracefulserver import OpenConnection

_READ = 16384  # bytes of a connection to process before the others' turn
_LONG = 0.002  # seconds of work on them that calls never take, but a flood of small frames does
_REST = 4  # such a connection pauses for so many times its work
_LONGEST_REST = 0.1  # seconds


class _LatestContext(ssl.SSLContext):
    """Context for asyncio: each new connection gets its TLS from the latest context.

    The context in use cannot be replaced, and reloading it would keep the old authority trusted.
    """

    certificates: Certificates

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        return self.certificates.context.wrap_bio(
            incoming, outgoing, server_side=server_side, server_hostname=server_hostname, session=session
        )


class ServerConfig(Config):
    """Hypercorn's settings with reloadable certificates and a listener that limits connections."""

    certificates: Certificates | None = None
    listener: BoundedListener
    broken: SeldomLine  # about connections ended by malformed frames

    def create_sockets(self) -> Sockets:
        taken: list[Any] = [self.listener]
        return Sockets(taken, [], []) if self.ssl_enabled else Sockets([], taken, [])

    @property
    def ssl_enabled(self) -> bool:
        return self.certificates is not None

    def create_ssl_context(self) -> ssl.SSLContext | None:
        if self.certificates is None:
            return None
        context = _LatestContext(ssl.PROTOCOL_TLS_SERVER)
        context.certificates = self.certificates
        return context


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Connection(OpenConnection):
    """A connection that ends when its client disconnects or loses trust, or when the grace is over.

    Hypercorn would keep its buffers for keep_alive_timeout, and let unsent HTTP/2 answers wait for ever: for
    a client that has disconnected, and at shutdown for one that stays.
    """

    _gone = False
    _idle = True
    _client: object = None  # its address

    async def run(self) -> None:
        self._client = self.writer.get_extra_info("peername")
        # An error here ends this connection, and not the server, which gathers them all.
        try:
            await super().run()
        except* OSError:
            pass  # an error while it was closed
        except* Exception as group:  # noqa: BLE001  # one connection must not end the others
            first = _first(group)
            self._settings.broken.say(
                f"a connection was ended whose client broke HTTP/2: {type(first).__name__}: {first}"
            )
        finally:
            self._listener.left(self._client)

    @property
    def _settings(self) -> ServerConfig:
        assert isinstance(self.config, ServerConfig)
        return self.config

    @property
    def _listener(self) -> BoundedListener:
        return self._settings.listener

    async def protocol_send(self, event: Event) -> None:
        # Writes have no reader, and the end of a call would restart keep_alive_timeout.
        if self._gone and isinstance(event, RawData | Updated):
            return
        if isinstance(event, Updated):
            self._idle = event.idle
            if not event.idle:
                self._listener.called(self._client)
        await super().protocol_send(event)

    async def _read_data(self) -> None:
        try:
            await self._read_in_turns()
        except asyncio.CancelledError:
            self.cut()
            raise
        finally:
            self._gone = True
            await self.idle_task.stop()
            protocol = self.protocol.protocol
            if isinstance(protocol, H2Protocol):
                for buffer in list(protocol.stream_buffers.values()):
                    await buffer.close()

    async def _read_in_turns(self) -> None:
        """Read as hypercorn does, but limit the time of a client with costly small frames (PING)."""
        while not self.reader.at_eof():
            try:
                data = await asyncio.wait_for(self.reader.read(_READ), self.config.read_timeout)
            except OSError:
                break
            begun = time.process_time()
            await self.protocol.handle(RawData(data))
            taken = time.process_time() - begun
            if taken > _LONG:
                await asyncio.sleep(min(taken * _REST, _LONGEST_REST))
        await self.protocol.handle(Closed())

    async def _close(self) -> None:
        # A TLS client that still sends while the connection closes must not end the server.
        with suppress(OSError):
            await super()._close()

    async def _idle_timeout(self) -> None:
        if self._is_trusted():
            await super()._idle_timeout()
        else:
            await asyncio.shield(self._initiate_server_close())

    def _is_trusted(self) -> bool:
        """Return True if the authority that admitted the client is the current one."""
        certificates = self.config.certificates if isinstance(self.config, ServerConfig) else None
        tls = self.writer.get_extra_info("ssl_object")
        if certificates is None or tls is None or not isinstance(tls.context, ServerContext):
            return True
        return tls.context.authority == certificates.authority

    async def leave_untrusted(self) -> None:
        """Close the connection of a client that lost trust: at once if it is idle, else after its calls."""
        if self._idle and not self._gone and not self._is_trusted():
            await self.idle_task.restart(self._task_group, self._idle_timeout)
