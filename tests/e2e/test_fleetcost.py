"""The simulation that docs/scale.md tells of runs, and its lines lead through what was measured."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def cells(line: str) -> list[float]:
    return [float(cell.replace(",", "")) for cell in line.strip("| ").split(" | ")]


def test_small_fleets(project: Path) -> None:
    """Two refs for each variant, in what was measured and in what is told for a million."""
    words = [sys.executable, "-m", "tools.fleetcost", "--variants", "6", "3", "--files", "2"]
    env = {**os.environ, "PYTHONPATH": f"{project / 'shared'}{os.pathsep}{project}"}
    done = subprocess.run(words, cwd=project, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    (refs,) = [line for line in lines if line.startswith("| refs |")]
    assert refs == "| refs | 6.0, 12.0 | 6.0, 12.0 | 6.0, 12.0 |"
    last = cells(lines[-1])
    assert (last[0], last[-1]) == (1_000_000, 2_000_000)
