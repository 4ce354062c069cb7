"""Call extensions: over HTTPS as Cluster API's controllers do, as a program, or in this process."""

from __future__ import annotations

import http.client
import os
import shlex
import socket
import ssl
import threading
from contextlib import suppress
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from krmkit.krm.errors import Refused
from krmkit.libraries.process.program import ChildError, run_bounded
from krmkit.systems.clusterapi.hooks.serving import LARGEST, Served


class Caller(Protocol):
    """A target that answers hooks. Several threads may call at a time."""

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the body of the answer. Raises CallError for failures that a failurePolicy covers."""


_QUOTED = 512
_HTTPS = "https"
_EXEC = "exec:"


class CallError(Refused):
    """A call without a usable answer.

    A transport error, a timeout, an HTTP status other than 200 (`answered`), or a size over the limit.
    """

    def __init__(self, message: str, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


class HttpCaller:
    """Calls over https; over http only to this machine. Redirects are not followed."""

    def __init__(self, url: str, ca_file: str = "", certificate: str = "", key: str = "") -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError as error:
            raise Refused(f"{url}: {error}") from None
        if parts.scheme not in (_HTTPS, "http") or not parts.hostname:
            raise Refused(f"{url}: must be https://HOST[:PORT][/PATH] or exec:PROGRAM")
        if "@" in parts.netloc or parts.query or parts.fragment:
            # The address may hold a password, so it is not repeated.
            raise Refused("the address must have neither user, nor query, nor fragment")
        if key and not certificate:
            raise Refused("--client-key needs --client-cert")
        self._secure = parts.scheme == _HTTPS
        if not self._secure and not _is_loopback(parts.hostname):
            raise Refused(f"{url}: must be https; http is for loopback addresses only")
        self._host, self._port, self._prefix = parts.hostname, port, parts.path.rstrip("/")
        self._context: ssl.SSLContext | None = None
        if self._secure:
            try:
                self._context = ssl.create_default_context(cafile=ca_file or None)
                if certificate:
                    self._context.load_cert_chain(certificate, key or None)
            except (OSError, ssl.SSLError) as error:
                raise Refused(f"{ca_file or certificate}: {error}") from None

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the body of the answer. Raises CallError."""
        if len(body) > LARGEST:
            raise CallError(
                f"failed to make the http call: the request has {len(body)} bytes, at most {LARGEST}"
            )
        connection = self._connection(seconds)
        limit = _Limit(connection, seconds)
        try:
            target = f"{self._prefix}{path}?timeout={seconds:g}s"
            connection.connect()
            limit.watch(connection.sock)
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read(LARGEST + 1)
        except (OSError, http.client.HTTPException) as error:
            # The socket's own timeout, which may end first, has no errno.
            is_late = isinstance(error, TimeoutError) and error.errno is None
            reason = limit.late if is_late else limit.said or str(error) or type(error).__name__
            raise CallError(f"failed to make the http call: {reason}") from None
        finally:
            limit.cancel()
            connection.close()
        if limit.said:
            raise CallError(f"failed to make the http call: {limit.said}")
        if answer.status != 200:
            shown = text[:_QUOTED].decode("utf-8", "replace")
            raise CallError(
                f"failed to make the http call: got non-200 response: {answer.status}: {shown}", True
            )
        if len(text) > LARGEST:
            raise CallError(f"failed to read the response: it has more than {LARGEST} bytes")
        return text

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        if self._context is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=seconds)


class _Limit(threading.Timer):
    """Ends a call that takes too long as a whole; a socket's own timeout holds for one read of few bytes.

    `said`: why the call ended, "" if it did not; `late`: the text for that.
    """

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        super().__init__(seconds, self._end)
        self.daemon = True
        self.said = ""
        self._socket: socket.socket | None = None
        self._connection = connection
        self.late = f"it took longer than {seconds:g} s"
        self.start()

    def watch(self, connected: socket.socket) -> None:
        """End this socket when the time is over.

        Raises TimeoutError if it already is: while connecting there may be no socket to end.
        """
        self._socket = connected  # the connection drops it if the answer ends it
        if self.said:
            raise TimeoutError

    def _end(self) -> None:
        self.said = self.late
        open_socket = self._socket or self._connection.sock
        if open_socket is not None:
            with suppress(OSError):
                # Not SSLSocket's own shutdown, which would let the reader go on without TLS.
                socket.socket.shutdown(open_socket, socket.SHUT_RDWR)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class ExecCaller:
    """Runs a program: the request on stdin, hook and handler as arguments, the answer on stdout."""

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise Refused(f"exec:{command}: {error}") from None
        if not self._words:
            raise Refused("exec: must name a program")

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the program's stdout. Raises CallError."""
        try:
            output, errors, code = run_bounded([*self._words, *path.split("/")[3:]], body, seconds, LARGEST)
        except ChildError as error:
            said = (
                f"took longer than {seconds:g} s"
                if error.late
                else f"the answer must have at most {LARGEST} bytes"
            )
            raise CallError(f"{self._words[0]}: {said}") from None
        except OSError as error:
            raise CallError(f"{self._words[0]}: {error.strerror}") from None
        if code:
            raise CallError(f"{self._words[0]}: exit code {code}: {errors[:_QUOTED].strip()}")
        return output


class LocalCaller:
    """Extensions in this process."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the body of the answer. Raises CallError."""
        status, text = self._served.respond(path, body)
        if status != 200:
            raise CallError(
                f"got non-200 response: {status}: {text[:_QUOTED].decode('utf-8', 'replace')}", True
            )
        return text


def caller(address: str, ca_file: str = "", certificate: str = "", key: str = "") -> Caller:
    """Return the caller for an address. Raises Refused.

    `caller("exec:./extension")`, `caller("https://localhost:9443", "ca.crt")`
    """
    if address.startswith(_EXEC):
        return ExecCaller(os.path.expanduser(address.removeprefix(_EXEC)))
    return HttpCaller(address, ca_file, certificate, key)
