"""The processes that run functions: one per core, each with one call at a time, and a queue of callers.

Processes and not threads, because a run is pure computation: threads would share one core. A process can also
be ended when its caller disconnects, and it takes no other process with it when memory runs out.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from contextlib import suppress

import krmkit
from krmkit.services.evaluator.frames import ANSWER, CALL, Reply

# The worker uses the server's sys.path, however the server was started.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from krmkit.services.evaluator.worker import main; main()"
_SOURCES = os.path.dirname(os.path.abspath(krmkit.__path__[0]))
_PATIENCE = 5.0  # seconds in which an idle worker must end by itself
_PAUSE = 0.5  # seconds before a worker that ended without a call is replaced, as the new one may end too


class WorkerProcess:
    """One process that runs functions."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.calls = 0
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    @classmethod
    async def start(cls, program: str = "", setup: bytes = b"") -> WorkerProcess:
        """Return a new process, ready for calls. Raises OSError.

        program: Python code to run instead of functions, with the paths of modules as arguments. setup: input
        that it reads before it is ready.
        """
        worker = cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                *("-I", "-S", "-c", program or _PROGRAM),
                *(path for path in sys.path if path),
                _SOURCES,  # an editable installation may load them without sys.path
                stdin=PIPE,
                stdout=PIPE,
                start_new_session=True,  # Ctrl-C is for the server, which lets running calls end
            )
        )
        try:
            worker._stdin.write(setup)
            await worker._answer()
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    async def run(self, name: str, content: bytes | memoryview, image: str = "") -> Reply:
        """Run the function `name`, which stands in for `image`, on a list. Raises ChildProcessError."""
        self.calls += 1
        # Without an image the name goes as it is: workers of extensions take it for the path of a call.
        encoded = (f"{name} {image}" if image else name).encode()
        try:
            self._stdin.write(b"".join((CALL.pack(len(encoded), len(content)), encoded, content)))
            await self._stdin.drain()
        except ConnectionError:
            raise ChildProcessError(await self._last_words()) from None
        return await self._answer()

    def limit(self, memory: int) -> None:
        """Limit the process's memory in bytes, if the system can; a run that needs more ends in an error."""
        try:
            from resource import RLIMIT_AS, prlimit

            prlimit(self.pid, RLIMIT_AS, (memory, memory))
        except (ImportError, OSError, ValueError):
            return

    async def _answer(self) -> Reply:
        try:
            code, output_length, log_length = ANSWER.unpack(await self._stdout.readexactly(ANSWER.size))
            output = await self._stdout.readexactly(output_length)
            return Reply(code, output, await self._stdout.readexactly(log_length))
        except asyncio.IncompleteReadError:
            raise ChildProcessError(await self._last_words()) from None

    async def _last_words(self) -> str:
        code = await self._process.wait()
        return (
            f"the process that ran it was ended by signal {-code}"
            if code < 0
            else f"its process left with {code}"
        )

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    async def ended(self) -> None:
        """Return when the process has ended."""
        await self._process.wait()

    async def stop(self) -> None:
        """End an idle process."""
        self._stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _PATIENCE)
        await self.end()

    async def end(self) -> None:
        """End the idle process, and return when it has ended and its pipes are closed."""
        if not self.has_ended:
            self._process.kill()
        self._stdin.close()
        # The rest of an unread answer or call would keep the pipes open.
        await self._stdout.read()
        with suppress(ConnectionError):
            await self._stdin.wait_closed()
        await self._process.wait()


