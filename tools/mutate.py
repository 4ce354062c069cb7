"""Changes a room of the library one place at a time, and tells which changes no near test sees.

    python -m tools.mutate ROOM [--count 150] [--seed 0] [--tests PATH...]

ROOM is a folder or module below shared/krmkit, by its path or by a name that only one has: `palette`, `clusterapi/plan`. The near tests
are the folder or module of the same place below tests/unit, and what tools/mutation/rooms.yaml adds. A survivor is a missing test, or
stands in tools/mutation/equal.yaml with the reason why nobody can see it.

Ours, as neither tool fits: cosmic-ray changes the files of the checkout and starts an interpreter for each change; mutmut changes what is
inside functions alone; neither drops an operand, a filter of a comprehension or a branch of a conditional expression, and such changes
are what thin tests let pass. Here a change lives in the memory of one forked process (tools/mutation/running.py).
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

import yaml

from tools.definitions import ROOT
from tools.mutation.mutants import Mutant, mutants
from tools.mutation.running import run

LIBRARY, UNIT = ROOT / "shared/krmkit", ROOT / "tests/unit"
EQUAL, ROOMS = ROOT / "tools/mutation/equal.yaml", ROOT / "tools/mutation/rooms.yaml"


class RoomError(Exception):
    """The room cannot be found, or its tests fail without a change."""


def room_of(name: str) -> Path:
    """The folder or module that a name means. Raises RoomError."""
    places = [path for path in LIBRARY.rglob("*") if path.is_dir() or path.suffix == ".py"]
    wanted = Path(name).with_suffix("").parts
    found = [
        path for path in places if path.relative_to(LIBRARY).with_suffix("").parts[-len(wanted) :] == wanted
    ]
    exact = LIBRARY / name
    if exact in found:
        return exact
    if len(found) != 1:
        shown = ", ".join(sorted(path.relative_to(LIBRARY).as_posix() for path in found)) or "none"
        raise RoomError(f"ROOM must be one folder or module below shared/krmkit, got {name}: {shown}")
    return found[0]


def near(room: Path) -> list[str]:
    """The tests nearest to a room: those of its place, and what is added for it, for what holds it and for what it holds."""
    inner = room.relative_to(LIBRARY).with_suffix("")
    added = {Path(name): tests for name, tests in yaml.safe_load(ROOMS.read_text("utf-8")).items()}
    kin = [added[one] for one in added if one.is_relative_to(inner) or inner.is_relative_to(one)]
    more = [*dict.fromkeys(test for tests in kin for test in tests)]
    for place in (inner, *inner.parents):
        found = [UNIT / place, UNIT / place.parent / f"test_{place.name}.py"]
        paths = [path.relative_to(ROOT).as_posix() for path in found if path.exists() and path != UNIT]
        if paths:
            return [*paths, *more]
    return [*more] or [UNIT.relative_to(ROOT).as_posix()]


def chosen(room: Path, count: int, seed: int) -> list[Mutant]:
    """Some changes of a room, the same for each seed; all where count is 0."""
    paths = [room] if room.is_file() else sorted(room.rglob("*.py"))
    every = [
        one for path in paths for one in mutants(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ]
    return (
        every
        if not 0 < count < len(every)
        else sorted(random.Random(seed).sample(every, count), key=lambda one: (one.path, one.line, one.new))
    )


def main(arguments: list[str]) -> int:
    """Run the changes, print each survivor that is not listed, and the counts."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutate", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("room")
    parser.add_argument(
        "--count", type=int, default=150, help="so many, chosen by the seed; 0 for all (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="+", help="instead of the nearest ones")
    options = parser.parse_args(arguments)
    sys.path[:0] = [str(ROOT / "shared"), str(ROOT)]
    os.environ["CI"] = "1"  # the same examples in every run
    listed = {(one["file"], one["old"], one["new"]) for one in yaml.safe_load(EQUAL.read_text("utf-8")) or []}
    try:
        room = room_of(options.room)
        tests = options.tests or near(room)
        counts = {"made": 0, "killed": 0, "listed": 0, "survived": 0}

        def told(mutant: Mutant, killed: bool) -> None:
            what = "killed" if killed else "listed" if mutant.key in listed else "survived"
            counts["made"] += 1
            counts[what] += 1
            if what == "survived":
                print(f"{mutant.path}:{mutant.line}\n  - {mutant.old}\n  + {mutant.new}", flush=True)

        if not run(chosen(room, options.count, options.seed), tests, told):
            raise RoomError(f"the tests fail without a change: {' '.join(tests)}")
    except RoomError as error:
        print(error, file=sys.stderr)
        return 2
    name = room.relative_to(LIBRARY).as_posix()
    print(f"{name}: {', '.join(f'{count} {what}' for what, count in counts.items())}, with {' '.join(tests)}")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
