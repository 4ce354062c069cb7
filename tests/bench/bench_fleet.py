"""Fleets: merges against `kpt pkg update`, ten thousand packages of one blueprint, and syncs of as many variants in git."""

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
BY_KPT = 20  # kpt takes some tenths of a second for one, so a few of them represent all
RESOURCES = 10
TARGETS = (2_000, 10_000)
EDITED = 200  # variants whose drafts people edited
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"
RENDERED = (
    KPTFILE
    + "pipeline:\n  mutators:\n    - image: ghcr.io/krmkit/set-package-context\n      configMap: {tier: edge}\n"
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
        return [
            *_merges(Path(folder, "merge")),
            *_renders(Path(folder, "render")),
            *_syncs(Path(folder, "sync")),
        ]


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
        row(GROUP, "merge / kpt pkg update", ours / theirs, "x", 0.03),
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


def _syncs(root: Path) -> list[Row]:
    """CPU of a sync that has nothing to do, and what lies beside the refs for each variant."""
    large = _synced(root / "large", TARGETS[1])
    before = _state_bytes(large) / TARGETS[1]
    cpu, _ = _measured(large, *_sync_words(large))
    small = _synced(root / "small", EDITED)
    _edit_drafts(small)
    _release(small, 2)
    _measured(small, *_sync_words(small))
    name = f"`variants sync` of {TARGETS[1]:,} variants with nothing to do, CPU for each"
    return [
        row(GROUP, name, cpu / TARGETS[1] * 1000, "ms", 0.5),
        row(GROUP, "state of a variant that nobody edited, beside the refs", before / 1024, "KB", 2),
        row(GROUP, "state of a variant with an edited draft, after an update", _state_bytes(small) / EDITED / 1024, "KB", 2),
    ]  # fmt: skip


def _synced(root: Path, count: int) -> Path:
    """An upstream repository, and one with `count` variants of its package as drafts."""
    (root / "up/web").mkdir(parents=True)
    _run(root / "up", "git", "init", "-q", "-b", "main")
    _run(root, "git", "init", "-q", "--bare", "-b", "main", "shops.git")
    names = ", ".join(f"shop-{number:05}" for number in range(count))
    (root / "set.yaml").write_text(SET.format(names=names), "utf-8")
    _release(root, 1)
    _measured(root, *_sync_words(root))
    return root


def _release(root: Path, number: int) -> None:
    _write(root / "up/web", {**files(number, "x"), "Kptfile": RENDERED.encode()})
    for part in range(7, RESOURCES):
        (root / f"up/web/part-{part}.yaml").unlink()
    _run(root / "up", "git", "add", "-A")
    _run(root / "up", "git", "commit", "-qm", str(number))
    _run(root / "up", "git", "tag", f"web/v{number}")
    sets = root / "set.yaml"
    sets.write_text(
        sets.read_text("utf-8").replace(f"revision: {number - 1}", f"revision: {number}"), "utf-8"
    )


def _edit_drafts(root: Path) -> None:
    """A person's commit on each draft."""
    lines = []
    for number in range(EDITED):
        name = f"shop-{number:05}"
        text = files(1, f"site-{number}")["part-1.yaml"].decode()
        lines.append(
            f"commit refs/heads/drafts/{name}/packagevariant-1\ncommitter t <t@example.com> {number} +0000\ndata 1\nx\n"
            f"from refs/heads/drafts/{name}/packagevariant-1^0\nM 100644 inline {name}/part-1.yaml\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=root / "shops.git", input="".join(lines), text=True, check=True
    )


def _state_bytes(root: Path) -> int:
    """Bytes on the disk of the objects that only the states of variants lead to."""

    def git(*words: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", *words], cwd=root / "shops.git", input=stdin, capture_output=True, text=True, check=True
        )
        return done.stdout

    listed = git(
        "rev-list", "--objects", "--no-object-names", "--glob=refs/krmkit", "--not", "--branches", "--tags"
    )
    shown = git("for-each-ref", "--format=%(objectname)", "refs/krmkit")
    kept = git("rev-list", "--objects", "--no-object-names", "--branches", "--tags")
    own = {*listed.split(), *shown.split()} - {*kept.split()}
    sizes = git("cat-file", "--batch-check=%(objectsize:disk)", stdin="\n".join(sorted(own)))
    return sum(map(int, sizes.split()))


def _sync_words(root: Path) -> list[str]:
    repos = [f"--repo=blueprints={root / 'up'}", f"--repo=shops={root / 'shops.git'}"]
    return ["variants", "sync", "set.yaml", *repos, "--jobs", "1"]


def _render(root: Path, out: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB."""
    words = ["variants", "render", "set.yaml", "--packages", "blueprints", "--out", out, "--jobs", "1"]
    return _measured(root, *words)


def _measured(root: Path, *words: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a krmkit command."""
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        " used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        " print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(done.returncode)"
    )
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