class WorkerPool:
    """`size` workers; at most `queue` callers wait for one, in the order of their arrival.

    A run may take `longest` seconds, so that hanging functions do not block all workers. Each may have
    `memory` bytes (0: any), and ends after `recycle` calls (0: never). `begin` starts one; `label` prefixes
    its lines on stderr.
    """

    def __init__(
        self,
        size: int,
        queue: int,
        longest: float = 300.0,
        memory: int = 0,
        recycle: int = 0,
        begin: Callable[[], Coroutine[None, None, WorkerProcess]] | None = None,
        label: str = "krmkit evaluator",
    ) -> None:
        self._begin_worker = begin
        self.label = label
        self.memory = memory
        self.recycle = recycle
        self.size = size
        self.longest = longest
        self.workers: set[WorkerProcess] = set()
        self._queue = queue
        self._callers: deque[tuple[str, asyncio.Future[WorkerProcess]]] = deque()
        self._running: Counter[str] = Counter()
        self._idle: list[WorkerProcess] = []  # the last used worker is used next: it is the warmest
        self._tasks: set[asyncio.Task[None]] = set()  # tasks for the pool's lifetime
        self._ends: set[asyncio.Task[None]] = set()  # tasks that end discarded processes

    async def start(self) -> None:
        """Start all workers. Raises OSError."""
        starts = [asyncio.create_task(self._begin()) for _ in range(self.size)]
        try:
            done, _ = await asyncio.wait(starts, return_when=asyncio.FIRST_EXCEPTION)
            for start in done:
                start.result()
        except BaseException:
            # All or none. `wait` cancels nothing: a task that is cancelled twice would abort its cleanup.
            for start in starts:
                start.cancel()
            await asyncio.gather(*starts, return_exceptions=True)
            await self.stop()
            raise

    async def run(self, name: str, content: bytes | memoryview, image: str = "") -> Reply:
        """Run a function on a free worker, as `image`. Raises QueueFull, ChildProcessError, TimeoutError.

        If the caller disconnects (the task is cancelled), the run ends.
        """
        worker = await self._take(name)
        try:
            async with asyncio.timeout(self.longest):
                answer = await worker.run(name, content, image)
        except BaseException:
            self._left(name)
            self._replace(worker)
            raise
        self._left(name)
        self._give(worker)
        return answer

    async def stop(self) -> None:
        """End all workers; no call may be running."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*self._ends, *(worker.stop() for worker in self.workers))
        self.workers.clear()
        self._idle.clear()

    async def _begin(self) -> None:
        self._join(await (self._begin_worker or WorkerProcess.start)())

    async def _take(self, name: str) -> WorkerProcess:
        """Return a worker for a run of `name`, which counts as running from now on until `_left`."""
        if self._idle and self._may_run(name):
            self._running[name] += 1
            return self._idle.pop()
        self._check_room(name)
        caller: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()
        self._callers.append((name, caller))
        try:
            return await caller
        except asyncio.CancelledError:
            if not caller.cancelled():  # it disconnected just when it got its worker
                self._left(name)
                self._give(caller.result())
            elif (name, caller) in self._callers:
                self._callers.remove((name, caller))
            raise

    def _check_room(self, name: str) -> None:
        if len(self._callers) >= self._queue:
            raise asyncio.QueueFull

    def _may_run(self, name: str) -> bool:
        return True

    def _next(self) -> int | None:
        """Return the index of the caller that gets the next worker; None if none may have it."""
        return 0 if self._callers else None

    def _left(self, name: str) -> None:
        self._running[name] -= 1
        if not self._running[name]:
            del self._running[name]

    def _give(self, worker: WorkerProcess) -> None:
        if worker.has_ended:  # it answered, and ended before it was idle
            self._replace(worker, _PAUSE)
            return
        if self.recycle and worker.calls >= self.recycle:
            self._replace(worker)
            return
        while (index := self._next()) is not None:
            name, caller = self._callers[index]
            del self._callers[index]
            if not caller.done():
                self._running[name] += 1
                caller.set_result(worker)
                return
        self._rest(worker)

    def _rest(self, worker: WorkerProcess) -> None:
        self._idle.append(worker)

    def _join(self, worker: WorkerProcess) -> None:
        if self.memory:
            worker.limit(self.memory)
        self.workers.add(worker)
        start_task(self._watch(worker), self._tasks)
        self._give(worker)

    async def _watch(self, worker: WorkerProcess) -> None:
        """Replace a process that ends without a call at once, and not at the next call."""
        await worker.ended()
        if worker in self._idle:
            self._idle.remove(worker)
            print(f"{self.label}: an idle worker ended", file=sys.stderr)
            self._replace(worker, _PAUSE)

    def _replace(self, worker: WorkerProcess, pause: float = 0.0) -> None:
        self.workers.discard(worker)
        start_task(worker.end(), self._ends)
        start_task(self._restart(pause), self._tasks)

    async def _restart(self, pause: float) -> None:
        await asyncio.sleep(pause)
        delay = 0.1
        while True:
            try:
                worker = await (self._begin_worker or WorkerProcess.start)()
            except OSError as error:
                # The machine may be short of memory or processes for a while.
                print(f"{self.label}: no new worker: {error}; next try in {delay:.1f} s", file=sys.stderr)
                await asyncio.sleep(delay)
                delay = min(2 * delay, 10.0)
            else:
                self._join(worker)
                return


def start_task(work: Coroutine[None, None, None], tasks: set[asyncio.Task[None]]) -> None:
    """Start a task, and keep it in `tasks` until it is done."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
