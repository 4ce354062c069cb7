"""Readers of keys and certificates in PEM, with spiff's words in a ValueError.

Callers import the package cryptography first, and report a missing one.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from krmkit.libraries.go.fmt.printing import quote

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_BLOCK = re.compile(
    r"^-----BEGIN ([^\n]*?)-----[ \t\r]*\n([^-]*)-----END ([^\n]*?)-----[ \t\r]*$", re.MULTILINE
)


def decode(text: str, what: str) -> tuple[str, bytes]:
    """Return the type and the bytes of the first block of a text."""
    for found in _BLOCK.finditer(text):
        body = "".join(found[2].split())
        if found[1] == found[3] and body.isascii():
            try:
                return found[1], base64.b64decode(body, validate=True)
            except ValueError:
                continue
    raise ValueError(f"invalid {what} format (expected pem block)")


def parse_private_key(text: str) -> Any:
    """Read the private key of a text."""
    kind, data = decode(text, "private key")
    if kind not in ("RSA PRIVATE KEY", "EC PRIVATE KEY"):
        raise ValueError(f"invalid pem block type {quote(kind)}")
    return _loaded("failed to parse private key", "load_der_private_key", data, None)


def parse_public_key(text: str) -> Any:
    """Read the public key of a text."""
    from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa

    _, data = decode(text, "public key")
    key = _loaded("failed to parse DER encoded public key", "load_der_public_key", data)
    if not isinstance(key, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey, dsa.DSAPublicKey)):
        raise ValueError("unknown type of public key")
    return key


def parse_certificate(text: str) -> Certificate:
    """Read the certificate of a text."""
    from cryptography.x509 import load_der_x509_certificate

    kind, data = decode(text, "certificate")
    if kind != "CERTIFICATE":
        raise ValueError(f"unexpected pem block type for certificate: {quote(kind)}")
    try:
        return load_der_x509_certificate(data)
    except ValueError:
        raise ValueError("malformed certificate") from None


def _loaded(problem: str, loader: str, *args: Any) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        return getattr(serialization, loader)(*args)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError(f"{problem}: the block holds no such key") from None


def is_ca(certificate: Certificate) -> bool:
    """Return True if a certificate may sign others."""
    from cryptography.x509 import BasicConstraints, ExtensionNotFound

    try:
        return bool(certificate.extensions.get_extension_for_class(BasicConstraints).value.ca)
    except (ExtensionNotFound, ValueError):
        return False
