"""The settings that all servers of krmkit share."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from krmkit.krm.errors import Refused
from krmkit.services.certificates import Certificates


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of a server.

    - `host`, `port`: the address; port 0 is any free port.
    - `workers`: the number of processes. `connections`: the most connections.
    - `grace`: seconds for running calls when the server stops.
    - `certificate`, `key`: PEM files that encrypt the port. `client_ca`: a PEM file; only clients with one of
      its certificates are admitted.
    """

    host: str
    port: int
    workers: int
    grace: float
    connections: int
    certificate: str
    key: str
    client_ca: str

    @classmethod
    def of(cls, options: Namespace) -> ServiceSettings:
        """Read the options that all services of `krmkit serve` have."""
        return cls(
            host=options.host,
            port=options.port,
            workers=options.workers,
            grace=options.grace,
            connections=options.max_connections,
            certificate=options.tls_cert,
            key=options.tls_key,
            client_ca=options.client_ca,
        )

    def certificates(self, client_ca_flag: str) -> Certificates | None:
        """Return the certificates to serve with, None without TLS. Raises Refused naming `client_ca`."""
        if not self.certificate and not self.key and not self.client_ca:
            return None
        if not self.certificate or not self.key:
            message = f"--tls-cert and --tls-key belong together, and {client_ca_flag} needs both"
            raise Refused(message)
        return Certificates(self.certificate, self.key, self.client_ca)
