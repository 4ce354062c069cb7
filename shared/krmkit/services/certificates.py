"""A server's TLS: certificate, key and client authority from files, reloaded when they change."""

from __future__ import annotations

import ssl

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import read_file, stamps


class ServerContext(ssl.SSLContext):
    """An SSL context for one state of the files.

    `authority` is the PEM text that it checks clients with, b"" for none.
    """

    authority = b""


class Certificates:
    """The latest usable SSL `context` and its PEM texts (b"" for none).

    A reload makes a new context, because a context can only gain authorities, never lose one. Session tickets
    end with the old context, so no client resumes a session that a removed authority allowed.
    """

    def __init__(self, certificate: str, key: str, authority: str) -> None:
        """Raise Refused. `authority` is "" if clients need no certificate."""
        self._paths = (certificate, key, authority)
        self._seen = self._files()
        self._read()

    def _files(self) -> list[tuple[str, int, int, int]]:
        return stamps(path for path in self._paths if path)

    def _read(self) -> None:
        certificate, key, authority = self._paths
        texts = [_text(path) if path else b"" for path in self._paths]
        context = ServerContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2", "http/1.1"])
        try:
            context.load_cert_chain(certificate, key)
        except (OSError, ssl.SSLError) as error:
            raise Refused(f"cannot serve with {certificate}, {key}: {_reason(error)}") from None
        if authority:
            try:
                context.load_verify_locations(authority)
            except (OSError, ssl.SSLError) as error:
                raise Refused(f"cannot check clients with {authority}: {_reason(error)}") from None
            context.verify_mode = ssl.CERT_REQUIRED
            context.authority = texts[2]
        if self._files() != self._seen:
            # Certificate and key must be of the same pair.
            raise Refused(f"{certificate}, {key}: changed while they were read")
        self.certificate, self.key, self.authority = texts
        self.context = context

    def reload(self) -> bool:
        """Load changed files; return True if there were any.

        Raises Refused if they are unusable, and keeps the earlier ones.
        """
        seen = self._files()
        if seen == self._seen:
            return False
        before, self._seen = self._seen, seen
        try:
            self._read()
        except Refused:
            self._seen = before  # tried again the next time: the second file of a pair may still be missing
            raise
        return True


def _text(path: str) -> bytes:
    try:
        return read_file(path, path) or b""
    except Refused as error:
        raise Refused(f"cannot read {error}") from None
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from None


def _reason(error: OSError) -> str:
    return getattr(error, "strerror", None) or str(error)
