"""Measuring whole processes, and comparing things in turns, so that what else the machine does hits all of them alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypedDict

# The interpreter itself: no version manager's shim, no link of a virtual environment.
INTERPRETER = os.path.realpath(getattr(sys, "_base_executable", sys.executable))

# The peak of a child counts from the fork on, when it still is its parent: so a small interpreter is the parent.
_PEAK = """
import posix, sys
pid = posix.fork()
if not pid:
    posix.dup2(posix.open(sys.argv[1], posix.O_RDONLY), 0)
    posix.dup2(posix.open("/dev/null", posix.O_WRONLY), 1)
    posix.execv(sys.argv[2], sys.argv[2:])
_, status, usage = posix.wait4(pid, 0)
print(posix.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""

# A command of krmkit in a process of its own, which says at its end what it took itself, and what those took that it started.
_SHARES = """
import resource, sys
sys.path[:0] = [sys.argv.pop(1)]
from krmkit.cli import main
code = main()
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(code, *(one.ru_utime + one.ru_stime for one in used), file=sys.stderr)
"""


class Row(TypedDict):
    """One line of the report. `goal` is '' where none is set, and `met` then None."""

    group: str
    name: str
    value: float
    unit: str
    goal: str
    met: bool | None


class MeasureError(Exception):
    """The measured command failed, or had a wrong result."""


class Command:
    """A program with its arguments, what it reads, and the exit code that it must end with."""

    __slots__ = ("arguments", "exit_code", "stdin")

    def __init__(self, arguments: Sequence[str], stdin: Path | None = None, exit_code: int = 0) -> None:
        self.arguments = list(arguments)
        self.stdin = os.devnull if stdin is None else str(stdin)
        self.exit_code = exit_code

    def seconds(self, output: str = os.devnull) -> float:
        """Wall time of one process, from its start to its end."""
        return self._ended(output)[0]

    def processor_seconds(self) -> float:
        """Processor time of one process, in its own code and in the kernel's: what else the machine does hardly counts."""
        return self._ended(os.devnull)[1]

    def _ended(self, output: str) -> tuple[float, float]:
        files = [
            (os.POSIX_SPAWN_OPEN, 0, self.stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        ]
        start = perf_counter()
        pid = os.posix_spawn(self.arguments[0], self.arguments, _environment(), file_actions=files)
        _, status, usage = os.wait4(pid, 0)
        taken = perf_counter() - start
        self._check(os.waitstatus_to_exitcode(status))
        return taken, usage.ru_utime + usage.ru_stime

    def output(self) -> str:
        """The stdout of one process."""
        with open(self.stdin, "rb") as stdin:
            done = subprocess.run(
                self.arguments, stdin=stdin, capture_output=True, check=False, env=_environment()
            )
        if done.returncode != self.exit_code:
            raise MeasureError(
                f"{self}: exit code {done.returncode}\n{done.stdout[-800:]!r}\n{done.stderr[-800:]!r}"
            )
        return done.stdout.decode("utf-8")

    def peak(self) -> int:
        """Most memory that one process held, in bytes, the interpreter included."""
        done = subprocess.run(
            [INTERPRETER, "-I", "-S", "-c", _PEAK, self.stdin, *self.arguments],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=_environment(),
        )
        code, kibibytes = done.stdout.split()
        self._check(int(code))
        return int(kibibytes) * 1024

    def _check(self, code: int) -> None:
        if code != self.exit_code:
            raise MeasureError(f"{self}: exit code {code}, not {self.exit_code}")

    def __str__(self) -> str:
        return " ".join(Path(part).name if part.startswith("/") else part for part in self.arguments)[:200]


def shares(words: Sequence[str], exit_code: int = 0) -> tuple[float, float]:
    """Processor time of a command of krmkit: of its own process, and of those that it shares its work out to.

    Two idle cores are at best (own + others) / (own + others / 2) times as fast as one, whatever else a busy machine does now.
    """
    done = subprocess.run(
        [sys.executable, "-c", _SHARES, str(Path(__file__).resolve().parents[2] / "shared"), *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
        env=_environment(),
    )
    code, own, others = done.stderr.splitlines()[-1].split()
    if int(code) != exit_code:
        raise MeasureError(f"krmkit {' '.join(words)}: exit code {code}\n{done.stderr[-800:]}")
    return float(own), float(others)


def in_turns(measured: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Calls everything once per round, first in one order, then in the other; returns the medians. One round before counts nothing."""
    taken: dict[str, list[float]] = {name: [] for name in measured}
    for name in measured:
        measured[name]()
    for turn in range(rounds):
        for name in sorted(measured, reverse=bool(turn % 2)):
            taken[name].append(measured[name]())
    return {name: statistics.median(times) for name, times in taken.items()}


def calls(
    function: Callable[[], object], times: int = 1, clock: Callable[[], float] = perf_counter
) -> Callable[[], float]:
    """Makes a function of this process measurable: seconds per call, by the wall's clock or by that of the processor."""

    def measured() -> float:
        start = clock()
        for _ in range(times):
            function()
        return (clock() - start) / times

    return measured


def row(group: str, name: str, value: float, unit: str, at_most: float | None = None) -> Row:
    """A line of the report; with a goal when the value has an upper bound."""
    return {
        "group": group,
        "name": name,
        "value": value,
        "unit": unit,
        "goal": "" if at_most is None else f"<= {at_most:g}",
        "met": None if at_most is None else value <= at_most,
    }


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath)}
