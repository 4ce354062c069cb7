"""Fleets: merges against `kpt pkg update`, and ten thousand packages of one blueprint."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

from krmkit.render.packagemerge import merge_packages
from tests.bench.timing import MeasureError, Row, row

GROUP = "Fleets"
ROOT = Path(__file__).resolve().parents[2]
MERGED = 1_000
BY_KPT = 20  # kpt takes some tenths of a second for one, so that a few of them stand for all
RESOURCES = 10
TARGETS = (2_000, 10_000)
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"
RENDERED = (
    KPTFILE + "pipeline:\n  mutators:\n    - image: x/set-package-context\n      configMap: {tier: edge}\n"
)
SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {{name: fleet, namespace: default}}
spec:
  upstream: {{repo: blueprints, package: web, revision: 1}}
  targets:
    - repositories:
        - name: shops
          packageNames: [{names}]
"""


def rows() -> list[Row]:
    """The rows of the report."""
    with tempfile.TemporaryDirectory(prefix="krmkit-bench-") as folder:
        return [*_merges(Path(folder, "merge")), *_renders(Path(folder, "render"))]


def files(release: int, context: str) -> dict[str, bytes]:
    """A package of ten resources; `context` differs from package to package."""
    made = {"Kptfile": KPTFILE.encode()}
    for number in range(RESOURCES):
        data = "".join(f"  key-{key}: value {key} # why\n" for key in range(10))
        release_line = f'  release: "{release if not number else 0}"\n'
        made[f"part-{number}.yaml"] = (
            f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: part-{number}\ndata:\n  site: {context}\n{release_line}{data}"
        ).encode()
    return made


def _merges(root: Path) -> list[Row]:
    """CPU for a package: krmkit's merge in process, and kpt's update with the processes that it starts."""
    kpt = shutil.which("kpt")
    if kpt is None:
        raise MeasureError("kpt is not on PATH")
    local = _fetched(root, kpt)
    start = process_time()
    for number in range(MERGED):
        merged = merge_packages(files(1, "x"), files(2, "x"), files(1, f"site-{number}")).files
        assert b'release: "2"' in merged["part-0.yaml"] and f"site-{number}".encode() in merged["part-0.yaml"]
    ours = (process_time() - start) / MERGED
    before = os.times()
    for number in range(BY_KPT):
        _run(local, kpt, "pkg", "update", f"p{number}@v2")
    after = os.times()
    theirs = (
        after.children_user + after.children_system - before.children_user - before.children_system
    ) / BY_KPT
    return [
        row(GROUP, f"merge of a package of {RESOURCES} resources, one field changed upstream, CPU ({MERGED:,} of them)", ours * 1000, "ms"),
        row(GROUP, f"`kpt pkg update` of the same, CPU ({BY_KPT} of them)", theirs * 1000, "ms"),
        row(GROUP, "merge / kpt pkg update", ours / theirs, "x", 0.1),
    ]  # fmt: skip


def _fetched(root: Path, kpt: str) -> Path:
    """A repository with two versions of a package, and packages that kpt fetched from it and people edited."""
    upstream, local = root / "upstream", root / "local"
    for folder in (upstream, local):
        folder.mkdir(parents=True)
        _run(folder, "git", "init", "-q", "-b", "main")
    for release in (1, 2):
        _write(upstream / "pkg", files(release, "x"))
        _run(upstream, "git", "add", ".")
        _run(upstream, "git", "commit", "-qm", str(release))
        _run(upstream, "git", "tag", f"v{release}")
    for number in range(BY_KPT):
        _run(local, kpt, "pkg", "get", f"file://{upstream}/.git/pkg@v1", f"p{number}")
        for place in (local / f"p{number}").glob("part-*.yaml"):
            place.write_text(place.read_text("utf-8").replace("site: x", f"site: site-{number}"), "utf-8")
    _run(local, "git", "add", ".")
    _run(local, "git", "commit", "-qm", "edited")
    return local


def _renders(root: Path) -> list[Row]:
    """CPU and peak memory of `krmkit variants render` with one process, for a small and a large fleet."""
    _write(root / "blueprints/blueprints/web", {**files(1, "x"), "Kptfile": RENDERED.encode()})
    for number in range(7, RESOURCES):
        (root / f"blueprints/blueprints/web/part-{number}.yaml").unlink()
    found = []
    for count in TARGETS:
        names = ", ".join(f"shop-{number:05}" for number in range(count))
        (root / "set.yaml").write_text(SET.format(names=names), "utf-8")
        found.append(_render(root, f"out-{count}"))
    (_, small), (cpu, large) = found
    title = f"`variants render` of {TARGETS[1]:,} packages of 8 files"
    return [
        row(GROUP, f"{title}, CPU", cpu, "s", 60),
        row(GROUP, f"{title}, peak memory", large, "MB"),
        row(GROUP, f"{title}, peak memory / that of {TARGETS[0]:,}", large / small, "x"),
        row(
            GROUP,
            f"{title}, memory of each more",
            (large - small) * 1024 / (TARGETS[1] - TARGETS[0]),
            "KB",
            2,
        ),
    ]


def _render(root: Path, out: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB."""
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        " used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        " print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(done.returncode)"
    )
    words = ["variants", "render", "set.yaml", "--packages", "blueprints", "--out", out, "--jobs", "1"]
    command = [sys.executable, "-c", script, sys.executable, "-m", "krmkit.cli", *words]
    done = subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": str(ROOT / "shared")}, capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise MeasureError(done.stderr)
    cpu, memory = done.stdout.split()
    return float(cpu), int(memory) / 1024


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        (folder / path).write_bytes(content)


def _run(folder: Path, *command: str) -> None:
    home = {"HOME": str(folder.parent), "KPT_CACHE_DIR": str(folder.parent / "cache")}
    who = {
        f"GIT_{role}_{what}": "t@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(command, cwd=folder, env={**os.environ, **home, **who}, capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise MeasureError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
