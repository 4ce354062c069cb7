"""The server's TLS: certificate and key from files, loaded again when these change; only known clients, where a CA is given."""

from __future__ import annotations

import ssl

from krmkit.cli.extension.sources import ExtensionError, fingerprint


class Certificates:
    """`context` serves with the latest usable certificate. New connections get a new one; those that are open stay."""

    __slots__ = ("_authority", "_certificate", "_key", "_seen", "context")

    def __init__(self, certificate: str, key: str, authority: str) -> None:
        """Raises ExtensionError."""
        self._certificate, self._key, self._authority = certificate, key, authority
        self._seen = self._files()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._fill(self.context)

    def _files(self) -> object:
        return fingerprint(path for path in (self._certificate, self._key, self._authority) if path)

    def _fill(self, context: ssl.SSLContext) -> None:
        """Let a context serve with the files as they are now. Raises ExtensionError."""
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2", "http/1.1"])
        try:
            context.load_cert_chain(self._certificate, self._key)
            if self._authority:
                context.load_verify_locations(self._authority)
                context.verify_mode = ssl.CERT_REQUIRED
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            place = getattr(error, "filename", None) or f"{self._certificate}, {self._key}"
            raise ExtensionError(f"cannot serve with {place}: {reason}") from None

    def reload(self) -> bool:
        """Take new files; whether there were any. Raises ExtensionError, and keeps the old ones, where they do not fit."""
        seen = self._files()
        if seen == self._seen:
            return False
        # On a context of its own first: half of a new pair must not reach the one that serves.
        self._fill(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        # Files that change in between raise here, and are tried again, as they do not count as seen.
        self._fill(self.context)
        self._seen = seen
        return True
