"""krmkit.fleet.engine.dask: what becomes of batches, of workers that die and of a scheduler that goes, with a client in this process."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import krmkit
from krmkit.fleet.engine import dask
from krmkit.krm.errors import Refused

distributed = pytest.importorskip("distributed", reason="Dask is an extra")


class Sized:
    """An input with a size in bytes."""

    def __init__(self, size: int) -> None:
        self.size = size


class Doubles:
    """A job that refuses 3, and kills the worker that makes 5."""

    def __call__(self, given: int) -> int:
        if given == 3:
            raise Refused("3 is odd")
        if given == 5:
            raise distributed.KilledWorker("5", None, 1)
        return given * 2


class Future:
    """What is worked out when somebody asks."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work

    def result(self, timeout: float) -> Any:
        return self.work()


class Client:
    """Runs all tasks here."""

    status = "running"
    workers = 2
    version = krmkit.__version__
    late = False

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def close(self, timeout: float) -> None:
        pass

    def wait_for_workers(self, number: int, timeout: float) -> None:
        if self.workers < number:
            raise TimeoutError

    def run(self, function: Callable[[], str]) -> dict[str, str]:
        return {"tcp://worker:1": self.version}

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": dict.fromkeys(range(self.workers))}

    def submit(self, function: Callable[..., Any], *given: Any, pure: bool) -> Future:
        def work() -> Any:
            if self.late:
                raise TimeoutError
            return function(*(one.result(0) if isinstance(one, Future) else one for one in given))

        return Future(work)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A place that accepts connections, where Client is who answers."""

    class Answers(Client):
        pass

    def killed(job: Any, given: Any) -> Any:
        """Let a worker's death through, which no job can raise."""
        try:
            return job(given), ""
        except Refused as error:
            return None, str(error)

    monkeypatch.setattr(distributed, "Client", Answers)
    monkeypatch.setattr(dask, "attempt", killed)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def client(engine: dask.DaskEngine) -> Client:
    found: Client = engine._client
    return found


def test_each_input_has_its_answer(address: str) -> None:
    """In the order of the inputs, though a batch held one that kills its worker: only that one fails."""
    done = list(dask.DaskEngine(address).map(Doubles(), range(100)))

    assert done[3] == (None, "3 is odd")
    assert done[5] == (None, "every worker that made it died")
    assert [answer for answer, problem in done if not problem] == [
        2 * n for n in range(100) if n not in {3, 5}
    ]


def test_a_scheduler_that_goes_away(address: str) -> None:
    """Its tasks are lost, whether it comes back or not."""
    engine = dask.DaskEngine(address)
    answers = engine.map(Doubles(), iter(range(100)))
    assert next(answers) == (0, "")
    client(engine).status = "connecting"

    with pytest.raises(
        Refused, match="the scheduler went away; nothing was written: the connection to it is lost"
    ):
        list(answers)


@pytest.mark.parametrize(("workers", "message"), [(0, "no worker has been there for 0 s"), (1, "")])
def test_a_cluster_without_workers(
    address: str, monkeypatch: pytest.MonkeyPatch, workers: int, message: str
) -> None:
    """A worker may be on its way for a while; where there is one, it may take its time."""
    monkeypatch.setattr(dask, "PATIENCE", 0.0)
    engine = dask.DaskEngine(address)
    one = client(engine)
    one.late, one.workers = True, workers
    asked = 0

    def later(n_workers: int) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        one.late = one.late and (asked < 5 or not workers)
        return {"workers": dict.fromkeys(range(one.workers))}

    monkeypatch.setattr(one, "scheduler_info", later)
    if message:
        with pytest.raises(Refused, match=message):
            list(engine.map(Doubles(), range(2)))
    else:
        assert list(engine.map(Doubles(), range(2))) == [(0, ""), (2, "")]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("workers", 0, "the scheduler has no worker; start one with: dask worker tcp://127.0.0.1"),
        ("version", "0.0", "the worker tcp://worker:1 has krmkit 0.0, and this is krmkit"),
    ],
)
def test_what_a_cluster_must_have(
    address: str, monkeypatch: pytest.MonkeyPatch, name: str, value: object, message: str
) -> None:
    """Workers, and this version of krmkit on each."""
    monkeypatch.setattr(distributed.Client, name, value)

    with pytest.raises(Refused) as caught:
        dask.DaskEngine(address)

    assert message in str(caught.value)


def test_nobody_answers() -> None:
    """Before a client starts its threads."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"

    with pytest.raises(Refused, match=f"--on {address}: no scheduler answers there"):
        dask.DaskEngine(address)


@pytest.mark.parametrize(
    ("workers", "inputs", "sizes"),
    [
        (1, [0] * 10, [1, 2, 4, 3]),
        (2, [0] * 10, [1, 1, 2, 2, 4]),
        (1, [0] * 100, [1, 2, 4, 8, 16, 32, 32, 5]),
        (1, [dask.BYTES] * 3 + [dask.BYTES - 1, 1, 0], [1, 1, 1, 2, 1]),
        (1, [], []),
    ],
)
def test_batches(workers: int, inputs: list[int], sizes: list[int]) -> None:
    """Small ones first, and none with more bytes than it takes to close it."""
    assert [len(batch) for batch in dask.batches(map(Sized, inputs), workers)] == sizes
