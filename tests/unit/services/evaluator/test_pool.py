"""The pool with real processes: who gets a worker, who is refused, what happens when one dies or its caller goes away."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from krmkit.fn import testing
from krmkit.services.evaluator import pool as module
from krmkit.services.evaluator.frames import CALL, Reply
from krmkit.services.evaluator.pool import WorkerPool, WorkerProcess

ROOT = Path(__file__).resolve().parents[4]
NAME = "apply-presets"
EXAMPLE = testing.Example(ROOT / "functions/apply-presets/examples/select", NAME).render_list()
EXPECTED = testing.run_function(ROOT / "functions" / NAME, EXAMPLE).stdout.encode()


def with_pool(
    size: int, queue: int, test: Callable[[WorkerPool], Awaitable[None]], longest: float = 300.0
) -> None:
    """Run a test with a pool that is started before and stopped afterwards."""

    async def body() -> None:
        pool = WorkerPool(size, queue, longest)
        await pool.start()
        try:
            await test(pool)
        finally:
            await pool.stop()

    asyncio.run(body())


def call(pool: WorkerPool, content: bytes = EXAMPLE.encode()) -> asyncio.Task[Reply]:
    return asyncio.create_task(pool.run(NAME, content))


async def pids(pool: WorkerPool, count: int) -> set[int]:
    """The processes of the pool, as soon as there are `count` of them."""
    while len(pool.workers) < count:
        await asyncio.sleep(0.01)
    return {worker.pid for worker in pool.workers}


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_more_callers_than_workers() -> None:
    """Everybody is served, by the processes that were there from the start, which are gone when the pool stops."""
    seen: set[int] = set()

    async def test(pool: WorkerPool) -> None:
        seen.update(await pids(pool, 2))
        answers = await asyncio.gather(*(call(pool) for _ in range(12)))

        assert [answer.output for answer in answers] == [EXPECTED] * 12
        assert {answer.exit_code for answer in answers} == {0}
        assert await pids(pool, 2) == seen

    with_pool(2, 10, test)

    assert len(seen) == 2
    assert not any(map(is_alive, seen))


def test_list_larger_than_any_buffer() -> None:
    """Lists of megabytes go through whole."""
    items = [f"kind: A\nmetadata: {{name: n{number}}}\ndata: {'x' * 5000}\n" for number in range(800)]
    text = testing.resource_list(
        items, "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nspec:\n  selections: []\n"
    )
    expected = testing.run_function(ROOT / "functions" / NAME, text)

    async def test(pool: WorkerPool) -> None:
        answer = await call(pool, text.encode())

        assert answer.output == expected.stdout.encode()
        assert len(answer.output) > 4_000_000

    with_pool(1, 1, test)


def test_callers_are_served_in_line_and_refused_when_it_is_full() -> None:
    """One works, one waits, the third is refused at once."""

    async def test(pool: WorkerPool) -> None:
        order: list[str] = []
        first, second = call(pool), call(pool)
        first.add_done_callback(lambda _: order.append("first"))
        second.add_done_callback(lambda _: order.append("second"))
        third = call(pool)

        with pytest.raises(asyncio.QueueFull):
            await third
        await asyncio.gather(first, second)

        assert order == ["first", "second"]
        assert (await call(pool)).output == EXPECTED

    with_pool(1, 1, test)


def test_caller_that_goes_away_while_waiting() -> None:
    """It leaves the line, and the others move up."""

    async def test(pool: WorkerPool) -> None:
        first, second, third = call(pool), call(pool), call(pool)
        await asyncio.sleep(0)
        second.cancel()

        await asyncio.gather(first, third)
        assert second.cancelled()
        assert (await call(pool)).output == EXPECTED
        assert len(await pids(pool, 1)) == 1

    with_pool(1, 2, test)


def test_caller_that_goes_away_when_its_turn_comes() -> None:
    """The worker that it was given in that moment goes to the next."""

    async def test(pool: WorkerPool) -> None:
        before = await pids(pool, 1)
        worker = await pool._take(NAME)
        waiting = asyncio.create_task(pool._take(NAME))
        await asyncio.sleep(0)
        pool._give(worker)
        waiting.cancel()

        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await call(pool)).output == EXPECTED
        assert await pids(pool, 1) == before

    with_pool(1, 1, test)


def test_caller_that_goes_away_while_its_function_runs() -> None:
    """The run ends with it, and another process takes the place."""

    async def test(pool: WorkerPool) -> None:
        before = await pids(pool, 1)
        running = call(pool)
        await asyncio.sleep(0)
        running.cancel()

        with pytest.raises(asyncio.CancelledError):
            await running
        assert (await call(pool)).output == EXPECTED
        assert not before & await pids(pool, 1)

    with_pool(1, 1, test)


def test_worker_that_dies() -> None:
    """Its caller is told how; the next one finds a new process."""

    async def test(pool: WorkerPool) -> None:
        (pid,) = await pids(pool, 1)
        os.kill(pid, signal.SIGSTOP)
        running = call(pool)
        await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)

        with pytest.raises(ChildProcessError, match="the process that ran it was ended by signal 9"):
            await running
        assert (await call(pool)).output == EXPECTED
        assert pid not in await pids(pool, 1)

    with_pool(1, 1, test)


def test_worker_that_dies_without_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    """It is replaced by itself, so that no caller has to find out."""

    async def test(pool: WorkerPool) -> None:
        before = await pids(pool, 2)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        while before & {worker.pid for worker in pool.workers}:
            await asyncio.sleep(0.01)

        answers = await asyncio.gather(*(call(pool) for _ in range(3)))

        assert [answer.output for answer in answers] == [EXPECTED] * 3
        assert not before & await pids(pool, 2)

    with_pool(2, 4, test)

    assert capsys.readouterr().err == "krmkit evaluator: an idle worker ended\n" * 2


def test_worker_that_dies_right_after_its_answer() -> None:
    """Its caller has the answer; the next one gets another process."""

    async def test(pool: WorkerPool) -> None:
        worker = await pool._take(NAME)
        await worker.end()
        pool._give(worker)

        assert (await call(pool)).output == EXPECTED
        assert worker.pid not in await pids(pool, 1)

    with_pool(1, 1, test)


def test_run_that_takes_too_long() -> None:
    """It is ended, and another process takes the place: functions that hang do not end up with all of them."""

    async def test(pool: WorkerPool) -> None:
        (pid,) = await pids(pool, 1)
        os.kill(pid, signal.SIGSTOP)

        with pytest.raises(TimeoutError):
            await call(pool)
        pool.longest = 300.0
        assert (await call(pool)).output == EXPECTED
        assert pid not in await pids(pool, 1)

    with_pool(1, 1, test, longest=0.05)


@pytest.mark.parametrize("size", [0, 1 << 22], ids=["a small list", "a list that is in the pipe"])
def test_stop_right_after_a_process_was_given_up(size: int) -> None:
    """The pool stops when nothing of the process is left; the loop may be closed then."""
    gone = []

    async def test(pool: WorkerPool) -> None:
        (pid,) = await pids(pool, 1)
        gone.append(pid)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            await call(pool, EXAMPLE.encode() + b"#" * size)

    with_pool(1, 1, test, longest=0.05)

    assert not is_alive(gone[0])  # one that nobody waited for would be a zombie


def test_end_in_the_midst_of_an_answer() -> None:
    """What nobody reads any more does not keep the process or its pipes."""

    async def test() -> WorkerProcess:
        worker = await WorkerProcess.start()
        list_ = EXAMPLE.encode() + b"#" * (1 << 22)
        worker._stdin.write(CALL.pack(len(NAME), len(list_)) + NAME.encode() + list_)
        await worker._stdout.readexactly(1)
        await worker.end()
        return worker

    worker = asyncio.run(test())

    assert worker.has_ended
    assert not is_alive(worker.pid)
    assert worker._stdout.at_eof()


def test_no_new_worker_for_a_while(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no process can be started, it is tried again."""

    async def test(pool: WorkerPool) -> None:
        start, failures = (
            WorkerProcess.start,
            [OSError("no room"), ChildProcessError("its process left with 1")],
        )

        async def sometimes() -> WorkerProcess:
            if failures:
                raise failures.pop(0)
            return await start()

        monkeypatch.setattr(module.WorkerProcess, "start", sometimes)
        (pid,) = await pids(pool, 1)
        os.kill(pid, signal.SIGSTOP)
        running = call(pool)
        await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ChildProcessError):
            await running

        assert (await call(pool)).output == EXPECTED
        assert capsys.readouterr().err == (
            "krmkit evaluator: no new worker: no room; next try in 0.1 s\n"
            "krmkit evaluator: no new worker: its process left with 1; next try in 0.2 s\n"
        )

    with_pool(1, 1, test)


