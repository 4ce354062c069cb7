"""Runs all measurements and writes bench/RESULTS.md: python -m tests.bench.run [--only TEXT]

A measurement is a module bench_<what>.py beside this file with `rows() -> list[Row]` (see timing.py). All values of one run were measured
in that run, on the same machine; read the ratios, not the milliseconds.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from pathlib import Path

from tests.bench.bench_beside import figures
from tests.bench.timing import MeasureError, Row

HERE = Path(__file__).resolve().parent
REPORT = HERE.parents[1] / "bench" / "RESULTS.md"


def collect(only: str) -> list[Row]:
    """The rows of every module whose name holds `only`, by name of the module."""
    rows: list[Row] = []
    for path in sorted(HERE.glob("bench_*.py")):
        if only in path.stem:
            print(f"measuring {path.stem.removeprefix('bench_')} ...", file=sys.stderr, flush=True)
            rows += importlib.import_module(f"tests.bench.{path.stem}").rows()
    return rows


def report(rows: list[Row], machine: str) -> str:
    """The page: a line about the machine, then a table per group in order of appearance."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    lines = [
        "# Measurements",
        "",
        f"Written by `make bench`. {machine}. Medians; what is compared was measured in turns, in one run. Read the ratios.",
    ]
    for group, members in groups.items():
        lines += ["", f"## {group}", "", "| | Value | Goal | |", "|---|---:|---|---|"]
        for row in members:
            met = "" if row["met"] is None else "reached" if row["met"] else "**missed**"
            lines.append(f"| {row['name']} | {number(row['value'])} {row['unit']} | {row['goal']} | {met} |")
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """Three digits that say something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def machine() -> str:
    return f"{os.cpu_count()} cores ({platform.machine()}), {platform.python_implementation()} {platform.python_version()}"


def main(arguments: list[str]) -> int:
    only = arguments[1] if len(arguments) == 2 and arguments[0] == "--only" else ""
    if arguments and not only:
        print("usage: python -m tests.bench.run [--only TEXT]", file=sys.stderr)
        return 2
    try:
        rows = collect(only)
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    text = report(rows, machine())
    print(text)
    if not only:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(text + figures(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
