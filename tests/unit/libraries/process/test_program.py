"""krmkit.libraries.process.program: programs of others end in time, and say no more than fits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.libraries.process import program
from krmkit.libraries.process.program import STDERR_KEPT, ChildError, run_bounded, words
from tests.waiting import until


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def test_streams_and_exit_code() -> None:
    """All of stdin arrives, all of stdout and stderr comes back, in whatever order they are used."""
    text = b"x" * 3_000_000
    code = "import sys\nt = sys.stdin.buffer.read()\nsys.stderr.write('e' * 5)\nsys.stdout.buffer.write(t)\nsys.exit(3)"

    assert run_bounded(python(code), text, 60, len(text)) == (text, "eeeee", 3)


def test_a_program_that_does_not_read() -> None:
    """It may end without it."""
    assert run_bounded(python("print('hi')"), b"x" * 3_000_000, 60, 100) == (b"hi\n", "", 0)


def test_too_much_stdout() -> None:
    """The program is ended as soon as it has said more than fits."""
    with pytest.raises(ChildError, match="wrote more than 1000000 bytes"):
        run_bounded(["sh", "-c", "yes"], b"", 60, 1_000_000)


def test_much_stderr() -> None:
    """Its beginning and its end are kept, and how much is missing."""
    code = "import sys\nsys.stderr.write('first' + 'x' * 10_000_000 + 'last')"
    _, errors, _ = run_bounded(python(code), b"", 60, 100)

    assert errors.startswith("firstxxx")
    assert errors.endswith("xxxlast")
    assert f"\n... {10_000_009 - 2 * STDERR_KEPT} bytes left out ...\n" in errors
    assert len(errors) < 2 * STDERR_KEPT + 100


@pytest.mark.parametrize(
    "code",
    ["import time\ntime.sleep(99)", "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(99)"],
    ids=["silent", "streams closed"],
)
def test_too_slow(code: str) -> None:
    """It is ended, and the message says after how long."""
    with pytest.raises(ChildError, match=r"did not end within 0\.5 seconds"):
        run_bounded(python(code), b"", 0.5, 100)


def alive(file: Path) -> bool:
    """Whether the process whose number the file holds is still there (a zombie is not)."""
    try:
        state = Path(f"/proc/{file.read_text()}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("end", "seconds"), [("sleep 99", 0.5), ("echo done", 60.0)], ids=["killed", "ended"]
)
def test_grandchildren(tmp_path: Path, end: str, seconds: float) -> None:
    """What the program has started goes with it, and does not keep the run waiting by holding its streams."""
    file = tmp_path / "pid"
    command = ["sh", "-c", f"sleep 98 & echo -n $! > {file}; {end}"]
    if end == "echo done":
        assert run_bounded(command, b"", seconds, 100)[0] == b"done\n"
    else:
        with pytest.raises(ChildError):
            run_bounded(command, b"", seconds, 100)

    until(lambda: not alive(file))


def test_what_is_read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the program said comes back, also where this process gets no time until long after the program's end."""
    monkeypatch.setattr(program, "_LINGERING", -1.0)
    monkeypatch.setattr(subprocess.Popen, "poll", lambda process: process.wait())
    code = "import sys\nsys.stdout.write('x' * 60_000)\nsys.stderr.write('e' * 60_000)\nsys.exit(3)"

    assert run_bounded(python(code), b"", 60, 60_000) == (b"x" * 60_000, "e" * 60_000, 3)


def test_no_such_program() -> None:
    """The caller learns of it as of any other program."""
    with pytest.raises(FileNotFoundError):
        run_bounded(["/nowhere/at/all"], b"", 1, 1)


def test_operands_are_no_options(tmp_path: Path) -> None:
    """A name that looks like an option reaches the program as a name."""
    (tmp_path / "-a").touch()

    assert run_bounded(words(["ls"], ["-a"]), folder=str(tmp_path)) == (b"-a\n", "", 0)
    assert words(["ls", "-l"]) == ["ls", "-l"]


def test_environment_and_group() -> None:
    """A program that may use the terminal stays in the group of this process."""
    code = "import os\nprint(sorted(os.environ), os.getpgrp() == os.getpgid(os.getppid()))"
    environment = {"ONLY": "1", "LC_ALL": "C", "LC_CTYPE": "C"}

    for terminal in (False, True):
        output = run_bounded(python(code), environment=environment, terminal=terminal)[0]
        assert output.decode() == f"['LC_ALL', 'LC_CTYPE', 'ONLY'] {terminal}\n"