def test_pool_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends before it is ready is an error of the start."""
    monkeypatch.setattr(module, "_PROGRAM", "raise SystemExit(3)")

    with pytest.raises(ChildProcessError, match="its process left with 3"):
        asyncio.run(WorkerPool(1, 1).start())


def test_pool_that_starts_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers that did start are ended."""
    start = WorkerProcess.start
    started: list[WorkerProcess] = []

    async def sometimes() -> WorkerProcess:
        started.append(await start())
        if len(started) == 2:
            await started.pop().end()
            raise OSError("no room")
        return started[-1]

    monkeypatch.setattr(module.WorkerProcess, "start", sometimes)

    with pytest.raises(OSError, match="no room"):
        asyncio.run(WorkerPool(2, 1).start())
    assert [worker.has_ended for worker in started] == [True]


def test_start_that_is_given_up() -> None:
    """The workers that are there by then are ended."""

    async def test() -> list[WorkerProcess]:
        pool = WorkerPool(3, 1)
        starting = asyncio.create_task(pool.start())
        while not pool.workers:
            await asyncio.sleep(0)
        there = list(pool.workers)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not pool.workers
        return there

    workers = asyncio.run(test())

    assert workers
    assert all(worker.has_ended and not is_alive(worker.pid) for worker in workers)


