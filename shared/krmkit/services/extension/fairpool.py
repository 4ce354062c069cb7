"""The workers of the extension server: no handler can block the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from krmkit.services.evaluator.pool import WorkerPool, WorkerProcess, start_task

_SPARE = 4  # more workers than asked for, while slow handlers hold all others
_PATIENCE = 0.2  # seconds that a handler without a running call waits before a spare worker is started for it


class FairPool(WorkerPool):
    """A pool that serves the handler with the fewest running calls; a handler may fill half of the queue.

    While other handlers hold all workers, a handler without a running call gets a spare worker. Otherwise two
    hanging calls would block a server with two workers until their limit.
    """

    def __init__(
        self,
        size: int,
        queue: int,
        longest: float,
        begin: Callable[[], Coroutine[None, None, WorkerProcess]],
        label: str,
    ) -> None:
        super().__init__(size, queue, longest, begin=begin, label=label)
        self._spares = 0  # spares being started

    def _check_room(self, name: str) -> None:
        super()._check_room(name)
        waiting = sum(other == name for other, _ in self._callers)
        if waiting >= max(self._queue // 2, 1):
            raise asyncio.QueueFull
        if not waiting and not self._running[name]:
            start_task(self._relieve(name), self._tasks)

    def _may_run(self, name: str) -> bool:
        # A spare worker is for handlers without a running call only.
        return not self._running[name] or self._running.total() < self.size

    def _next(self) -> int | None:
        allowed = [index for index, (name, _) in enumerate(self._callers) if self._may_run(name)]
        return min(allowed, key=lambda index: self._running[self._callers[index][0]], default=None)

    def _rest(self, worker: WorkerProcess) -> None:
        super()._rest(worker)
        while self._idle and not self._callers and len(self.workers) > self.size:
            spare = self._idle.pop(0)
            self.workers.discard(spare)
            start_task(spare.stop(), self._ends)

    async def _relieve(self, name: str) -> None:
        """Start a spare worker if `name` still waits for its first one."""
        await asyncio.sleep(_PATIENCE)
        waits = any(other == name and not caller.done() for other, caller in self._callers)
        if self._running[name] or not waits or len(self.workers) + self._spares >= self.size + _SPARE:
            return
        self._spares += 1
        try:
            await self._begin()
        except OSError:
            return  # no resources for a process; the caller goes on waiting
        finally:
            self._spares -= 1
