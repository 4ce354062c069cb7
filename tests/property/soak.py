"""`make soak`: run mutated lists for a while, and write down those with which something goes wrong.

python -m tests.property.soak --seconds 3600 --seed 7 --out build/soak
"""

from __future__ import annotations

import argparse
import signal
import time
from pathlib import Path
from types import FrameType

from tests.property.mutate import cases, problem

SLOW = 20  # seconds that one case may take


def main() -> int:
    """Run until the time is up; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--out", type=Path, default=Path("build/soak"))
    words = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    end = time.monotonic() + words.seconds
    count = found = 0
    for case in cases(words.seed):
        if time.monotonic() > end:
            break
        signal.alarm(SLOW)
        said = problem(case)
        signal.alarm(0)
        count += 1
        if said:
            found += 1
            words.out.mkdir(parents=True, exist_ok=True)
            (words.out / f"{case.folder.name}.{words.seed}.{count}.yaml").write_text(case.text, "utf-8")
            print(f"{case.label}: {said}", flush=True)
    print(f"{count} lists, {found} findings (seed {words.seed})")
    return 1 if found else 0


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"takes longer than {SLOW} seconds")


if __name__ == "__main__":
    raise SystemExit(main())
