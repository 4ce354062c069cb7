"""Run jobs on a Dask cluster, in batches of contents; the jobs of a killed worker run again on another.

Workers run the code that they receive, and their answers are unpickled here: a client that reaches the
scheduler can run programs on all of them. So use a separate network, or Dask's TLS (docs/scale.md).
"""

from __future__ import annotations

import logging
import pickle
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import krmkit
from krmkit.fleet.engine.jobs import Done, Job, attempt
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.extras import how

if TYPE_CHECKING:
    from distributed import Future

CONNECT = 20.0  # seconds to wait for the scheduler
FIRST = 20.0  # seconds to wait for its first worker
PATIENCE = 60.0  # seconds to wait for a worker where there is none
AHEAD = 3  # batches in flight for each worker
MOST = 32  # packages in a batch
BYTES = 4 << 20  # contents of a batch, after which it is closed

_ONE = threading.Lock()  # functions are not thread-safe; a worker may have several threads


class DaskEngine:
    """An engine on the cluster whose scheduler is at `address`, such as `tcp://10.0.0.1:8786`.

    Raises Refused.
    """

    near = False

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise Refused(f"--on needs Dask: {how('fleet')}") from None
        # An error is reported once, and not by the logger of each part of Dask.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self.address = address
        _reach(address)
        _check_certificates(address)
        try:
            self._client: Any = Client(address, timeout=CONNECT, set_as_default=False, name="krmkit")
        except (OSError, ValueError) as error:
            raise Refused(f"--on {address}: no scheduler answers there: {error}") from None
        try:
            self._check_versions()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect from the cluster; its scheduler and workers keep running."""
        self._client.close(timeout=5)

    def map(self, job: Job, inputs: Iterable[Any]) -> Iterator[Done]:
        """Run the jobs. Raises Refused if the scheduler or all workers are gone."""
        held = self._submit(_load, pickle.dumps(job))
        waiting: deque[tuple[list[Any], Future[Any]]] = deque()
        workers = self._many()
        for batch in batches(inputs, workers):
            waiting.append((batch, self._send(held, batch)))
            if len(waiting) >= AHEAD * workers:
                yield from self._next(held, waiting)
                workers = max(workers, self._many())
        while waiting:
            yield from self._next(held, waiting)

    def _next(self, held: Future[Any], waiting: deque[tuple[list[Any], Future[Any]]]) -> Iterator[Done]:
        batch, future = waiting.popleft()
        yield from self._done(held, batch, future, [other for _, other in waiting])

    def _send(self, held: Future[Any], batch: list[Any]) -> Future[Any]:
        return self._submit(_work, held, pickle.dumps(batch, protocol=5), krmkit.__version__)

    def _submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        from distributed.client import ClosedClientError

        try:
            sent: Future[Any] = self._client.submit(function, *given, pure=False)
        except ClosedClientError as error:
            raise self._gone(error) from None
        return sent

    def _done(
        self, held: Future[Any], batch: list[Any], future: Future[Any], others: Iterable[Future[Any]]
    ) -> Iterator[Done]:
        """Yield the results of a batch; if its workers died, run each package again alone."""
        from distributed import KilledWorker

        try:
            yield from self._result(future)
            return
        except KilledWorker:
            # Dask counts a worker's death against all tasks that waited there.
            for other in others:
                with suppress(KilledWorker):
                    self._result(other)
        for given in batch:
            try:
                yield from self._result(self._send(held, [given]))
            except KilledWorker:
                yield None, "every worker that made it died"

    def _result(self, future: Future[Any]) -> list[Done]:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        alone = 0.0
        while True:
            try:
                done: list[Done] = future.result(timeout=5)
                return done
            except (KilledWorker, Refused):
                raise
            except TimeoutError:
                if self._workers():
                    alone = 0.0
                elif not alone:
                    alone = time.monotonic()
                elif time.monotonic() - alone > PATIENCE:
                    raise Refused(
                        f"{self.address}: no worker has been there for {PATIENCE:.0f} s; nothing was written"
                    ) from None
            except (FutureCancelledError, OSError) as error:
                raise self._gone(error) from None
            except Exception as error:  # noqa: BLE001  # raised on a worker, of any type: a package that cannot be loaded there
                raise Refused(
                    f"{self.address}: {type(error).__name__}: {error}; nothing was written"
                ) from None

    def _workers(self) -> int:
        # A client that lost its scheduler has lost the tasks too, even if it reconnects.
        running = self._client.status == "running"
        scheduler = self._client.scheduler_info(n_workers=-1) if running else {}
        if "workers" not in scheduler:
            raise self._gone("the connection to it is lost")
        return len(scheduler["workers"])

    def _gone(self, why: object) -> Refused:
        return Refused(f"{self.address}: the scheduler went away; nothing was written: {why}")

    def _many(self) -> int:
        return max(1, self._workers())

    def _check_versions(self) -> None:
        """Check that every worker has this version of krmkit: another could make other packages."""
        try:
            self._client.wait_for_workers(1, timeout=FIRST)
        except TimeoutError:
            raise Refused(
                f"--on {self.address}: the scheduler has no worker; start one with: dask worker {self.address}"
            ) from None
        try:
            versions = self._client.run(_version)
        except Exception as error:  # noqa: BLE001  # raised on a worker, of any type
            raise Refused(
                f"--on {self.address}: a worker cannot load krmkit ({error}); install krmkit {krmkit.__version__} there"
            ) from None
        for worker, version in sorted(versions.items()):
            if version != krmkit.__version__:
                raise Refused(
                    f"the worker {worker} has krmkit {version}, and this is krmkit {krmkit.__version__};"
                    " install the same version on all machines"
                )


def _reach(address: str) -> None:
    """Check that the address accepts connections, before Dask starts a client's threads."""
    from distributed.comm.addressing import get_address_host_port

    try:
        place = get_address_host_port(address, strict=True)
        socket.create_connection(place, timeout=CONNECT).close()
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise Refused(f"--on {address}: no scheduler answers there: {error}") from None


def _check_certificates(address: str) -> None:
    """Raise Refused for missing certificates: Dask's own error is hard to read."""
    from distributed.security import Security

    if not address.startswith("tls://"):
        return
    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except (OSError, TypeError) as error:
        raise Refused(
            f"--on {address}: the certificates of Dask's configuration cannot be read: {error}"
        ) from None
    if context is None:
        raise Refused(
            f"--on {address}: needs certificates; Dask's configuration must name distributed.comm.tls.ca-file,"
            " client.cert and client.key (docs/scale.md)"
        )


def _version() -> str:
    return krmkit.__version__


def _load(blob: bytes) -> Job:
    job: Job = pickle.loads(blob)
    return job


def _work(job: Job, blob: bytes, version: str) -> list[Done]:
    if version != krmkit.__version__:
        raise Refused(
            f"a worker has krmkit {krmkit.__version__}, and this is krmkit {version}; install the same version on all machines"
        )
    with _ONE:
        return [attempt(job, given) for given in pickle.loads(blob)]


def batches(inputs: Iterable[Any], workers: int) -> Iterator[list[Any]]:
    """Split inputs into lists, in order: small ones first, so that every worker starts soon.

    An input's attribute `size`, if any, is its bytes. Example: one worker gets ten inputs as 1, 2, 4 and 3.
    """
    batch: list[Any] = []
    number = size = 0
    for given in inputs:
        batch.append(given)
        size += getattr(given, "size", 0)
        if len(batch) >= min(MOST, 1 << min(number // workers, 16)) or size >= BYTES:
            yield batch
            batch, size = [], 0
            number += 1
    if batch:
        yield batch
