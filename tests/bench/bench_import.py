"""`krmkit pack import` of many packs against `cp -R` of the same files, both onto the disk that this checkout is on."""

from __future__ import annotations

import ctypes
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import Command, Row, in_turns, row

GROUP = "Packs"
ROOT = Path(__file__).resolve().parents[2]
PACKS = 220
FILES = 10_890
ROUNDS = 3
SIZES = (200, 1_500, 6_000)  # bytes, in turns


def rows() -> list[Row]:
    """Wall time of both, and the ratio."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        place = Path(name)
        packs = make_packs(place / "packs")
        words = [
            sys.executable,
            "-m",
            "krmkit",
            "pack",
            "import",
            *map(str, packs),
            "--out",
            str(place / "out"),
        ]
        copy = Command([shutil.which("cp") or "/bin/cp", "-R", str(place / "packs"), str(place / "out")])
        took = in_turns({"cp": fresh(place, copy), "import": fresh(place, Command(words))}, ROUNDS)
    title = f"krmkit pack import of {PACKS} packs, {FILES:,} files"
    return [
        row(GROUP, title, took["import"] * 1000, "ms"),
        row(GROUP, f"{title} / cp -R", took["import"] / took["cp"], "x", 2),
    ]


def fresh(place: Path, command: Command) -> Callable[[], float]:
    """The seconds of a command that makes `out`, with nothing left for the disk to write before it starts."""

    def measured() -> float:
        shutil.rmtree(place / "out", ignore_errors=True)
        ctypes.CDLL(None).sync()
        return command.seconds()

    return measured


def make_packs(root: Path) -> list[Path]:
    """Folders of packs with charts, as they come from a registry of packs."""
    packs = []
    left = FILES
    for number in range(PACKS):
        pack = root / f"pack-{number:03}"
        templates = pack / "charts/app/templates"
        templates.mkdir(parents=True)
        data = {"name": pack.name, "version": "1.0.0", "layer": "addon"}
        (pack / "pack.json").write_text(json.dumps(data))
        (pack / "values.yaml").write_text(
            "".join(f"key{line}:\n  value: {line} # kept\n" for line in range(60))
        )
        count = left // (PACKS - number)
        for file in range(count - 2):
            (templates / f"t{file}.yaml").write_text("x" * SIZES[file % len(SIZES)])
        left -= count
        packs.append(pack)
    return packs
