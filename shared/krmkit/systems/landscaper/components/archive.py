"""Read archives of blueprints in memory: tar files, compressed or not, within limits."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from krmkit.krm.errors import Refused
from krmkit.systems.landscaper.blueprint.files import Content, clean

_MOST_BYTES = 64 * 1024 * 1024
_MOST_FILES = 10_000
_GZIP = b"\x1f\x8b"


@contextmanager
def refusing(label: str) -> Iterator[None]:
    """Put a label in front of each Refused: `with refusing("shop.tar"): untar(data)`."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{label}: {error}") from None


def gunzip(data: bytes) -> bytes:
    """Decompress gzip data to at most 64 MiB. Raises Refused."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = unpacker.decompress(data, _MOST_BYTES + 1)
    except zlib.error as error:
        raise Refused(f"cannot read gzip data: {error}") from None
    if len(content) > _MOST_BYTES:
        raise Refused(f"the archive has more than {_MOST_BYTES:,} bytes")
    if not unpacker.eof:
        raise Refused("cannot read gzip data: the end is missing")
    return content


def untar(data: bytes, left_out: list[str] | None = None) -> dict[str, Content]:
    """Return the files of a tar archive (or a compressed one) by path. Raises Refused.

    A blueprint has no links and devices: their paths are added to `left_out`.
    """
    if data[:2] == _GZIP:
        data = gunzip(data)
    found: dict[str, Content] = {}
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if ".." in member.name.split("/"):
                    raise Refused(f"the path {member.name} leaves the archive")
                if not member.isfile():
                    if left_out is not None and not member.isdir():
                        left_out.append(clean(member.name))
                    continue
                size += member.size
                if size > _MOST_BYTES or len(found) >= _MOST_FILES:
                    raise Refused(f"the archive has more than {_MOST_BYTES:,} bytes or {_MOST_FILES:,} files")
                stream = archive.extractfile(member)
                found[clean(member.name)] = text_or_bytes(stream.read() if stream else b"")
    except tarfile.TarError as error:
        raise Refused(f"cannot read the archive: {error}") from None
    return found


def text_or_bytes(data: bytes) -> Content:
    """Decode UTF-8; other bytes stay."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
