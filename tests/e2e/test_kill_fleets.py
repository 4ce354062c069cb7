"""A killed `variants render` or `pack import` loses nothing: the next run finishes what it had begun, and leaves nothing behind."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from krmkit.storage.disk.folders import WORK
from tests.e2e.orchestrate import Done, Files, clean_environment, files_of, put, run_dying

KILLS = int(os.environ.get("KRMKIT_KILLS", "15"))  # of each kind
SITES = 25
SET = """apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: fleet, namespace: default}
spec:
  upstream: {repo: bp, package: shop, revision: 1}
  targets:
  - repositorySelector: {}
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
REPOSITORY = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: NAME, namespace: default}\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {value: old}\n"


def run(words: list[str]) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "krmkit", *words],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def killed(words: list[str], work: Path, duration: float, dice: random.Random, steps: int) -> None:
    """Start a run and kill it: at a random moment, or at a random step of its writing."""
    if dice.random() < 0.6:
        run_dying(words, dice.randrange(1, steps))
        return
    running = subprocess.Popen(
        [sys.executable, "-m", "krmkit", *words],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if dice.random() < 0.5:
        time.sleep(duration * dice.random())
    else:
        while running.poll() is None and not (work / "journal").exists():
            pass
    running.kill()
    running.wait()


def judge(root: Path, before: Files, after: Files, outcomes: dict[str, int]) -> None:
    """Every file is as it was or as it should be, and nothing is in no place at all."""
    everything = files_of(root)
    found = {path: content for path, content in everything.items() if WORK not in path.split("/")}
    for path in before.keys() | found.keys():
        assert found.get(path) in {before.get(path), after.get(path)}, path
    kept = set(everything.values())
    assert set(before.values()) <= kept or set(after.values()) <= kept
    state = "old" if found == before else "new" if found == after else "in between"
    outcomes[state] = outcomes.get(state, 0) + 1


@pytest.mark.slow
def test_killed_fleets(tmp_path: Path) -> None:
    """A new blueprint for all sites, one site gone, one new: the next run brings the folder to the state of a run without kills."""
    place = put(
        tmp_path,
        {
            "set.yaml": SET,
            "bp/bp/shop/Kptfile": KPTFILE,
            **{f"objects/r{n}.yaml": REPOSITORY.replace("NAME", f"r{n}") for n in range(SITES)},
            **{f"bp/bp/shop/m{n}.yaml": MAP.replace("NAME", f"m{n}") for n in range(4)},
        },
    )
    out = place / "out"
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "bp")]
    words += ["--objects", str(place / "objects"), "--out", str(out), "--prune"]
    assert run(words).returncode == 0
    before = files_of(out)
    for n in range(4):
        (place / f"bp/bp/shop/m{n}.yaml").write_text(MAP.replace("NAME", f"m{n}").replace("old", "new"))
    (place / "bp/bp/shop/new").write_text("new")
    (place / "objects/r0.yaml").unlink()
    (place / "objects/x.yaml").write_text(REPOSITORY.replace("NAME", "x"))
    start = time.monotonic()
    assert run(words).returncode == 0
    duration = time.monotonic() - start
    after = files_of(out)
    assert len(after.keys() - before.keys()) > SITES
    dice = random.Random(2)
    outcomes: dict[str, int] = {}

    for _ in range(KILLS):
        put(out, before)
        killed([*words, "--jobs", dice.choice("12")], out / WORK, duration, dice, 600)
        judge(out, before, after, outcomes)
        done = run(words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert files_of(out) == after
        assert not (out / "r0").exists()

    print(f"state of the fleet when killed: {outcomes}")


@pytest.mark.slow
def test_killed_imports(tmp_path: Path) -> None:
    """Packs with other files, into a package that has older ones: the next import finishes, and an export gives them back."""
    packs = []
    for number in range(6):
        folder = put(
            tmp_path / f"packs/app{number}",
            {
                "pack.json": f'{{"name": "app{number}", "version": "2.0.0", "layer": "addon"}}',
                "values.yaml": f"a: {number}\n",
                **{f"charts/c{n}.tgz": f"{number} {n}" for n in range(6)},
            },
        )
        packs.append(str(folder))
    root = tmp_path / "p"
    words = ["pack", "import", *packs, "--out", str(root)]
    assert run(words[:4] + words[-2:]).returncode == 0
    before = files_of(root)
    (tmp_path / "packs/app0/values.yaml").write_text("a: new\n")
    start = time.monotonic()
    assert run(words).returncode == 0
    duration = time.monotonic() - start
    after = files_of(root)
    dice = random.Random(3)
    outcomes: dict[str, int] = {}

    for _ in range(KILLS):
        put(root, before)
        killed(words, root / WORK, duration, dice, 190)
        judge(root, before, after, outcomes)
        assert run(words).returncode == 0
        assert files_of(root) == after

    shutil.rmtree(tmp_path / "export", ignore_errors=True)
    assert run(["pack", "export", str(root), "--out", str(tmp_path / "export")]).returncode == 0
    exported = files_of(tmp_path / "export")
    assert {path: one for path, one in exported.items() if not path.startswith(".krmkit-packs/")} == files_of(
        tmp_path / "packs"
    )
    print(f"state of the package when killed: {outcomes}")
