"""A sync that is killed at any moment, git with it, leaves every ref old or new, and the next one finishes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, GitFleet, git

KILLS = int(os.environ.get("KRMKIT_KILLS", "20"))


@pytest.mark.slow
def test_killed_syncs(tmp_path: Path, project: Path) -> None:
    """Syncs are killed at random moments; no ref is lost, objects are sound, the next run finishes."""
    fleet = GitFleet(tmp_path, project, names=tuple(f"shop-{number}" for number in range(12)))
    draw = random.Random(7)
    env = {**os.environ, "PYTHONPATH": str(project / "shared")}
    started = time.monotonic()
    fleet.sync("--approve", "auto")
    whole = time.monotonic() - started
    for number in range(2, KILLS + 2):
        fleet.release(f"v{number}", {"app.yaml": APP.replace('"1"', f'"{number}"')})
        fleet.want(revision=number)
        before = fleet.refs()
        process = subprocess.Popen(
            fleet.command("sync", "--approve", "auto"),
            cwd=tmp_path,
            env=env,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(draw.uniform(0.2, 1.05) * whole)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        now = fleet.refs()
        lost = [ref for ref in before if ref not in now and "/drafts/" not in ref]
        assert not lost, f"kill {number}: {lost} are gone"

        fleet.sync("--approve", "auto")

        assert all(f"refs/tags/shop-{one}/v{number}" in fleet.refs() for one in range(12))
    git(fleet.shops, "fsck", "--strict")
