"""Run work in a child process, with optional limits of memory and processor time.

The Starlark interpreter ends its whole process when it gets no more memory, and its built-in functions cannot
be interrupted. In a child this ends only the child, and the run goes on to report it. The child is a fork, so
nothing needs to be passed to it. It always ends with its parent.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NO_MEMORY = 3  # exit codes of the child
_FAILED = 4


def cores() -> int:
    """Return how many processes can work in parallel; 1 if this process cannot fork.

    A fork of a process with threads has only one of them, but the locks of all.
    """
    threads = sys.modules.get("threading")
    has_others = threads is not None and threads.active_count() > 1
    if has_others or not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity"):
        return 1
    return len(os.sched_getaffinity(0))


class Child:
    """A child process with at most `most_memory` more bytes and `most_seconds` of CPU; 0 for no limit."""

    def __init__(self, work: Callable[[], object], most_memory: int = 0, most_seconds: int = 0) -> None:
        self._most_seconds = most_seconds
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            self._id = os.fork()
        except OSError:
            for pipe in pipes:
                os.close(pipe)
            raise
        # The child holds `living`, which tells it when `life` is closed: this process has ended.
        self._reading, writing, living, self._life = pipes
        if not self._id:
            os.close(self._reading)
            os.close(self._life)
            _answer(work, most_memory, most_seconds, writing, living)
        os.close(writing)
        os.close(living)

    def answer(self) -> Any:
        """Wait for the result of the work, plain data.

        Raises MemoryError and TimeoutError at the limits, and ChildProcessError if the child crashes.
        """
        reading, self._reading = self._reading, -1
        try:
            with os.fdopen(reading, "rb") as pipe:
                answer = pipe.read()
            status = os.waitpid(self._id, 0)[1]
            self._id = 0
        finally:
            self.end()
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGXCPU:
            raise TimeoutError(f"more than {self._most_seconds} seconds of processor time")
        if code in (_NO_MEMORY, -signal.SIGABRT):  # the interpreter aborts when it gets no memory
            raise MemoryError
        if code:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise ChildProcessError(how)
        return pickle.loads(answer)  # written by this program itself

    def end(self) -> None:
        """End a child whose answer is no longer needed."""
        if self._life < 0:
            return
        os.close(self._life)
        self._life = -1
        if self._reading >= 0:
            os.close(self._reading)
        if self._id:
            os.kill(self._id, signal.SIGKILL)
            os.waitpid(self._id, 0)


def _answer(
    work: Callable[[], object], most_memory: int, most_seconds: int, writing: int, living: int
) -> None:
    """Write the answer, in the child, and exit without the interpreter's cleanup."""
    code = _FAILED
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 2)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _end_with_parent(living)
        # Building the trace of the interpreter's end takes seconds, and it is never shown.
        os.putenv("RUST_BACKTRACE", "0")
        if most_memory:
            _limit(most_memory, most_seconds)
        answer = pickle.dumps(work())
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        code = 0
    except BaseException as error:  # noqa: BLE001  # a panic of the interpreter is no Exception
        code = _NO_MEMORY if isinstance(error, MemoryError) or "out of memory" in str(error) else _FAILED
    finally:
        os._exit(code)


def _end_with_parent(living: int) -> None:
    """Let the system end this process when the other end of the pipe is closed."""
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)  # ends the process, also inside of a built-in function
    fcntl.fcntl(living, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(living, fcntl.F_SETFL, fcntl.fcntl(living, fcntl.F_GETFL) | os.O_ASYNC)


def _limit(most_memory: int, most_seconds: int) -> None:
    """Limit the memory that this process may add, and its processor time."""
    import resource

    # The peak so far is in KiB on Linux, and in bytes elsewhere, where the limit is practically none.
    used = resource.getrusage(resource.RUSAGE_SELF)
    for limit, wanted in (
        (resource.RLIMIT_DATA, used.ru_maxrss * 1024 + most_memory),
        (resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + most_seconds),
        (resource.RLIMIT_CORE, 0),  # the interpreter aborts at the limit: that leaves no file behind
    ):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (min(wanted, hard) if hard >= 0 else wanted, hard))
