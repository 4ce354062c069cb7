"""A render that is killed loses nothing: the next one completes what it had begun."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from krmkit.storage.disk.folders import MARK, WORK
from tests.e2e.orchestrate import Files, clean_environment, files_of, pipeline, put, run_dying, run_krmkit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PACKS = 150
KILLS = int(os.environ.get("KRMKIT_KILLS", "20"))  # of each kind
KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  mutators:
  - image: ghcr.io/krmkit/apply-presets
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


MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  key: value\n"


def moving(root: Path) -> Path:
    """A package whose function moves a hundred resources, each from a file of its own into a file of another one."""
    program = root.parent / "move.py"
    program.write_text(
        "import sys\ntext = sys.stdin.read()\n"
        "for number in range(100):\n"
        "    for quote in ('', \"'\", '\"'):\n"
        "        text = text.replace(f'path: {quote}a-{number}.yaml{quote}\\n', f'path: z-{number}.yaml\\n')\n"
        "sys.stdout.write(text)\n"
    )
    files = {f"a-{number}.yaml": MAP.format(name=f"moved-{number}") for number in range(100)}
    for number in range(0, 100, 2):
        # A number of its own lets the one that comes stand behind the one that is there.
        files[f"a-{number}.yaml"] = MAP.format(name=f"stays-{number}") + "---\n" + files[f"a-{number}.yaml"]
    kptfile = pipeline(f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(program))}")
    return put(root, {"Kptfile": kptfile, **files})


def names_in(files: Files) -> set[str]:
    """The names of all ConfigMaps in these files."""
    return {name.decode() for content in files.values() for name in re.findall(rb"name: ([\w-]+)\n", content)}


def without_work(files: Files) -> Files:
    """Less what a killed run had prepared and not yet put into place."""
    return {path: content for path, content in files.items() if WORK not in path.split("/")}


def kill(words: list[str], root: Path, dice: random.Random, delay: float) -> None:
    """Start a run and kill it after a while, or at a random point of its writing."""
    running = subprocess.Popen(
        [sys.executable, "-m", "krmkit", *words],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if delay:
        time.sleep(delay)
    else:
        wait_for_work(running, root, dice)
    running.kill()
    running.wait()


def wait_for_work(running: subprocess.Popen[bytes], root: Path, dice: random.Random) -> None:
    """Return at a random point of the writing: something prepared, or the journal written and so much of it done."""
    folder = root / WORK
    wanted = dice.choice((0, 1, 30, 70))
    if dice.random() < 0.4:
        while running.poll() is None and len(names(folder)) <= wanted:
            pass
        return
    while running.poll() is None and not (folder / "journal").exists():
        pass
    left = len([name for name in names(folder) if name.startswith("new-")])
    goal = dice.randrange(left + 1)
    while running.poll() is None and len([n for n in names(folder) if n.startswith("new-")]) > goal:
        pass


def names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


@pytest.mark.slow
@pytest.mark.parametrize("make", [package, moving], ids=["edits", "moves"])
def test_killed_at_random_moments(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """Every file is whole, no resource is lost, and the next render finishes the work and leaves nothing behind."""
    root = make(tmp_path / "p")
    before = files_of(root)
    start = time.monotonic()
    assert run_krmkit(root).returncode == 0
    duration = time.monotonic() - start
    after = files_of(root)
    assert names_in(after) == names_in(before)
    assert sum(before.get(path) != after.get(path) for path in before.keys() | after.keys()) >= 100
    dice = random.Random(1)
    outcomes: dict[str, int] = {}

    for number in range(KILLS):
        put(root, before)
        words = ["render", str(root), "--allow-exec"]
        if number % 2:
            run_dying(words, dice.randrange(1, 460))
        else:
            kill(words, root, dice, duration * dice.random() if number % 4 else 0.0)

        everything = files_of(root)
        found = without_work(everything)
        for path, content in found.items():
            assert content in {before.get(path), after.get(path)}, path
        assert names_in(everything) >= names_in(before)
        state = "old" if found == before else "new" if found == after else "in between"
        outcomes[state] = outcomes.get(state, 0) + 1

        done = run_krmkit(root)
        assert done.returncode == 0, done.stderr
        assert files_of(root) == after
        assert ("completed it" in done.stderr) >= (state == "in between")

    print(f"state of the files when killed: {outcomes}")


@pytest.mark.slow
def test_what_is_left_over_goes(tmp_path: Path) -> None:
    """A render takes it away, a dry run leaves it."""
    root = package(tmp_path / "p")
    assert run_krmkit(root).returncode == 0
    after = files_of(root)
    leftover = root / "packs" / f".app-1.yaml.x{MARK}"
    leftover.write_text("half")
    (root / WORK).mkdir()
    (root / WORK / "new-1").write_text("half")

    assert run_krmkit(root, "--dry-run").returncode == 0
    assert leftover.exists()
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


def test_a_reader_that_goes_away_after_the_work(tmp_path: Path) -> None:
    """The files are written, so the exit code is 0, however little of the diff was read."""
    root = package(tmp_path / "p")
    command = f"{shlex.quote(sys.executable)} -m krmkit render {shlex.quote(str(root))} --diff --write"
    script = f"{{ {command}; echo $? >{shlex.quote(str(tmp_path))}/code; }} | head -n 1"

    done = subprocess.run(["sh", "-c", script], env=clean_environment(), capture_output=True, check=False)

    assert (tmp_path / "code").read_text() == "0\n"
    assert done.stderr == b""
    alone = package(tmp_path / "q")
    assert run_krmkit(alone).returncode == 0
    assert files_of(root) == files_of(alone)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_told_to_end(tmp_path: Path, number: signal.Signals) -> None:
    """A run that is told to end takes its preparations away, and leaves all files old or all new."""
    root = package(tmp_path / "p")
    before = files_of(root)
    done = set()
    for dice in map(random.Random, range(4)):
        put(root, before)
        running = subprocess.Popen(
            [sys.executable, "-m", "krmkit", "render", str(root)],
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        wait_for_work(running, root, dice)
        running.send_signal(number)
        assert b"Traceback" not in running.communicate()[1]
        found = files_of(root)
        assert without_work(found) == found
        assert len({found[path] == before[path] for path in found if path.startswith("packs/")}) == 1
        done.add(running.returncode)

    assert done <= {0, 130}
    assert 130 in done


def test_nohup(tmp_path: Path) -> None:
    """A SIGHUP that is ignored stays so: the run goes on to its end."""
    root = package(tmp_path / "p")
    before = files_of(root)
    running = subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-m", "krmkit", "render", str(root)],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_work(running, root, random.Random(3))
    running.send_signal(signal.SIGHUP)

    assert running.wait() == 0
    assert files_of(root) != before


@pytest.mark.slow
def test_a_new_platform(tmp_path: Path) -> None:
    """`init --platform`, killed at any step of its writing: the next run completes it."""
    whole = tmp_path / "whole"
    assert run_dying(["init", "--platform", str(whole)], 10_000) == 0
    after = {path: content for path, content in files_of(whole).items() if path != "sites/.krmkit-variants"}
    dice = random.Random(5)
    deaths = 0
    for number, step in enumerate(sorted(dice.sample(range(1, 120), KILLS))):
        root = tmp_path / str(number) / "whole"
        root.parent.mkdir()
        deaths += run_dying(["init", "--platform", str(root)], step) != 0
        assert run_dying(["init", "--platform", str(root)], 10_000) == 0, step
        found = files_of(root)
        assert {path: found.get(path) for path in after} == after
        assert without_work(found) == found

    assert deaths > KILLS // 2
