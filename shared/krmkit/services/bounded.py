"""Limit a server's connections: a listening socket with a maximum, and rate-limited log lines."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any

_PAUSE = 60.0  # seconds between two lines of one cause
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_OTHERS = 192  # descriptors for everything but connections, and for those that asyncio accepts at once


class SeldomLine:
    """A rate-limited line on stderr: printed at the first event, then at most once a minute with a count."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._count = 0
        self._next = 0.0

    def say(self, what: str) -> None:
        """Count an event, and print it if a minute has passed since the last line."""
        self._count += 1
        now = time.monotonic()
        if now < self._next:
            return
        times = f" ({self._count} times since the last line)" if self._count > 1 else ""
        print(f"{self._label}: {what}{times}", file=sys.stderr, flush=True)
        self._count, self._next = 0, now + _PAUSE


def possible_connections(wanted: int) -> int:
    """Return the wanted connections, or as many as the raised limit on descriptors allows."""
    try:
        import resource
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = wanted + _OTHERS
    if soft != resource.RLIM_INFINITY and soft < need:
        most = need if hard == resource.RLIM_INFINITY else min(need, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
        return max(min(wanted, soft - _OTHERS), 1)
    return wanted


class BoundedListener(socket.socket):
    """A listening socket with at most `most` connections.

    At the limit, a new connection replaces the one that has waited longest without a call, so silent clients
    cannot block others. If all have called, the new one is refused.
    """

    @classmethod
    def of(cls, listener: socket.socket, most: int, label: str) -> BoundedListener:
        """Take over a listening socket."""
        made = cls(fileno=listener.detach())
        made.setblocking(False)
        made._most = most
        made._line = SeldomLine(label)
        made._silent = {}
        made._known = set()
        made._spare = os.open(os.devnull, os.O_RDONLY)
        return made

    _most: int
    _line: SeldomLine
    _silent: dict[
        object, socket.socket
    ]  # connections without a call, by the client's address, the oldest first
    _known: set[object]  # addresses of those that have called
    _spare: int  # a spare descriptor, closed to accept and refuse a connection when none is left

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection. Raises BlockingIOError if there is none, also if one was refused."""
        try:
            connection, address = super().accept()
        except OSError as error:
            if error.errno not in _OUT_OF_RESOURCES:
                raise
            self._refuse_without_descriptor()
            raise BlockingIOError from None
        if len(self._silent) + len(self._known) >= self._most and not self._make_room():
            connection.close()
            raise BlockingIOError
        self._silent[address] = connection
        return connection, address

    def called(self, address: object) -> None:
        """Record that the client at an address has begun a call, so it keeps its connection."""
        if self._silent.pop(address, None) is not None:
            self._known.add(address)

    def left(self, address: object) -> None:
        """Record that a connection has ended."""
        self._silent.pop(address, None)
        self._known.discard(address)

    def _make_room(self) -> bool:
        # A client that left during the TLS handshake is not reported by the server.
        self._silent = {address: one for address, one in self._silent.items() if one.fileno() >= 0}
        if len(self._silent) + len(self._known) < self._most:
            return True
        is_closed = self._close_oldest()
        what = "one without a call was closed" if is_closed else "one was refused"
        self._line.say(f"all {self._most} connections are taken (--max-connections), so {what}")
        return is_closed

    def _close_oldest(self) -> bool:
        oldest = next(iter(self._silent), None)
        if oldest is not None:
            with suppress(OSError):
                self._silent.pop(oldest).shutdown(socket.SHUT_RDWR)
        return oldest is not None

    def _refuse_without_descriptor(self) -> None:
        os.close(self._spare)
        with suppress(OSError):
            super().accept()[0].close()
        self._spare = os.open(os.devnull, os.O_RDONLY)
        self._close_oldest()
        self._line.say("no descriptor is left, so a connection was refused")
