"""Share tasks among processes. If one dies (of memory, for example), only its current task fails."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess, SpawnProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any

# A process has its next task queued when it finishes one.
_AHEAD = 2
# The most tasks begun after the oldest unfinished one: a slow task must not pile up the others' answers.
_WINDOW = 256


@dataclass(slots=True)
class _Hand:
    """One process and its tasks, the current one first."""

    process: ForkProcess | SpawnProcess
    pipe: Connection
    given: deque[tuple[int, Any]] = field(init=False, default_factory=deque)

    def feed(self, tasks: _Tasks) -> None:
        while len(self.given) < _AHEAD:
            task = tasks.take()
            if task is None:
                return
            self.given.append(task)
            try:
                self.pipe.send(task[1])
            except OSError:
                return  # it has died; reading its answer detects that

    def end(self) -> None:
        self.pipe.close()
        self.process.join()


class _Tasks:
    """The tasks in their order, with numbers; the tasks of a dead process are handed out again first."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        self._rest = enumerate(inputs)
        self._next: tuple[int, Any] | None = next(self._rest, None)
        self._again: deque[tuple[int, Any]] = deque()
        self._open: dict[int, None] = {}  # begun and unfinished, the oldest first

    def take(self) -> tuple[int, Any] | None:
        """Return the next task; None if there is none, or none may start yet."""
        if self._again:
            return self._again.popleft()
        task = self._next
        if task is None or task[0] - next(iter(self._open), task[0]) >= _WINDOW:
            return None
        self._next = next(self._rest, None)
        self._open[task[0]] = None
        return task

    def put_back(self, tasks: Iterable[tuple[int, Any]]) -> None:
        self._again.extend(tasks)

    def done(self, number: int) -> None:
        del self._open[number]

    def __bool__(self) -> bool:
        return bool(self._again) or self._next is not None


def share(
    inputs: Iterable[Any], jobs: int, make: Callable[[Any], Callable[[Any], Any]], argument: Any
) -> Iterator[tuple[int, Any, str]]:
    """Yield (number, answer, "") for every input, as they finish; (number, None, how) if its process died.

    Each of the `jobs` processes calls make(argument) once, then the returned function for each of its inputs.
    Inputs are numbered from 0, and read when they are needed. A forked process inherits `make` and its
    argument; any other process receives them.
    """
    fork = "fork" in get_all_start_methods()
    context: Any = get_context("fork" if fork else "spawn")
    tasks = _Tasks(inputs)
    hands: dict[Connection, _Hand] = {}
    try:
        while tasks or hands:
            while tasks and len(hands) < jobs:
                first = tasks.take()
                if first is None:
                    break
                tasks.put_back([first])
                pipe, theirs = context.Pipe()
                # A forked process inherits the pipes of those before it, and would keep them open.
                process = context.Process(
                    target=_serve, args=(theirs, [pipe, *hands] if fork else [], make, argument), daemon=True
                )
                process.start()
                theirs.close()
                hands[pipe] = _Hand(process, pipe)
                hands[pipe].feed(tasks)
            for ready in wait(list(hands)):
                hand = hands[ready]  # type: ignore[index]  # only connections were given
                number, _ = hand.given.popleft()
                answer, how = None, ""
                try:
                    answer = hand.pipe.recv()
                except (EOFError, OSError):
                    hand.process.join()
                    how = _how(hand.process.exitcode or 0)
                    tasks.put_back(hand.given)
                    hand.given.clear()
                tasks.done(number)
                if not how:
                    hand.feed(tasks)
                if not hand.given:
                    del hands[hand.pipe]
                    hand.end()
                yield number, answer, how
    finally:
        for hand in hands.values():
            hand.process.terminate()
            hand.end()


def _how(code: int) -> str:
    if code < 0:
        return f"was killed ({signal.Signals(-code).name})"
    return f"ended with exit code {code}"


def _serve(
    pipe: Connection, others: list[Connection], make: Callable[[Any], Callable[[Any], Any]], argument: Any
) -> None:
    # Ctrl-C ends the parent process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:
        other.close()
    inputs: SimpleQueue[tuple[Any] | None] = SimpleQueue()
    # A thread always reads the pipe: if both sides sent much at once, they would wait for ever.
    Thread(target=_receive, args=(pipe, inputs), daemon=True).start()
    work = make(argument)
    try:
        while (given := inputs.get()) is not None:
            pipe.send(work(given[0]))
    except OSError:
        return  # the other end is closed


def _receive(pipe: Connection, inputs: SimpleQueue[tuple[Any] | None]) -> None:
    try:
        while True:
            inputs.put((pipe.recv(),))
    except (EOFError, OSError):
        inputs.put(None)
