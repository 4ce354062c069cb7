"""`make soak`: run mutated lists for a while, and write down those with which something goes wrong.

python -m tests.property.soak --seconds 3600 --seed 7 --out build/soak
python -m tests.property.soak --each 100 --seeds 20 --seed 1      # as many lists of every function, whatever time it takes
"""

from __future__ import annotations

import argparse
import random
import signal
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import FrameType

from tests.contract.checks import FUNCTIONS
from tests.property.mutate import Case, cases, problem
from tests.property.test_readable_outputs import broken
from tests.property.test_readable_outputs import problem as unreadable

SLOW = 20  # seconds that one case may take


def main() -> int:
    """Run until the time is up, or all lists are through; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="so many seeds, with --each")
    parser.add_argument("--each", type=int, default=0, help="so many lists of each function and seed")
    parser.add_argument("--out", type=Path, default=Path("build/soak"))
    words = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    end = time.monotonic() + words.seconds
    count = found = 0
    for case in _of_each(words.seed, words.seeds, words.each) if words.each else cases(words.seed):
        if not words.each and time.monotonic() > end:
            break
        said = _judged(case)
        count += 1
        if said:
            found += 1
            words.out.mkdir(parents=True, exist_ok=True)
            (words.out / f"{case.folder.name}.{words.seed}.{count}.yaml").write_text(case.text, "utf-8")
            print(f"{case.label}: {said}", flush=True)
    print(f"{count} lists, {found} findings (seed {words.seed})")
    return 1 if found else 0


def _of_each(first: int, seeds: int, count: int) -> Iterator[Case]:
    """Lists of every function: every second one has signs of YAML in wrong places, too."""
    for seed in range(first, first + seeds):
        dice = random.Random(seed)
        for folder in FUNCTIONS:
            for number, case in enumerate(islice(cases(seed, folder), count)):
                yield Case(case.example, broken(case.text, dice), case.label) if number % 2 else case
        print(f"seed {seed} is through", flush=True)


def _judged(case: Case) -> str:
    """The error of a run of the list, or of reading its output by Go's rules; "" if there is none."""
    signal.alarm(SLOW)
    try:
        return problem(case) or unreadable(str(case.folder), case.text)
    except Exception as error:  # noqa: BLE001  # a traceback is a finding like another
        return f"{type(error).__name__}: {str(error)[:500]}"
    finally:
        signal.alarm(0)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"takes longer than {SLOW} seconds")


if __name__ == "__main__":
    raise SystemExit(main())
