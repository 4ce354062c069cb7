"""The server of extensions over HTTPS: GeneratePatches for 100 templates and 7 patches, by one caller, by ten, and by eight for half a minute.

Callers keep their connections, as Cluster API's client does, and compare every answer. One caller and ten go in turns, so that what else
the machine does hits both. CPU time is that of the server and its workers, from /proc.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

from krmkit.libraries.yaml import emit
from krmkit.services.extension.live import GROUP, VERSION
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path
from krmkit.systems.clusterapi.model.extensions import GENERATE_PATCHES
from tests.bench import extensions
from tests.bench.bench_evaluator import processes_of, resident
from tests.bench.timing import MeasureError, Row, row

ROWS = "extension server, 100 templates x 7 patches"
PATH = hook_path(GROUP, VERSION, GENERATE_PATCHES, extensions.HANDLER) + "?timeout=10s"
ROUNDS = 5
CALLS = 100  # of all callers together, in a round
CALLERS = 10
CLIENTS = 8
SECONDS = 30.0


class Running(NamedTuple):
    """A server that runs: its process, its port, and what trusts its certificate."""

    pid: int
    port: int
    context: ssl.SSLContext


def rows() -> list[Row]:
    body = json.dumps(extensions.request()).encode()
    with serving() as server:
        expected = Caller(server).call(body)
        if b'"status":"Success"' not in expected[:200]:
            raise MeasureError(f"the extension does not answer: {expected[:500]!r}")
        return [*_latency(server, body, expected), *_steady(server, body, expected)]


@contextmanager
def serving() -> Iterator[Running]:
    """A server with the extension, as many workers as cores, and a certificate of its own."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "extension.yaml").write_text(emit.document(extensions.EXTENSION), "utf-8")
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
        ]
        made += ["-keyout", "tls.key", "-out", "tls.crt", "-subj", "/CN=localhost", "-days", "2"]
        made += ["-addext", "subjectAltName=DNS:localhost"]
        subprocess.run(made, cwd=place, check=True, capture_output=True)
        command = [
            sys.executable,
            "-m",
            "krmkit.cli",
            "serve",
            "topology-extension",
            "extension.yaml",
            "--port",
            "0",
        ]
        command += ["--metrics-port", "0", "--tls-cert", "tls.crt", "--tls-key", "tls.key"]
        with (
            Path(place, "log").open("wb") as log,
            subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=log, text=True) as server,
        ):
            try:
                assert server.stdout is not None
                port = (
                    server.stdout.readline()
                    .rpartition("listening on ")[2]
                    .partition(",")[0]
                    .rpartition(":")[2]
                )
                context = ssl.create_default_context(cafile=str(Path(place, "tls.crt")))
                yield Running(server.pid, int(port), context)
            finally:
                server.terminate()
        if server.returncode:
            raise MeasureError(f"the server left with {server.returncode}")


class Caller:
    """A connection that is kept."""

    __slots__ = ("_connection",)

    def __init__(self, server: Running) -> None:
        self._connection = http.client.HTTPSConnection(
            "localhost", server.port, timeout=30, context=server.context
        )
        self._connection.connect()

    def call(self, body: bytes) -> bytes:
        """The answer's body. Raises MeasureError."""
        self._connection.request("POST", PATH, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise MeasureError(f"a call got status {answer.status}")
        return text

    def times(self, body: bytes, expected: bytes, count: int) -> list[float]:
        """Seconds of so many calls, each checked."""
        found = []
        for _ in range(count):
            start = perf_counter()
            text = self.call(body)
            found.append(perf_counter() - start)
            if text != expected:
                raise MeasureError("the same request got two different answers")
        return found

    def close(self) -> None:
        self._connection.close()


def _latency(server: Running, body: bytes, expected: bytes) -> list[Row]:
    """One caller and ten, in turns."""
    one = Caller(server)
    many = [Caller(server) for _ in range(CALLERS)]
    alone: list[float] = []
    beside: list[float] = []
    seconds_alone = seconds_beside = cpu = 0.0
    share = CALLS // CALLERS
    with ThreadPoolExecutor(CALLERS) as threads:
        for turn in range(ROUNDS + 1):
            before, start = processor_seconds(server.pid), perf_counter()
            times = one.times(body, expected, CALLS)
            middle, used = perf_counter(), processor_seconds(server.pid) - before
            lists = list(threads.map(partial(Caller.times, body=body, expected=expected, count=share), many))
            end = perf_counter()
            if turn:  # the first round counts nothing
                alone += times
                beside += [taken for listed in lists for taken in listed]
                seconds_alone += middle - start
                seconds_beside += end - middle
                cpu += used
    for caller in (one, *many):
        caller.close()
    return [
        row(ROWS, "one caller: median", percentile(alone, 0.5) * 1000, "ms"),
        row(ROWS, "one caller: p99", percentile(alone, 0.99) * 1000, "ms", 50),
        row(ROWS, "one caller: CPU time of server and workers, each call", cpu / len(alone) * 1000, "ms"),
        row(ROWS, f"{CALLERS} callers at a time: p99", percentile(beside, 0.99) * 1000, "ms"),
        row(ROWS, f"{CALLERS} callers at a time: calls per second", len(beside) / seconds_beside, "/s"),
        row(ROWS, f"calls per second, one caller / {CALLERS} at a time", seconds_beside / seconds_alone, "x", 1 / 1.6),
    ]  # fmt: skip


def _steady(server: Running, body: bytes, expected: bytes) -> list[Row]:
    """Eight callers for half a minute; memory is read after a quarter of the time and at the end, descriptors before and after."""
    descriptors = len(os.listdir(f"/proc/{server.pid}/fd"))
    with ThreadPoolExecutor(CLIENTS) as threads:
        end = perf_counter() + SECONDS
        clients = [threads.submit(_client, server, body, expected, end) for _ in range(CLIENTS)]
        sleep(SECONDS / 4)
        early = resident(server.pid)
        done = sum(client.result() for client in clients)
    late = resident(server.pid)
    sleep(3)  # the server lets go of connections when its clients have gone
    left = len(os.listdir(f"/proc/{server.pid}/fd")) - descriptors
    title = f"{CLIENTS} callers for {SECONDS:g} s"
    return [
        row(ROWS, f"{title}: calls, none with an error", done, "calls"),
        row(ROWS, f"{title}: memory of all processes", late / 1e6, "MB"),
        row(ROWS, f"{title}: memory at the end / after {SECONDS / 4:g} s", late / early, "x", 1.05),
        row(ROWS, f"{title}: descriptors more than before", left, "", 0),
    ]


def _client(server: Running, body: bytes, expected: bytes, end: float) -> int:
    """Calls until the time is over, on a new connection after every 20; any error ends the measurement."""
    done = 0
    while perf_counter() < end:
        caller = Caller(server)
        done += len(caller.times(body, expected, 20))
        caller.close()
    return done


def processor_seconds(pid: int) -> float:
    """CPU time of a process and those that it started, so far."""
    ticks = 0
    for one in processes_of(pid):
        fields = Path(f"/proc/{one}/stat").read_text("ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def percentile(times: list[float], share: float) -> float:
    """The time that so many of the calls stay below."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]
