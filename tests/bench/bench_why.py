"""The sources of values: the cost of a report compared with its render, and the cost of explaining for a render.

A crossing is a call from one module of krmkit into another, counted with sys.setprofile: it counts how often a report
computes again what a function knew.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType

from krmkit.cli import main
from krmkit.fn.run import RunOptions
from krmkit.render.package import read
from krmkit.render.pipeline import render
from krmkit.render.resolve import ProgramResolver
from tests.bench.timing import MeasureError, Row, calls, in_turns, row

ROOT = Path(__file__).resolve().parents[2]
GROUP = "Where values come from"
PACKAGES = {
    "profile": "examples/edge-cluster-profile",
    "topology": "functions/render-cluster-topology/examples/quick-start",
    "platform": "examples/edge-topology",
}
MOST = 1.3
ROUNDS = 9


def rows() -> list[Row]:
    """The crossings of `krmkit report` to those of `krmkit render`, and the time of a render that explains to one that does not."""
    found = []
    with TemporaryDirectory() as folder:
        for name, package in PACKAGES.items():
            place = Path(folder, name)
            shutil.copytree(ROOT / package, place, ignore=shutil.ignore_patterns(".expected"))
            rendered = crossings(["render", str(place), "--dry-run"])
            reported = crossings(["report", str(place), "-o", f"{folder}/{name}.html"])
            title = f"crossings of modules in a report on a {name}, to those of its render"
            found.append(row(GROUP, title, reported / rendered, "x", MOST))
            taken = in_turns({"plain": rendering(place, False), "explained": rendering(place, True)}, ROUNDS)
            ratio = taken["explained"] / taken["plain"]
            found.append(
                row(GROUP, f"a render of the {name} that explains, to one that does not", ratio, "x")
            )
    return found


def crossings(words: list[str]) -> int:
    """Calls between modules of krmkit in one command; one call before counts nothing, because it imports."""
    total = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal total
        caller = frame.f_back
        if event == "call" and caller is not None:
            before, after = caller.f_globals.get("__name__", ""), frame.f_globals.get("__name__", "")
            total += before != after and before.startswith("krmkit.") and after.startswith("krmkit.")

    for profile in (None, count):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            sys.setprofile(profile)
            try:
                code = main(words)
            finally:
                sys.setprofile(None)
        if code:
            raise MeasureError(f"krmkit {' '.join(words)}: exit code {code}")
    return total


def rendering(place: Path, explain: bool) -> Callable[[], float]:
    """Processor time of one render in memory."""
    options = RunOptions(explain)
    return calls(lambda: render(read(str(place)), ProgramResolver(options)), clock=process_time)
