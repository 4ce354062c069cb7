"""A server's TLS: certificate, key and authority of clients from files, which are read again when they change."""

from __future__ import annotations

import ssl

from krmkit.disk.folders import stamps


class CertificateError(Exception):
    """Certificate files that a server cannot use; the message names the file and the reason."""


class ServerContext(ssl.SSLContext):
    """A context that serves with one state of the files. `authority` is the PEM text that it checks clients with, b"" for none."""

    authority = b""


class Certificates:
    """`context` and the PEM texts `certificate`, `key` and `authority` (b"" for none) are the latest usable ones.

    A reload makes a new context: one that serves can only learn further authorities, and would trust the old one for ever. Its session
    tickets go with it, so that no client comes back on a session that an old authority allowed.
    """

    __slots__ = ("_paths", "_seen", "authority", "certificate", "context", "key")

    def __init__(self, certificate: str, key: str, authority: str) -> None:
        """Raises CertificateError. `authority` is "" where clients need no certificate."""
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
            raise CertificateError(f"cannot serve with {certificate}, {key}: {_reason(error)}") from None
        if authority:
            try:
                context.load_verify_locations(authority)
            except (OSError, ssl.SSLError) as error:
                raise CertificateError(f"cannot check clients with {authority}: {_reason(error)}") from None
            context.verify_mode = ssl.CERT_REQUIRED
            context.authority = texts[2]
        if self._files() != self._seen:
            # Half of a new pair must not serve.
            raise CertificateError(f"{certificate}, {key}: changed while they were read")
        self.certificate, self.key, self.authority = texts
        self.context = context

    def reload(self) -> bool:
        """Take changed files; return whether there were any. Raises CertificateError and keeps the old ones if they are not usable."""
        seen = self._files()
        if seen == self._seen:
            return False
        before, self._seen = self._seen, seen
        try:
            self._read()
        except CertificateError:
            self._seen = before  # tried again the next time: the second file of a pair may be on its way
            raise
        return True


def _text(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CertificateError(f"cannot read {path}: {error.strerror}") from None


def _reason(error: OSError) -> str:
    return getattr(error, "strerror", None) or str(error)