@pytest.mark.parametrize("failing", [False, True], ids=["given up", "one fails"])
def test_starts_clean_up_in_peace(monkeypatch: pytest.MonkeyPatch, failing: bool) -> None:
    """Each start that ends early is told so once, and has the time that it takes to leave nothing behind."""
    begun: list[int] = []
    clean: list[int] = []

    async def start() -> WorkerProcess:
        number = len(begun)
        begun.append(number)
        if failing and number == 1:
            raise OSError("no room")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01 * number)
            clean.append(number)
        raise AssertionError

    async def test() -> None:
        starting = asyncio.create_task(WorkerPool(3, 1).start())
        while len(begun) < 3:
            await asyncio.sleep(0)
        if not failing:
            starting.cancel()
        await starting

    monkeypatch.setattr(module.WorkerProcess, "start", start)

    with pytest.raises(OSError if failing else asyncio.CancelledError):
        asyncio.run(test())
    assert clean == ([0, 2] if failing else [0, 1, 2])


def test_workers_are_replaced_after_a_while() -> None:
    """After so many calls another process goes on, and no caller notices."""

    async def body() -> set[int]:
        pool = WorkerPool(1, 4, recycle=2)
        await pool.start()
        seen: set[int] = set()
        for _ in range(5):
            seen |= await pids(pool, 1)
            assert (await call(pool)).output == EXPECTED
        await pool.stop()
        return seen

    assert len(asyncio.run(body())) >= 2


def test_a_run_that_needs_too_much_memory() -> None:
    """It fails, and calls after it are answered."""

    async def body() -> int:
        pool = WorkerPool(1, 4, memory=300 << 20)
        await pool.start()
        try:
            failed = (await call(pool, EXAMPLE.encode() + b"# " + b"x" * (250 << 20))).exit_code
        except ChildProcessError:
            failed = 1
        assert (await call(pool)).output == EXPECTED
        await pool.stop()
        return failed

    assert asyncio.run(body()) == 1
