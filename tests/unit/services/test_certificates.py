"""krmkit.services.certificates: certificate, key and authority are read again when their files change, and stay when those are unusable."""

from __future__ import annotations

import asyncio
import os
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from krmkit.krm.errors import Refused
from krmkit.services.certificates import Certificates
from krmkit.services.extension import server
from krmkit.services.extension.server import ServerSettings
from krmkit.services.settings import ServiceSettings


def put(folder: Path, name: str) -> None:
    """A new key and its own certificate, as tls.key and tls.crt."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )
    kinds = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    later = os.stat(folder).st_mtime_ns + 10**9 * (1 + len(name))
    for file, content in (
        ("tls.crt", made.public_bytes(serialization.Encoding.PEM)),
        ("tls.key", key.private_bytes(serialization.Encoding.PEM, *kinds)),
    ):
        (folder / file).write_bytes(content)
        os.utime(folder / file, ns=(later, later))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path, "a")
    (tmp_path / "ca.crt").write_bytes((tmp_path / "tls.crt").read_bytes())
    return tmp_path


def certificates(folder: Path, authority: bool = True) -> Certificates:
    return Certificates(
        str(folder / "tls.crt"), str(folder / "tls.key"), str(folder / "ca.crt") if authority else ""
    )


def texts(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("tls.crt", "tls.key", "ca.crt")]


def test_what_is_read(folder: Path) -> None:
    """The texts, and a context of TLS 1.2 on that asks clients for a certificate where there is an authority."""
    found, alone = certificates(folder), certificates(folder, authority=False)

    assert [found.certificate, found.key, found.authority] == texts(folder)
    assert found.context.authority == found.authority
    assert found.context.verify_mode is ssl.CERT_REQUIRED
    assert found.context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert (alone.authority, alone.context.authority) == (b"", b"")
    assert alone.context.verify_mode is ssl.CERT_NONE


def test_changed_files(folder: Path) -> None:
    """They make a new context, once."""
    found = certificates(folder)
    before = found.context
    assert not found.reload() and found.context is before

    put(folder, "bb")

    assert found.reload() and not found.reload()
    assert [found.certificate, found.key, found.authority] == texts(folder)
    assert found.context is not before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tls.key", None, "cannot read .*tls.key: No such file"),
        ("tls.key", b"no key", "cannot serve with .*tls.crt, .*tls.key"),
        ("ca.crt", b"no authority", "cannot check clients with .*ca.crt"),
    ],
)
def test_unusable_files(folder: Path, name: str, content: bytes | None, message: str) -> None:
    """The old ones stay, and the next look tries again."""
    found = certificates(folder)
    before, old = found.context, texts(folder)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)

    for _ in range(2):
        with pytest.raises(Refused, match=message):
            found.reload()
    assert found.context is before
    assert [found.certificate, found.key, found.authority] == old
    with pytest.raises(Refused, match=message):
        certificates(folder)

    put(folder, "ccc")
    (folder / "ca.crt").write_bytes((folder / "tls.crt").read_bytes())
    assert found.reload() and found.context is not before


def test_reloads_are_counted_and_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each new certificate, and each failure once, though every look tries again."""
    served: Any = server._Server(
        ServerSettings([], [], ServiceSettings("127.0.0.1", 0, 1, 0.0, 1, "", "", ""), 0, False)
    )
    found = certificates(folder)

    def look() -> str:
        asyncio.run(served._reload_certificates(found))
        return capsys.readouterr().err

    assert look() == ""
    put(folder, "bb")
    assert "the certificate was loaded again" in look()
    (folder / "tls.key").unlink()
    assert "the old certificate stays: cannot read" in look()
    assert look() == ""
    assert {
        (sample.labels["what"], sample.labels["status"]): sample.value
        for metric in served._metrics.registry.collect()
        for sample in metric.samples
        if sample.name == "krmkit_reloads_total"
    } == {("certificate", "done"): 1, ("certificate", "failed"): 1}
