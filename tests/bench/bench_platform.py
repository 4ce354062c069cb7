"""A platform of five systems: three hundred packages made, rendered, reported, and the plans of two hundred.

The packages are variants of the blueprint in examples/platform: packs, a class with an extension, Installations, ten functions each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import topologies
from tests.bench.timing import Command, MeasureError, Row, in_turns, row, shares

GROUP = "Platform"
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/platform"
SITE = "lyon"
PACKAGES = 300
PLANNED = 200
CLUSTERS = 5  # of each planned package
GAIN = 1.6  # so many times faster are two cores to be


def rows() -> list[Row]:
    """Processor time of whole commands with two processes, the page's size, and what two cores can gain."""
    with tempfile.TemporaryDirectory() as name:
        return [*_packages(Path(name, "platform")), *_plans(Path(name, "plans"))]


def _packages(root: Path) -> list[Row]:
    """A change in the blueprint goes through all sites: as CI sees it, from the variants to the report."""
    _platform(root)
    words = ["variants", "render", str(root / "fleet/plants.yaml"), "--packages", str(root)]
    words += ["--objects", str(root / "fleet/objects"), "--out", str(root / "sites"), "--jobs", "2"]
    made = sum(shares(words))
    if len(list((root / "sites").glob("*/plant/Kptfile"))) != PACKAGES:
        raise MeasureError(f"{PACKAGES} packages were expected")
    _git(root, "init", "--quiet", "--initial-branch", "main", ".")
    _commit(root)
    packs = root / "blueprints/plant/packs.yaml"
    packs.write_text(packs.read_text("utf-8").replace("replicas: 3", "replicas: 2"), "utf-8")
    remade = sum(shares(words))
    _commit(root)
    render = ["render", "-r", str(root), "--since", "HEAD~1", "--check", "--jobs", "2"]
    parent, workers = shares(render)
    page = root.parent / "report.html"
    report = sum(shares(["report", str(root), "--objects", str(root / "fleet/objects"), "-o", str(page)]))
    title = f"{PACKAGES} packages of five systems"
    return [
        row(GROUP, f"`variants render` of {title}, CPU", made, "s"),
        row(GROUP, "the same once more, with one value changed in the blueprint", remade, "s"),
        row(GROUP, f"`render -r --since` of {title}, CPU", parent + workers, "s", 60),
        _gain("the same: one process / two, by the share that is not shared out", parent, workers),
        row(GROUP, f"`report` of {title}, CPU", report, "s"),
        row(GROUP, "its page", page.stat().st_size / 1e6, "MB"),
    ]


def _plans(root: Path) -> list[Row]:
    """`topology plan -r`: wall time with one process and with two, and what it could be on two idle cores."""
    for place, size in (("before", "2"), ("after", "3")):
        text = "---\n".join(topologies.documents(CLUSTERS)).replace("sizeGiB: 2", f"sizeGiB: {size}")
        for number in range(PLANNED):
            folder = root / place / f"p{number:03}"
            folder.mkdir(parents=True)
            kptfile = f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p{number:03}\n"
            (folder / "Kptfile").write_text(kptfile, "utf-8")
            (folder / "all.yaml").write_text(text, "utf-8")
    words = ["topology", "plan", "-r", str(root / "after"), "--against", str(root / "before"), "--jobs"]
    krmkit = [sys.executable, "-m", "krmkit"]
    one, two = (Command([*krmkit, *words, jobs], exit_code=2) for jobs in "12")
    taken = in_turns({"one": one.seconds, "two": two.seconds}, 3)
    parent, workers = shares([*words, "2"], 2)
    title = f"`topology plan -r` of {PLANNED} packages"
    found = [
        row(GROUP, f"{title}, CPU", parent + workers, "s"),
        _gain(f"{title}: one process / two, by the share that is not shared out", parent, workers),
    ]
    if len(os.sched_getaffinity(0)) > 1:
        ratio = taken["one"] / taken["two"]
        measured = row(GROUP, f"{title}: one process / two", ratio, "x")
        found.append({**measured, "goal": f">= {GAIN}", "met": ratio >= GAIN})
    return found


def _gain(name: str, parent: float, workers: float) -> Row:
    """How much faster two idle cores are at best: what the first process does itself takes as long as before."""
    gain = (parent + workers) / (parent + workers / 2)
    return {**row(GROUP, name, gain, "x"), "goal": f">= {GAIN}", "met": gain >= GAIN}


def _platform(root: Path) -> None:
    """The example, with as many sites as there are to be packages."""
    shutil.copytree(EXAMPLE, root)
    objects = root / "fleet/objects"
    text = (objects / f"{SITE}.yaml").read_text("utf-8")
    for file in objects.iterdir():
        file.unlink()
    for number in range(PACKAGES):
        name = f"plant-{number:03}"
        (objects / f"{name}.yaml").write_text(text.replace(SITE, name), "utf-8")


def _commit(root: Path) -> None:
    _git(root, "add", "--all")
    _git(root, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "x")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True)
