"""krmkit.libraries.process.child: a child says why it ended, and ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from krmkit.libraries.process.child import Child
from tests.waiting import until

MEMORY = 64 << 20
ENDLESS = """
import sys
from krmkit.libraries.process.child import Child

def work():
    import os
    print(os.getpid(), flush=True)
    return len(str((1 << 60_000_000) ** 3))

Child(work, 1 << 30, 100).answer()
"""


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_answers() -> None:
    assert Child(lambda: [os.getpid() != parent, {"a": 1}], MEMORY, 10).answer() == [True, {"a": 1}]


parent = os.getpid()


def test_reasons() -> None:
    """Time, memory, a crash and an exception are told apart."""

    def busy() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match="more than 1 seconds of processor time"):
        Child(busy, MEMORY, 1).answer()
    with pytest.raises(MemoryError):
        Child(lambda: len(b"x" * (200 << 20)), MEMORY, 10).answer()
    with pytest.raises(ChildProcessError, match="signal 11"):
        Child(lambda: os.kill(os.getpid(), signal.SIGSEGV), MEMORY, 10).answer()
    with pytest.raises(ChildProcessError, match="exit code 4"):
        Child(lambda: 1 // 0, MEMORY, 10).answer()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=["KILL", "TERM", "INT"]
)
def test_the_child_ends_with_its_parent(number: signal.Signals) -> None:
    """Whatever ends the parent, also while the child computes where Python handles no signal."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    time.sleep(0.3)
    process.send_signal(number)

    process.wait(20)
    until(lambda: not is_there(child))
    process.stdout.close()
