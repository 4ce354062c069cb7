"""The cost of durable files, compared with a render of 1,000 files without any sync, on the checkout's disk."""

from __future__ import annotations

import ctypes
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import Command, Row, in_turns, row

GROUP = "Packages on disk"
ROOT = Path(__file__).resolve().parents[2]
FILES = 1_000
ROUNDS = 9
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: many
pipeline:
  mutators:
    - image: ghcr.io/krmkit/resolve-macros
      configPath: macros.yaml
"""
CONFIG = """\
apiVersion: krmkit.dev/v1alpha1
kind: ResolveMacros
metadata: {name: macros, annotations: {config.kubernetes.io/local-config: "true"}}
spec: {macros: {place: north}}
"""
ITEM = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-NUMBER
data:
  place: '{{ .spectro.macro.place }}'
"""
RENDER = "import sys; from krmkit.cli import main; sys.exit(main(['render', sys.argv[1]]))"
UNSYNCED = (
    "import os; os.fsync = lambda handle: None\n"
    "from krmkit.storage.disk import primitives; primitives.sync_disk = lambda path: True\n"
)


def rows() -> list[Row]:
    """Wall time of both, and the ratio."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        source = Path(name, "source")
        source.mkdir()
        (source / "Kptfile").write_text(KPTFILE)
        (source / "macros.yaml").write_text(CONFIG)
        for number in range(FILES):
            (source / f"config-{number}.yaml").write_text(ITEM.replace("NUMBER", str(number)))
        took = in_turns(
            {"synced": fresh(source, RENDER), "unsynced": fresh(source, UNSYNCED + RENDER)}, ROUNDS
        )
    title = f"krmkit render of a package, {FILES:,} files written"
    return [
        row(GROUP, title, took["synced"] * 1000, "ms"),
        row(GROUP, f"{title} / without any sync", took["synced"] / took["unsynced"], "x", 1.25),
    ]


def fresh(source: Path, program: str) -> Callable[[], float]:
    """The seconds of a render of a copy, with nothing left for the disk to write before it starts."""
    place = source.with_name("package")

    def measured() -> float:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source, place)
        ctypes.CDLL(None).sync()
        return Command([sys.executable, "-c", program, str(place)]).seconds()

    return measured
