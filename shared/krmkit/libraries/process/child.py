"""Runs a piece of work in a child process of limited memory.

The Starlark interpreter ends the whole process when it gets no more memory. In a child this ends the child only, and the
run goes on to say so. The child is a copy of this process, so that nothing has to be handed over to it.
"""

from __future__ import annotations

import os
import pickle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")


def in_child(work: Callable[[], T], most_memory: int) -> T:
    """Return what `work` returns, plain data, from a child that may use `most_memory` bytes more than this process.

    Raises MemoryError where the child ended without an answer.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(work, most_memory, reading, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
    finally:
        os.waitpid(child, 0)
    if not answer:
        raise MemoryError
    result: T = pickle.loads(answer)  # written by this program itself
    return result


def _answer(work: Callable[[], object], most_memory: int, reading: int, writing: int) -> None:
    """In the child: write the answer, and end without a word of the interpreter about its end."""
    try:
        os.close(reading)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 2)
        # Building the trace of the interpreter's end takes seconds, and it is never shown.
        os.putenv("RUST_BACKTRACE", "0")
        _limit_memory(most_memory)
        result = work()
        answer = pickle.dumps(result)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(0)


def _limit_memory(most: int) -> None:
    """Limit by how much this process may still grow."""
    import resource

    # The peak so far counts in KiB on Linux, and in bytes elsewhere, where the limit is then none to speak of.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + most
    resource.setrlimit(resource.RLIMIT_DATA, (min(wanted, hard) if hard >= 0 else wanted, hard))
    # The interpreter aborts at the limit: that leaves no file behind.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
