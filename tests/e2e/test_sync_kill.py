"""A sync that is killed at any moment, git with it, leaves every ref old or new, and the next one finishes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, GitFleet, git

NOTHING = "0" * 40
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


@pytest.mark.parametrize("applied", [1, 4])
def test_a_sync_that_stopped_between_two_refs(tmp_path: Path, project: Path, applied: int) -> None:
    """The next one says so, and ends with the refs of a run without a kill; a draft that a person edited since keeps the edit."""
    fleet = GitFleet(tmp_path, project, names=("north", "south"))
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)
    fleet.sync()
    fleet.release("v3", {"app.yaml": APP.replace('"1"', '"3"')})
    fleet.want(revision=3)
    before = fleet.refs()
    fleet.sync("--approve", "auto")
    after = fleet.refs()
    changes = {
        ref: (before.get(ref, NOTHING), after.get(ref, NOTHING))
        for ref in sorted({*before, *after})
        if before.get(ref) != after.get(ref)
    }
    assert len(changes) == 8  # of each variant its draft, tag and state; main, and what is remembered of it
    # git makes what comes first, and then removes what goes.
    ordered = sorted(changes, key=lambda ref: (changes[ref][1] == NOTHING, ref))
    for ref in ordered[applied:]:
        old = changes[ref][0]
        git(fleet.shops, "update-ref", *(("-d", ref) if old == NOTHING else (ref, old)))
    (fleet.shops / "krmkit-sync.json").write_text(json.dumps(changes), encoding="utf-8")
    draft = "drafts/south/packagevariant-2"
    edited = f"refs/heads/{draft}" in fleet.refs()
    if edited:
        fleet.edit(draft, "south/app.yaml", fleet.read(draft, "south/app.yaml").replace("small", "large"))

    said = fleet.sync("--approve", "auto")

    assert "completed a sync that was killed" in said
    assert "0 variants changed" in fleet.sync("--approve", "auto")
    now = fleet.refs()
    assert {ref: oid for ref, oid in now.items() if "north" in ref} == {
        ref: oid for ref, oid in after.items() if "north" in ref
    }
    for name, size in (("north", "small"), ("south", "large" if edited else "small")):
        text = fleet.read("main", f"{name}/app.yaml")
        assert f"size: {size}" in text and 'release: "3"' in text
