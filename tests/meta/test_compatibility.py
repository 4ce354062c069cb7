"""docs/compatibility.md counts the deviations that there are."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_deviations_are_counted() -> None:
    """A row for each system with deviations, and its number."""
    entries = yaml.safe_load((ROOT / "tests/conformance/deviations.yaml").read_text("utf-8"))
    page = (
        (ROOT / "docs/compatibility.md").read_text("utf-8").partition("<!-- compatibility:deviations -->")[2]
    )
    rows = re.findall(r"^\| ([a-z]+) \| ([0-9]+) \| .+ \|$", page, re.MULTILINE)

    assert {name: int(number) for name, number in rows} == Counter(
        entry["file"].partition("/")[0] for entry in entries
    )
