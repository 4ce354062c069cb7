"""Tasks for several processes. One that dies, for want of memory say, costs the task it was at, and nothing else."""

from __future__ import annotations

import signal
from collections import deque
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess, SpawnProcess
    from typing import Any

# A process has its next task already when it is done with one.
_AHEAD = 2


class _Hand:
    """One process, and the tasks that it was given, the one that it is at first."""

    __slots__ = ("given", "pipe", "process")

    def __init__(self, process: ForkProcess | SpawnProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.given: deque[int] = deque()

    def feed(self, waiting: deque[int]) -> None:
        while waiting and len(self.given) < _AHEAD:
            self.given.append(waiting.popleft())
            try:
                self.pipe.send(self.given[-1])
            except OSError:
                return  # it has died; that is seen when its answer is read

    def end(self) -> None:
        self.pipe.close()
        self.process.join()


def share(
    numbers: Iterable[int], jobs: int, make: Callable[[Any], Callable[[int], Any]], argument: Any
) -> Iterator[tuple[int, Any, str]]:
    """(number, answer, "") for every number, as they are done; (number, None, how) where the process died of it.

    Each of the `jobs` processes calls make(argument) once, and what that returns with one number after the other. A forked process
    has the argument already; elsewhere `make` and it are sent.
    """
    fork = "fork" in get_all_start_methods()
    context: Any = get_context("fork" if fork else "spawn")
    waiting = deque(numbers)
    hands: dict[Connection, _Hand] = {}
    try:
        while waiting or hands:
            while waiting and len(hands) < jobs:
                pipe, theirs = context.Pipe()
                # A forked process gets the pipes of its elders too, and would keep them open.
                process = context.Process(
                    target=_serve,
                    args=(theirs, [pipe, *hands] if fork else [], make, argument),
                    daemon=True,
                )
                process.start()
                theirs.close()
                hands[pipe] = _Hand(process, pipe)
                hands[pipe].feed(waiting)
            for ready in wait(list(hands)):
                hand = hands[ready]  # type: ignore[index]  # only connections were given
                number = hand.given.popleft()
                answer, how = None, ""
                try:
                    answer = hand.pipe.recv()
                    hand.feed(waiting)
                except (EOFError, OSError):
                    hand.process.join()
                    how = _how(hand.process.exitcode or 0)
                    waiting.extendleft(reversed(hand.given))
                    hand.given.clear()
                if not hand.given:
                    del hands[hand.pipe]
                    hand.end()
                yield number, answer, how
    finally:
        for hand in hands.values():
            hand.process.terminate()
            hand.end()


def _how(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        return f"was killed ({signal.Signals(-code).name})"
    return f"ended with exit code {code}"


def _serve(
    pipe: Connection, others: list[Connection], make: Callable[[Any], Callable[[int], Any]], argument: Any
) -> None:
    # Ctrl-C ends the process that gave the work, and that one ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:
        other.close()
    work = make(argument)
    try:
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, OSError):
        return  # nothing more to do, or nobody there any more
