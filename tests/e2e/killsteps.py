"""Runs krmkit in a process that kills itself at the n-th step of its writing, for n = 1, 2, 3, ... until it comes through."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from krmkit.cli import main

MOST = 400  # steps; a test that needs more of them shows nothing new
# The calls that write, and every program that is started, such as git.
_STEPS = (
    "replace",
    "rename",
    "remove",
    "link",
    "mkdir",
    "rmdir",
    "unlink",
    "fsync",
    "sync",
    "chmod",
    "fchmod",
)


def killed_at(words: list[str], step: int) -> int | None:
    """Run `krmkit words` in a child that is killed at a step: before odd ones, after even ones; None where it was, else its exit code."""
    child = os.fork()
    if not child:
        try:
            os.setpgid(0, 0)
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            _make_deadly(step)
            os._exit(main(words))
        finally:
            os._exit(99)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return None
    return os.waitstatus_to_exitcode(status)


def _make_deadly(step: int) -> None:
    left = step

    def deadly(real: Callable[..., Any], after: bool = False) -> Callable[..., Any]:
        def one(*words: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                try:
                    if after:
                        real(*words, **more)
                finally:
                    os.kill(os.getpid(), signal.SIGKILL)
            return real(*words, **more)

        return one

    for name in _STEPS:
        setattr(os, name, deadly(getattr(os, name), after=step % 2 == 0))
    subprocess.run = deadly(subprocess.run, after=step % 2 == 0)


def every_step(words: list[str], prepare: Callable[[], None]) -> Iterator[int]:
    """Yield each step at which the command was killed, `prepare` called before each; ends when the command came through."""
    for step in range(1, MOST):
        prepare()
        code = killed_at(words, step)
        if code is not None:
            assert code == 0, f"step {step}: exit code {code}"
            return
        yield step
    raise AssertionError(f"{words} has more than {MOST} steps")
