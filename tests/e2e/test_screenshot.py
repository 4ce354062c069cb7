"""The picture of the report page shows what the page shows today."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from tests.e2e.browser import chromium
from tools.screenshot import PICTURE, SIZE, seen, taken, text_of, with_text, written


@pytest.mark.browser
def test_the_screenshot_is_true(tmp_path: Path) -> None:
    """`python -m tools.screenshot` takes it again."""
    with chromium() as browser:
        text = seen(browser, written(tmp_path))
        picture = taken(browser)

    assert "datastore: etcd" in text and "why" in text
    assert text_of(PICTURE.read_bytes()) == text
    assert struct.unpack(">II", picture[16:24]) == struct.unpack(">II", PICTURE.read_bytes()[16:24]) == SIZE


def test_a_picture_keeps_its_text() -> None:
    """Any text; the other parts of the picture stay, and every sum is right."""
    header = b"IHDR" + bytes(13)
    end = b"IEND"
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
        for part in (header, end)
    )

    changed = with_text(png, "a → b\n")

    assert (text_of(png), text_of(changed)) == ("", "a → b\n")
    assert changed.startswith(png[:33]) and changed.endswith(png[33:])
    comment = changed[33:-12]
    assert struct.unpack(">I", comment[-4:])[0] == zlib.crc32(comment[4:-4])
