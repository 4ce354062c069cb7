"""Measure the cost of a fleet in git: run real syncs of growing fleets, and extrapolate from their slope to larger
ones.

    python -m tools.fleetcost                        # 250 and 1,000 variants of a package of 8 files
    python -m tools.fleetcost --variants 1000 10000 --files 30

Each fleet is cloned, synced again with nothing to do, and updated to a new version; CPU is that of all processes, git's included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.definitions import ROOT

SIZES = (1_000, 10_000, 100_000, 1_000_000)
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
pipeline:
  mutators:
    - image: gcr.io/kpt-fn/set-package-context:v1
      configMap: {tier: edge}
"""
SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {{name: fleet, namespace: default}}
spec:
  upstream: {{repo: blueprints, package: web, revision: {revision}}}
  targets:
    - repositories:
        - name: shops
          packageNames: [{names}]
"""
STEPS = ("clone", "nothing to do", "update")


class Measured:
    """One step of one fleet: CPU seconds and peak memory in MB of its processes, and what the repository then holds."""

    def __init__(self, cpu: float, memory: float, objects: int, packed: float, refs: int) -> None:
        self.values = {
            "CPU, s": cpu, "memory, MB": memory, "objects": float(objects), "packed, MB": packed, "refs": float(refs),
        }  # fmt: skip


def main() -> int:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--variants",
        type=int,
        nargs=2,
        default=[250, 1000],
        metavar="N",
        help="two sizes (default: 250 1000)",
    )
    parser.add_argument(
        "--files", type=int, default=8, metavar="N", help="files of the package (default: %(default)s)"
    )
    arguments = parser.parse_args()
    small, large = sorted(arguments.variants)
    if not 0 < small < large or arguments.files < 1:
        parser.error("--variants must be two different numbers above 0, --files one above 0")
    found = {}
    for count in (small, large):
        with tempfile.TemporaryDirectory(prefix="fleetcost-") as folder:
            found[count] = list(Fleet(Path(folder), count, arguments.files).steps())
    print(
        f"| {small:,} and {large:,} variants of {arguments.files} files | "
        + " | ".join(STEPS)
        + " |\n|---|---:|---:|---:|"
    )
    slopes: dict[str, list[float]] = {}
    for name in found[large][0].values:
        pairs = list(zip(found[small], found[large], strict=True))
        slopes[name] = [(b.values[name] - a.values[name]) / (large - small) for a, b in pairs]
        shown = (f"{a.values[name]:,.1f}, {b.values[name]:,.1f}" for a, b in pairs)
        print(f"| {name} | " + " | ".join(shown) + " |")
    print(
        "\n| variants | "
        + " | ".join(f"CPU {step}, s" for step in STEPS)
        + " | memory, MB | packed, MB | refs |\n|---:"
        + "|---:" * 6
        + "|"
    )
    for size in SIZES:
        cells = [line(found, slopes, "CPU, s", step, size, large) for step in range(3)]
        cells += [line(found, slopes, name, 2, size, large) for name in ("memory, MB", "packed, MB", "refs")]
        print(f"| {size:,} | " + " | ".join(f"{cell:,.0f}" for cell in cells) + " |")
    return 0


def line(
    found: dict[int, list[Measured]],
    slopes: dict[str, list[float]],
    name: str,
    step: int,
    size: int,
    large: int,
) -> float:
    """The value at `size` on the straight line through both measurements."""
    return max(0.0, found[large][step].values[name] + slopes[name][step] * (size - large))


class Fleet:
    """An upstream repository with one package, a downstream one, and a set of `count` variants."""

    def __init__(self, root: Path, count: int, files: int) -> None:
        self.root = root
        self.count = count
        (root / "up/web").mkdir(parents=True)
        self.git("up", "init", "-q", "-b", "main")
        self.git(".", "init", "-q", "--bare", "-b", "main", "shops.git")
        (root / "up/web/Kptfile").write_text(KPTFILE)
        for number in range(files - 1):
            data = "".join(f"  key-{key}: value {key} # why\n" for key in range(20))
            text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: part-{number}\ndata:\n  release: one\n{data}"
            (root / f"up/web/part-{number}.yaml").write_text(text)
        self.release(1)

    def git(self, folder: str, *words: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        command = ["git", "-C", str(self.root / folder), *who, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def release(self, number: int) -> None:
        part = self.root / "up/web/part-0.yaml"
        if number > 1 and part.exists():
            part.write_text(part.read_text().replace("release: one", "release: two"))
        self.git("up", "add", "-A")
        self.git("up", "commit", "-q", "--allow-empty", "-m", f"web v{number}")
        self.git("up", "tag", f"web/v{number}")

    def steps(self) -> Iterator[Measured]:
        yield self.sync(1)
        yield self.sync(1)
        self.release(2)
        yield self.sync(2)

    def sync(self, revision: int) -> Measured:
        names = ", ".join(f"shop-{number:07}" for number in range(self.count))
        (self.root / "set.yaml").write_text(SET.format(revision=revision, names=names))
        words = [
            "variants",
            "sync",
            "set.yaml",
            "--repo",
            "blueprints=up",
            "--repo",
            "shops=shops.git",
            "--jobs",
            "1",
        ]
        before = os.times()
        # A process of its own in between, whose children's peak is that of this sync alone.
        script = (
            "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
            " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, sys.executable, "-m", "krmkit.cli", *words],
            cwd=self.root, env={**os.environ, "PYTHONPATH": str(ROOT / "shared")}, stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        listed = dict(line.split(": ") for line in self.git("shops.git", "count-objects", "-v").splitlines())
        refs = len(self.git("shops.git", "for-each-ref").splitlines())
        objects, packed = int(listed["in-pack"]) + int(listed["count"]), int(listed["size-pack"]) / 1024
        return Measured(cpu, int(done.stdout) / 1024, objects, packed, refs)


if __name__ == "__main__":
    raise SystemExit(main())
