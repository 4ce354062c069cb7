"""One interface to whatever does the work on packages: this process, processes of this machine, or a cluster.

    for answer, problem in engine.map(job, inputs):

A job is a callable that gets one input and returns one answer: packages as content, on no shared disk, so that it can run
anywhere. Job, inputs and answers can be pickled. What is costly to set up, the job makes on its first call in a process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

Job = Callable[[Any], Any]
# (answer, "") of a job that was done, (None, why) of one that was not.
Done = tuple[Any, str]


class Engine(Protocol):
    """Does jobs. `map` yields one Done for each input, in their order; inputs are taken as they are needed.

    `near` says that it works on this machine, with its disk.
    """

    near: bool

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]: ...

    def close(self) -> None: ...


class JobError(Exception):
    """A job cannot be done; the message says why. It concerns one package, and the others go on."""


class EngineError(Exception):
    """Nothing can be done any more: the engine is not there, or not the right one. The message says what to do."""


def attempt(job: Job, given: Any) -> Done:
    """Do one job; its failure does not stop the others."""
    try:
        return job(given), ""
    except JobError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001  # one package must not stop the others
        return None, unexpected(error)


def unexpected(error: Exception) -> str:
    """What to say of an error that only a mistake in krmkit can cause."""
    return f"an error in krmkit itself: {type(error).__name__}: {error}"


class Serial:
    """Does the work in this process, one package after the other."""

    near = True

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Do the jobs. Example: `list(Serial().map(str, [1])) == [("1", "")]`."""
        for given in inputs:
            yield attempt(job, given)

    def close(self) -> None:
        """Nothing is held."""


class Plain(Serial):
    """The same, but an unexpected error is raised, with its traceback."""

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Do the jobs."""
        for given in inputs:
            try:
                yield job(given), ""
            except JobError as error:
                yield None, str(error)


class Processes:
    """Does the work in processes of this machine. One that dies costs the package that it was at."""

    near = True

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Do the jobs; an answer that is there too early waits."""
        from krmkit.fleet.engine.processes import share

        waiting: dict[int, Done] = {}
        following = 0
        for number, done, how in share(inputs, self.jobs, _doing, job):
            waiting[number] = (
                done if done is not None else (None, f"the process that made it {how}; the others went on")
            )
            while following in waiting:
                yield waiting.pop(following)
                following += 1

    def close(self) -> None:
        """Processes end with each map."""


def _doing(job: Job) -> Callable[[Any], Done]:
    return lambda given: attempt(job, given)


def local(jobs: int, count: int) -> Engine:
    """What works on `count` packages with up to `jobs` processes of this machine."""
    jobs = min(jobs, count)
    return Processes(jobs) if jobs > 1 else Serial()
