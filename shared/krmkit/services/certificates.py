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
    """`context` and the PEM texts `certificate`, `key` and `authority` (b"" for none) are the latest usable.

    A reload makes a new context: the old one can only add authorities, and would always trust the old one.
    Session tickets end with the old context, so no client resumes a session that an old authority allowed.
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
        """Load changed files; return whether there were any.

        Raises Refused for unusable ones, and keeps the old ones.
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
