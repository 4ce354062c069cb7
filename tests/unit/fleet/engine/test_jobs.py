"""What works on packages: one interface, in this process or in several."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from krmkit.fleet.engine import processes
from krmkit.fleet.engine.jobs import Plain, Processes, Serial, local
from krmkit.krm.errors import Refused


class Odd:
    """A job that doubles numbers, and has something against odd ones."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, given: int) -> int:
        self.calls += 1
        if given == 3:
            raise Refused("3 is odd")
        if given == 5:
            raise KeyError(given)
        return given * 2


@pytest.mark.parametrize("engine", [Serial(), Processes(3)], ids=["serial", "processes"])
def test_answers_in_order(engine: Any) -> None:
    """Each input has one answer or one problem, in the order of the inputs."""
    done = list(engine.map(Odd(), iter(range(300))))

    assert done[3] == (None, "3 is odd")
    assert done[5] == (None, "an error in krmkit itself: KeyError: 5")
    assert [answer for answer, problem in done if not problem] == [
        2 * n for n in range(300) if n not in {3, 5}
    ]


def test_where_no_process_can_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job is sent to new processes, as on Windows."""
    monkeypatch.setattr(processes, "get_all_start_methods", lambda: ["spawn"])

    done = list(Processes(2).map(Odd(), iter(range(20))))

    assert [answer for answer, problem in done if not problem] == [
        2 * n for n in range(20) if n not in {3, 5}
    ]


def test_with_debug_an_unexpected_error_is_raised() -> None:
    """What a job expects is a problem of its package still."""
    done = Plain().map(Odd(), [3, 5])

    assert next(done) == (None, "3 is odd")
    with pytest.raises(KeyError):
        next(done)


class Dies:
    """A job that is killed at some of its inputs."""

    def __call__(self, given: int) -> int:
        if given % 10 == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return given


def test_a_process_that_dies_costs_one_input() -> None:
    """Each of them is named once, and every other input has its answer."""
    done = list(Processes(2).map(Dies(), range(40)))

    assert len(done) == 40
    for number, (answer, problem) in enumerate(done):
        if number % 10 == 7:
            assert problem == "the process that made it was killed (SIGKILL); the others went on"
        else:
            assert (answer, problem) == (number, "")


def test_much_goes_both_ways() -> None:
    """Inputs and answers that no pipe holds do not wait for each other."""
    inputs = (bytes([number]) * 3_000_000 for number in range(12))

    done = Processes(2).map(bytes.swapcase, inputs)

    assert [len(answer) for answer, _ in done] == [3_000_000] * 12


class Slow:
    def __call__(self, given: int) -> int:
        if given == 0:
            time.sleep(0.5)
        return given


def test_one_slow_input_does_not_pile_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs are taken as they are needed: no more of them than the window ahead of the oldest that is not done."""
    monkeypatch.setattr(processes, "_WINDOW", 8)
    taken = 0
    most = 0

    def inputs() -> Iterator[int]:
        nonlocal taken
        for number in range(40):
            taken += 1
            yield number

    for number, _ in Processes(2).map(Slow(), inputs()):
        most = max(most, taken - number)

    # `number` was the oldest: its process may have begun its next inputs already, and one more is taken before it is begun.
    assert taken == 40 and most <= 8 + processes._AHEAD + 1


def test_an_error_of_the_one_who_gives_the_inputs() -> None:
    """It ends the run; processes are not left behind."""

    def inputs() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(Processes(2).map(Odd(), inputs()))


def test_few_packages_need_no_processes() -> None:
    """One core, or one package: this process does it."""
    assert isinstance(local(4, 1), Serial) and isinstance(local(1, 100), Serial)
    assert isinstance(local(4, 100), Processes)
