"""`krmkit render -r` over 500 packages: on two processes against one, and the memory of 500 packages against that of 50."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bench.timing import Command, Row, in_turns, row

GROUP = "Many packages"
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/edge-cluster-profile"
PACKAGES = 500
FEW = 50
ROUNDS = 3
GAIN = 1.7  # so many times faster are two cores to be


def rows() -> list[Row]:
    """Wall times, their ratio, and the ratio of the peaks. Nothing is written, so every run does the same work."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for number in range(PACKAGES):
            above = place / ("few" if number < FEW else "rest")
            shutil.copytree(EXAMPLE, above / f"p{number:03}", ignore=shutil.ignore_patterns(".expected"))
        one, two = recursive(place, 1), recursive(place, 2)
        took = in_turns({"one": one.seconds, "two": two.seconds}, ROUNDS)
        many, few = one.peak(), recursive(place / "few", 1).peak()
    title = f"krmkit render -r of {PACKAGES} packages"
    found = [
        row(GROUP, f"{title}, one process", took["one"] * 1000, "ms"),
        row(GROUP, f"{title}, peak / that of {FEW} packages", many / few, "x", 1.2),
    ]
    if len(os.sched_getaffinity(0)) > 1:
        ratio = took["two"] / took["one"]
        found.append(row(GROUP, f"{title}, two processes / one", ratio, "x", round(1 / GAIN, 2)))
    return found


def recursive(folder: Path, jobs: int) -> Command:
    """The command; files would change, so it ends with 2."""
    words = ["render", "-r", str(folder), "--check", "--jobs", str(jobs), "-f", "text"]
    return Command([sys.executable, "-m", "krmkit", *words], exit_code=2)
