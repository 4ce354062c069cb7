"""The picture of a report page, docs/pictures/report.png: .venv/bin/python -m tools.screenshot

A Chromium takes it. What it shows is in it as text too (a comment of the PNG), so that a test can tell whether it is still true: pixels differ
with the fonts of a machine.
"""

from __future__ import annotations

import base64
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.browser import Browser, chromium

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "report.png"
PACKAGE = "examples/edge-cluster-profile"
SIZE = (1100, 620)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The texts of the heading, the findings and the first file, as far as they are seen.
_SEEN = """return ['main h2.path', '#findings', '.file'].map((each) => document.querySelector(each).innerText).join('\\n')"""


def written(folder: Path) -> Path:
    """The page of the example's report."""
    page = folder / "report.html"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "shared"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "krmkit", "report", PACKAGE, "-o", str(page)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return page


def seen(browser: Browser, page: Path) -> str:
    """Open the page as in the picture; returns the text that is seen."""
    browser.dark(False)
    browser.open(page.as_uri(), *SIZE)
    browser.find(".file .diff")
    return str(browser.run(_SEEN))


def taken(browser: Browser) -> bytes:
    """The PNG of what the browser shows."""
    found = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return base64.b64decode(found["data"])


def with_text(png: bytes, text: str) -> bytes:
    """A PNG with a comment, behind its header."""
    content = b"iTXtComment\0\0\0\0\0" + text.encode()
    chunk = struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
    end = len(_SIGNATURE) + 25  # the header has 13 bytes, a length, a name and a sum
    return png[:end] + chunk + png[end:]


def text_of(png: bytes) -> str:
    """The comment that `with_text` put into a PNG, "" where there is none."""
    at = len(_SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        content = png[at + 4 : at + 8 + length]
        if content.startswith(b"iTXtComment\0"):
            return content.removeprefix(b"iTXtComment\0\0\0\0\0").decode()
        at += length + 12
    return ""


def main() -> None:
    """Write the picture."""
    with TemporaryDirectory() as place, chromium() as browser:
        text = seen(browser, written(Path(place)))
        PICTURE.write_bytes(with_text(taken(browser), text))
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
