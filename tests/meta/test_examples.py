"""The package that `make run` shows does what it is said to do; what functions' examples come to is in the contract."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from krmkit.fn.contract.expected import difference, snapshot


def render(package: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "krmkit", "render", str(package)], capture_output=True, text=True, check=False
    )


def test_profile_of_make_run(project: Path, tmp_path: Path) -> None:
    """The package that `make run` shows changes where the presets say, passes its checks, and stays as it is the second time."""
    package = tmp_path / "profile"
    shutil.copytree(project / "examples/edge-cluster-profile", package)
    before = snapshot(tmp_path / "index.git", package)

    done = render(package)

    assert done.returncode == 0, done.stdout + done.stderr
    changed = difference(tmp_path / "index.git", package, before)
    removed = [
        line[1:].strip()
        for line in changed.splitlines()
        if line.startswith("-") and not line.startswith("---")
    ]
    assert {
        "datastore: sqlite",
        "tunnelProtocol: vxlan   # what most networks carry",
        "retention: 2d",
    } <= set(removed)
    after = snapshot(tmp_path / "index.git", package)
    assert render(package).returncode == 0
    assert difference(tmp_path / "index.git", package, after) == ""
