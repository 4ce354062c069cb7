"""Prometheus metrics of the server, on a port of their own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

_BUCKETS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Calls by hook and outcome, their seconds and bytes, and reloads."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        made = self.registry
        self._calls = Counter("krmkit_hook_calls", "Calls of hooks.", ["hook", "status"], registry=made)
        self._seconds = Histogram(
            "krmkit_hook_seconds", "Time of calls.", ["hook"], buckets=_BUCKETS, registry=made
        )
        self._bytes = Counter("krmkit_hook_bytes", "Bytes of bodies.", ["direction"], registry=made)
        self._reloads = Counter(
            "krmkit_reloads", "Reloads by what and outcome.", ["what", "status"], registry=made
        )
        self._loaded = Gauge(
            "krmkit_loaded_timestamp_seconds", "When the extensions were loaded.", registry=made
        )

    def call(self, hook: str, status: str, seconds: float, request: int, response: int) -> None:
        """Count a call. `hook` must name a served handler, which bounds the number of time series."""
        self._calls.labels(hook, status).inc()
        self._seconds.labels(hook).observe(seconds)
        self._bytes.labels("in").inc(request)
        self._bytes.labels("out").inc(response)

    def reload(self, what: str, done: bool) -> None:
        """Count a reload of the extensions or the certificate."""
        self._reloads.labels(what, "done" if done else "failed").inc()
        if what == "extensions" and done:
            self._loaded.set_to_current_time()

    def listen(self, host: str, port: int) -> int:
        """Serve /metrics; return the port. Raises OSError."""
        server, _ = start_http_server(port, host, self.registry)
        return int(server.server_address[1])
