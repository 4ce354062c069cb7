"""A real cluster of Dask on this machine: a scheduler and workers, each a process, on the loopback address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from tests.waiting import until


class LocalCluster:
    """To be used in a `with` block. `address` is the scheduler's; `workers` are processes without a nanny, so that a kill is final."""

    def __init__(self, root: Path, project: Path, workers: int = 2, threads: int = 1) -> None:
        self.root = root
        self.env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project / "shared"), str(project)])}
        self.threads = threads
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self._address()
        for _ in range(workers):
            self.add_worker()

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker, and wait until the scheduler knows it."""
        before = self._log().count("Register worker")
        words = [
            "--no-nanny",
            "--nthreads",
            str(self.threads),
            "--no-dashboard",
            "--memory-limit",
            "0",
            "--host",
            "127.0.0.1",
        ]
        self.workers.append(self._start("worker", self.address, *words, "--local-directory", str(self.root)))
        self._wait(lambda: self._log().count("Register worker") > before)
        return self.workers[-1]

    def kill_worker(self) -> None:
        """SIGKILL for the oldest worker."""
        worker = self.workers.pop(0)
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with open(self.root / f"{name}.log", "ab") as log:
            program = [sys.executable, "-m", f"distributed.cli.dask_{name}", *words]
            return subprocess.Popen(program, stdout=log, stderr=log, env=self.env, cwd=self.root)

    def _log(self) -> str:
        return (self.root / "scheduler.log").read_text("utf-8")

    def _address(self) -> str:
        self._wait(lambda: "Scheduler at:" in self._log())
        found = re.search(r"Scheduler at: +(\S+)", self._log())
        assert found is not None
        return found[1]

    def _wait(self, ready: Callable[[], bool]) -> None:
        until(lambda: ready() or self.scheduler.poll() is not None, self._log)
        assert self.scheduler.poll() is None, self._log()
