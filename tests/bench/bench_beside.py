"""kpt's functions beside the programs that they reproduce, and a pipeline of four beside kpt with programs that cost nothing.

KRMKIT_GO (`make bench GO=DIR`) names a folder with the programs, built from kpt's catalog, each with the name of its function. Without
it, the page has what was measured elsewhere.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench import image
from tests.bench.bench_everyday import FUNCTIONS, resource_list
from tests.bench.timing import Command, MeasureError, Row, in_turns, row

GROUP = "Beside kpt and its functions"
SIZES = {3: None, 100: 1.0, 1_000: 0.5, 10_000: 0.3}  # and what ours may take of theirs
PIPED = (3, 100, 1_000)
NAMES = ("set-namespace", "set-labels", "apply-setters", "search-replace", "set-image", "starlark")
TOGETHER = ("set-namespace", "set-labels", "apply-setters", "set-image")
PROGRAM = """\
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: StarlarkRun
  metadata: {name: c}
  source: |
    for item in ctx.resource_list["items"]:
      item["metadata"]["annotations"]["note"] = "shop"
"""
FIGURES = """
## Beside the programs of kpt's catalog, measured elsewhere

`make bench GO=DIR` measures this on your machine; DIR holds the programs. In November 2026, on an idle machine with two cores, kpt's own
functions, built from source, ran in turns with the commands that pip installs, on lists in which every item changes. Medians of wall time,
ours / theirs; in brackets processor time, where it was noted. krmkit worked on a list in one process then.

| Items | set-namespace | set-labels | apply-setters | search-replace | set-image | starlark |
|---:|---|---|---|---|---|---|
| 3 | 3.7 | 5.3 | 5.3 | 4.5 | 3.8 | 4.8 |
| 100 | 1.3 | 2.5 | 1.6 | 1.96 | 1.9 | 1.45 |
| 1,000 | 0.81 (0.54) | 1.6 (1.06) | 0.60 | 0.93 | 0.73 | 0.87 |
| 10,000 | 0.63 (0.41) | 1.15 (0.76) | 0.51 | 1.01 | 0.54 | 0.78 |
| memory at 10,000 | 0.15 | 0.22 | 0.18 | 0.22 | 0.16 | 0.28 |

`krmkit render` of set-namespace, set-labels, apply-setters and set-image / `kpt fn render --allow-exec` with those programs: 0.43 for 3
resources, 0.21 for 100, 0.147 for 1,000.
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\npipeline:\n  mutators:\n"
RENDER = "import sys; from krmkit.cli import main; sys.exit(main(['render', sys.argv[1]]))"


def rows() -> list[Row]:
    """Ratios of wall times, and of memory."""
    with tempfile.TemporaryDirectory() as name:
        found = [one for count in PIPED for one in _pipeline(Path(name), count)]
        programs = os.environ.get("KRMKIT_GO")
        return found + (_functions(Path(name), Path(programs)) if programs else [])


def figures() -> str:
    """The part of the page that was measured elsewhere; "" if this run measured it."""
    return "" if os.environ.get("KRMKIT_GO") else FIGURES


def _functions(place: Path, programs: Path) -> list[Row]:
    folders = image.lay_out(place)
    found = []
    for name in NAMES:
        for count, goal in SIZES.items():
            given = place / f"{name}-{count}"
            given.write_text(
                resource_list(count, PROGRAM if name == "starlark" else FUNCTIONS[name][0]), "utf-8"
            )
            ours, theirs = image.command(folders / name, given), Command([str(programs / name)], given)
            marks = ("shop", "1.27")
            if any(sum(map(one.output().count, marks)) < count for one in (ours, theirs)):
                raise MeasureError(f"{name}: an item is not changed")
            taken = in_turns({"ours": ours.seconds, "theirs": theirs.seconds}, 7)
            title = f"{name}, {count:,} items, as in an image / {name} of kpt's catalog"
            found.append(row(GROUP, title, taken["ours"] / taken["theirs"], "x", goal))
        found.append(row(GROUP, f"{title}, memory", ours.peak() / theirs.peak(), "x", 0.3))
    return found


def _pipeline(place: Path, count: int) -> list[Row]:
    """Four functions on a package of `count` resources, a file each. kpt's programs hand on what they get: it does no work but its own."""
    kpt = shutil.which("kpt")
    if kpt is None:
        print("kpt is not on PATH: its rows are left out", file=sys.stderr)
        return []
    source = place / f"package-{count}"
    source.mkdir()
    items = resource_list(count, "").partition("items:\n")[2].removeprefix("- ").split("\n- ")
    for number, item in enumerate(items):
        lines = [
            line for line in item.replace("\n  ", "\n").split("\n") if "config.kubernetes.io" not in line
        ]
        (source / f"web-{number}.yaml").write_text(
            "\n".join(lines).replace("annotations:", "annotations: {a: b}"), "utf-8"
        )

    def fresh(name: str, arguments: list[str], programs: list[str]) -> Callable[[], float]:
        def measured() -> float:
            package = place / name
            shutil.rmtree(package, ignore_errors=True)
            shutil.copytree(source, package)
            entries = "".join(
                f"  - exec: {program}\n    configMap: {FUNCTIONS[function][0].rpartition('data: ')[2]}"
                for program, function in zip(programs, TOGETHER, strict=True)
            )
            (package / "Kptfile").write_text(KPTFILE + entries, "utf-8")
            return Command([*arguments, str(package)]).seconds()

        return measured

    taken = in_turns(
        {
            "ours": fresh("ours", [sys.executable, "-c", RENDER], list(TOGETHER)),
            "kpt": fresh("kpt", [kpt, "fn", "render", "--allow-exec"], ["/bin/cat"] * len(TOGETHER)),
        },
        5,
    )
    done = "".join(path.read_text("utf-8") for path in (place / "ours").glob("*.yaml"))
    if min(done.count(text) for text in ("namespace: shop", "    team: shop\nspec", "nginx:1.27")) < count:
        raise MeasureError("the pipeline does not do what its functions do")
    title = f"krmkit render of four functions on {count:,} resources / kpt fn render with cat four times"
    return [row(GROUP, title, taken["ours"] / taken["kpt"], "x")]
