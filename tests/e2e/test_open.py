"""--open hands the page's address to the browser of the user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.waiting import MOST, until

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Kptfile").write_text(KPTFILE)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" >"{tmp_path}/told"\n')
    browser.chmod(0o755)
    return tmp_path / "p"


def environment(package: Path) -> dict[str, str]:
    return {**os.environ, "BROWSER": str(package.parent / "browser")}


def test_report(package: Path) -> None:
    """The file's address; without a page there is nothing to open."""
    command = [sys.executable, "-m", "krmkit", "report", str(package), "--open"]
    page = package.parent / "page.html"

    refused = subprocess.run([*command, "-f", "json"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        "krmkit report: --open shows a page; name it with -o FILE.html\n",
    )
    subprocess.run([*command, "-o", str(page)], env=environment(package), check=True, capture_output=True)
    told = package.parent / "told"
    until(lambda: told.exists() and told.read_text() == page.as_uri(), lambda: "no browser was started")


def test_preview(package: Path) -> None:
    """The address with its token, which answers."""
    command = [sys.executable, "-m", "krmkit", "preview", str(package), "--open"]
    with subprocess.Popen(
        command, env=environment(package), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        told = package.parent / "told"
        until(lambda: told.exists() and "token=" in told.read_text(), lambda: "no browser was started")
        with urlopen(told.read_text(), timeout=MOST) as answer:
            assert b"<html" in answer.read()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=MOST)
    assert process.returncode == 0


def test_without_a_browser(package: Path) -> None:
    """The page is there, and a line says where."""
    page = package.parent / "page.html"
    program = (
        "import sys, webbrowser; webbrowser.open = lambda address: False\n"
        "from krmkit.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "report", str(package), "-o", str(page), "--open"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == f"krmkit report: no browser opens here; open {page.as_uri()} yourself\n"
