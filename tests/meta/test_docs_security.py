"""docs/security.md names the test of each promise, and the tests are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"tests/[\w/]+(?:\.py)?", TEXT)))
BESIDE = sorted(set(re.findall(r"(?<![\w/])test_\w+\.py", TEXT)))


def promises() -> Iterator[str]:
    """The rows of the tables whose last column names tests."""
    lines = TEXT.split("\n")
    for number, line in enumerate(lines):
        if line.endswith("| Tested in |"):
            for row in lines[number + 2 :]:
                if not row.startswith("|"):
                    break
                yield row


def test_there_are_promises() -> None:
    """The tables are found."""
    assert len(list(promises())) > 25
    assert len(NAMED) > 40


@pytest.mark.parametrize("row", [*promises()])
def test_each_promise_names_its_test(row: str) -> None:
    """A row without a test is a claim."""
    assert re.findall(r"tests/[\w/]+", row.rpartition(" | ")[2]), row


@pytest.mark.parametrize("name", NAMED)
def test_each_test_is_there(name: str) -> None:
    """A file with tests, or a folder with such files."""
    place = ROOT / name
    files = [place] if place.suffix else [*place.rglob("test_*.py")]

    assert files
    assert all("def test_" in file.read_text("utf-8") for file in files), name


@pytest.mark.parametrize("name", BESIDE)
def test_each_neighbour_is_there(name: str) -> None:
    """One that is named without its folder, behind one of the same folder."""
    assert [*(ROOT / "tests").rglob(name)]
