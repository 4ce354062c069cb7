"""A render that is killed leaves each file as it was or as it should be, never half."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from krmkit.fn.write import MARK
from tests.e2e.orchestrate import Files, clean_environment, files_of, put, run_krmkit

PACKS = 150
KILLS = 100
KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  mutators:
  - image: example.dev/apply-presets
"""
PACK = """apiVersion: v1
kind: ConfigMap
metadata:
  name: app-{number}
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {{"name": "app-{number}", "version": "1.0.0", "layer": "addon"}}
  values.yaml: |
    # spectrocloud.com/enabled-presets: Mode:fast
    mode: slow
{rest}
  presets.yaml: |
    presets:
    - {{name: fast, group: Mode, remove: [], add: "mode: fast"}}
"""


def package(root: Path) -> Path:
    rest = "\n".join(f"    key{line}: value {line}" for line in range(40))
    packs = {f"packs/app-{number}.yaml": PACK.format(number=number, rest=rest) for number in range(PACKS)}
    return put(root, {"Kptfile": KPTFILE, **packs})


def without_leftovers(files: Files) -> Files:
    """Less the files that a killed run had prepared and not yet put into place."""
    return {path: content for path, content in files.items() if not path.endswith(MARK)}


def wait_for_work(running: subprocess.Popen[bytes], folder: Path, dice: random.Random) -> None:
    """Return at a random point of the work: so many files prepared, or all prepared and so many of them put in place."""
    prepared = dice.choice((0, 1, PACKS // 2, PACKS - 2))
    left = dice.randrange(PACKS)
    while running.poll() is None:
        count = sum(name.endswith(MARK) for name in os.listdir(folder))
        if count > prepared:
            break
    while prepared == PACKS - 2 and running.poll() is None and count > left:
        count = sum(name.endswith(MARK) for name in os.listdir(folder))


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """One hundred times: every file is whole, and the next render finishes the work and takes away what is left over."""
    root = package(tmp_path / "p")
    before = files_of(root)
    start = time.monotonic()
    assert run_krmkit(root).returncode == 0
    duration = time.monotonic() - start
    after = files_of(root)
    assert sum(before[path] != after[path] for path in before) == PACKS
    dice = random.Random(1)
    outcomes = set()

    for number in range(KILLS):
        shutil.rmtree(root)
        put(root, before)
        running = subprocess.Popen(
            [sys.executable, "-m", "krmkit", "render", str(root)],
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if number % 4 == 0:
            time.sleep(duration * dice.random())
        else:
            wait_for_work(running, root / "packs", dice)
        running.kill()
        running.wait()

        found = without_leftovers(files_of(root))
        assert found.keys() == before.keys()
        for path, content in found.items():
            assert content in {before[path], after[path]}, path
        outcomes.add(sum(content == after[path] != before[path] for path, content in found.items()))

    print(f"files already written when killed: {sorted(outcomes)}")
    leftover = root / "packs" / f".app-1.yaml.x{MARK}"
    leftover.write_text("half")
    assert run_krmkit(root, "--dry-run").returncode == 0
    assert leftover.exists()
    assert run_krmkit(root).returncode == 0
    assert files_of(root) == after
    leftover.write_text("half")
    assert run_krmkit(root).returncode == 0
    assert files_of(root) == after


def test_two_at_once(tmp_path: Path) -> None:
    """Renders of one package come one after the other: each ends well, and nothing of them is left but the result."""
    root = package(tmp_path / "p")
    others = [
        subprocess.Popen(
            [sys.executable, "-m", "krmkit", "render", str(root)],
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    said = [running.communicate()[1] for running in others]

    assert [running.returncode for running in others] == [0, 0, 0], said
    alone = package(tmp_path / "q")
    assert run_krmkit(alone).returncode == 0
    assert files_of(root) == files_of(alone)
