"""The warm evaluator against a process for each call, and eight clients on it for half a minute.

A list of 100 items goes to apply-presets, which changes one of them. The calls over gRPC and the processes run in turns of 50, so that
what else the machine does hits both. A process is started as Porch's wrapper starts it: the image's entry point, pipes for its streams.

A pipeline calls its functions with nearly the same items, which a worker has proven by then. How long a call takes whose items were
never there before stands beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep

import grpc

from krmkit.services.evaluator.evaluator_pb2 import EvaluateFunctionRequest, EvaluateFunctionResponse
from tests.bench import lists
from tests.bench.timing import INTERPRETER, MeasureError, Row, row

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ROOT / "functions"
METHOD = "/evaluator.FunctionEvaluator/EvaluateFunction"
GROUP = "evaluator, 100 items"
LIST = lists.resource_list(100, lists.APPLY_PRESETS, pack=True).encode()
CALLS = 500
TURN = 50
CLIENTS = 8
SECONDS = 30.0


def rows() -> list[Row]:
    with serving() as (pid, port):
        return [*_sequential(port), *_at_once(pid, port)]


@contextmanager
def serving() -> Iterator[tuple[int, int]]:
    """A running evaluator: its process and its port."""
    command = [sys.executable, "-m", "krmkit.cli", "serve", "evaluator", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.pid, int(server.stdout.readline().rpartition(":")[2])
        finally:
            server.terminate()
    if server.returncode:
        raise MeasureError(f"the evaluator left with {server.returncode}")


@contextmanager
def connected(port: int) -> Iterator[grpc.UnaryUnaryMultiCallable[bytes, bytes]]:
    """EvaluateFunction on a channel of its own."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel.unary_unary(METHOD)


def request(content: bytes = LIST) -> bytes:
    image = "ghcr.io/krmkit/apply-presets"
    return EvaluateFunctionRequest(resource_list=content, image=image).SerializeToString()


def answered(message: bytes) -> bytes:
    """The list of an answer."""
    return EvaluateFunctionResponse.FromString(message).resource_list


def _sequential(port: int) -> list[Row]:
    process = [INTERPRETER, "-I", "-S", str(FUNCTIONS / "apply-presets/main.py")]
    message = request()

    def start() -> bytes:
        return subprocess.run(process, input=LIST, capture_output=True, check=True).stdout

    with connected(port) as call:

        def warm() -> bytes:
            return answered(call(message))

        if warm() != start():
            raise MeasureError("the evaluator and the process give different lists")
        unseen = iter([request(_unseen(number)) for number in range(CALLS)])

        def new() -> bytes:
            return call(next(unseen))

        taken = {warm: 0.0, start: 0.0, new: 0.0}
        for _ in range(CALLS // TURN):
            for function in taken:
                taken[function] += _seconds(function)
        calls, processes, news = taken.values()
    return [
        row(GROUP, f"{CALLS} processes, one after the other: each", processes / CALLS * 1000, "ms"),
        row(GROUP, f"{CALLS} calls over gRPC, one after the other: each", calls / CALLS * 1000, "ms"),
        row(GROUP, "calls over gRPC / processes", calls / processes, "x", 0.2),
        row(
            GROUP, "the same calls with items that were never there before / processes", news / processes, "x"
        ),
    ]


def _unseen(number: int) -> bytes:
    """The list with a mark in every item."""
    return LIST.replace(b"\n  metadata:\n", b"\n  metadata: # call %d\n" % number)


def _seconds(function: Callable[[], object]) -> float:
    start = perf_counter()
    for _ in range(TURN):
        function()
    return perf_counter() - start


def _at_once(pid: int, port: int) -> list[Row]:
    """Eight clients; memory is read after a quarter of the time, when every worker has been busy for a while, and at the end."""
    with ThreadPoolExecutor(CLIENTS) as threads:
        end = perf_counter() + SECONDS
        clients = [threads.submit(_client, port, number, end) for number in range(CLIENTS)]
        sleep(SECONDS / 4)
        early = resident(pid)
        done = sum(client.result() for client in clients)
    late = resident(pid)
    return [
        row(GROUP, f"{CLIENTS} clients for {SECONDS:g} s: calls, none with an error", done, "calls"),
        row(GROUP, f"{CLIENTS} clients for {SECONDS:g} s: calls per second", done / SECONDS, "/s"),
        row(GROUP, f"{CLIENTS} clients: memory of all processes after {SECONDS / 4:g} s", early / 1e6, "MB"),
        row(GROUP, f"{CLIENTS} clients: memory of all processes after {SECONDS:g} s", late / 1e6, "MB"),
        row(GROUP, f"{CLIENTS} clients: memory at the end / before", late / early, "x", 1.05),
    ]


def _client(port: int, number: int, end: float) -> int:
    """Calls until the time is over, each with a list that was not there before; any error ends the measurement."""
    done = 0
    with connected(port) as call:
        while perf_counter() < end:
            mark = f"call-{number}-{done}".encode()
            content = LIST.replace(b"name: edge-agent\n", b"name: edge-agent # " + mark + b"\n", 1)
            output = answered(call(request(content)))
            if mark not in output or output.count(b"logLevel: debug") != 2:
                raise MeasureError(f"a wrong answer to call {done} of client {number}")
            done += 1
    return done


def resident(pid: int) -> int:
    """Memory that a process and those that it started hold, in bytes."""
    total = 0
    for one in processes_of(pid):
        with open(f"/proc/{one}/statm", encoding="ascii") as stream:
            total += int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def processes_of(pid: int) -> Iterator[int]:
    """A process and those that it started."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            waiting += map(int, children.read_text("ascii").split())
