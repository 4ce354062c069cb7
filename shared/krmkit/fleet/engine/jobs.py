"""Define one interface for jobs on packages: in this process, in more processes, or on a cluster.

    for answer, problem in engine.map(job, inputs):

A job is a callable from one input to one answer. Both hold packages as content, so that a job can run
anywhere, without a shared disk. Job, inputs and answers can be pickled. A job does its costly setup on its
first call in a process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError

Job = Callable[[Any], Any]
# (answer, "") of a job that succeeded, (None, reason) of one that failed.
Done = tuple[Any, str]


class Engine(Protocol):
    """An executor of jobs.

    `map` yields one Done for each input, in their order; inputs are read when they are needed. `near`: it
    works on this machine, with its disk.
    """

    near: bool

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]: ...

    def close(self) -> None: ...


def attempt(job: Job, given: Any) -> Done:
    """Run one job; its failure does not stop the others."""
    try:
        return job(given), ""
    except (Refused, YamlError) as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001  # one package must not stop the others
        return None, unexpected(error)


def unexpected(error: Exception) -> str:
    """Return the message for an error that only a bug in krmkit can cause."""
    return f"an error in krmkit itself: {type(error).__name__}: {error}"


class Serial:
    """Run the jobs in this process, one after the other."""

    near = True

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Run the jobs. Example: `list(Serial().map(str, [1])) == [("1", "")]`."""
        for given in inputs:
            yield attempt(job, given)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class Plain(Serial):
    """Run the jobs like Serial, but raise unexpected errors, with their traceback."""

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        for given in inputs:
            try:
                yield job(given), ""
            except (Refused, YamlError) as error:
                yield None, str(error)


@dataclass(frozen=True, slots=True)
class Processes:
    """Run the jobs in processes of this machine. If one dies, only its current package fails."""

    near = True

    jobs: int

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Run the jobs; answers are yielded in the order of the inputs."""
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
        """Do nothing: processes end with each map."""


def _doing(job: Job) -> Callable[[Any], Done]:
    return lambda given: attempt(job, given)


def local(jobs: int, count: int) -> Engine:
    """Return the engine for `count` packages with up to `jobs` processes of this machine."""
    jobs = min(jobs, count)
    return Processes(jobs) if jobs > 1 else Serial()
