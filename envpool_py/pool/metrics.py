"""Serves metrics over HTTP, to Prometheus. Needs the package prometheus_client."""

from __future__ import annotations

import socket
import threading
import weakref
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import numpy as np

from envpool_py.errors import ClosedError, MissingPackageError, ResourceError, install_command
from envpool_py.pool.health import STATES

try:
    from prometheus_client import CollectorRegistry, make_wsgi_app
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
    from prometheus_client.registry import Collector
except ImportError as error:
    raise MissingPackageError(
        "serve_metrics needs the package prometheus_client "
        f"(`{install_command('metrics')}`): {error}"
    ) from error

if TYPE_CHECKING:
    from envpool_py.pool.base import PoolBase

__all__ = ["MetricsServer", "PoolCollector"]

# Connections at the same time; Prometheus needs one. Further ones are closed.
_MOST_CONNECTIONS = 16
# Seconds until a connection without a request is closed.
_LONGEST_SILENCE_S = 10.0


class MetricsServer:
    """Answers requests for the metrics, each in a separate thread.

    Attributes:
        url: URL of the metrics.
    """

    def __init__(self, collector: Collector, host: str, port: int) -> None:
        """Starts the thread.

        Args:
            collector: collects the metrics; called from several threads.
            host: address on which the server listens.
            port: port, in [0, 65535]; 0 for any free port.

        Raises:
            ResourceError: the port is in use, or the address is not of this machine.
        """
        registry = CollectorRegistry()
        registry.register(collector)
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self._server = _Server(family, address)
        except (OSError, OverflowError) as error:
            raise ResourceError(f"metrics: cannot listen on {host}:{port}: {error}") from error
        self._server.set_app(make_wsgi_app(registry))
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="envpool-metrics", daemon=True
        )
        self._thread.start()
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self._server.server_port}/metrics"

    def close(self) -> None:
        """Stops the thread."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection, up to a limit."""

    daemon_threads = True

    def __init__(self, family: socket.AddressFamily, address: Any) -> None:
        self.address_family = family
        self._free = threading.Semaphore(_MOST_CONNECTIONS)
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()


class _Handler(WSGIRequestHandler):
    timeout = _LONGEST_SILENCE_S

    def log_message(self, *_: Any) -> None:
        """Does nothing; the base class prints every request."""


class PoolCollector(Collector):
    """Collects the metrics of a pool, which it does not keep alive."""

    def __init__(self, pool: PoolBase) -> None:
        self._pool = weakref.ref(pool)

    def collect(self) -> Iterator[Metric]:
        """Yields the metrics at this point in time; none of a pool that is gone."""
        pool = self._pool()
        if pool is None:
            return
        stats = pool.stats(detail=True)
        task = pool.task_id

        def one(family: Any, name: str, about: str, value: float) -> Metric:
            metric: Metric = family(f"envpool_{name}", about, labels=["task"])
            metric.add_metric([task], value)  # type: ignore[attr-defined]
            return metric

        for name, about in (
            ("steps", "Steps of environments."),
            ("episodes", "Episodes that ended."),
            ("resets", "Resets of environments."),
            ("failures", "Steps and resets in which an environment failed."),
        ):
            yield one(CounterMetricFamily, name, about, stats[name])
        for name, key, about in (
            ("step_seconds", "step_ns", "Time in environments, over all threads."),
            ("idle_seconds", "idle_ns", "Time of threads without work."),
            ("wait_seconds", "recv_wait_ns", "Time that callers waited for results."),
        ):
            yield one(CounterMetricFamily, name, about, stats[key] * 1e-9)
        for name, key, about in (
            ("queued", "queued", "Environments that wait for a thread."),
            ("batch_bytes", "block_bytes", "Memory of batches."),
            ("leased_bytes", "leased_bytes", "Memory of batches that arrays keep."),
        ):
            yield one(GaugeMetricFamily, name, about, stats[key])
        try:
            now = pool.health()
        except ClosedError:
            return
        states = GaugeMetricFamily(
            "envpool_environments", "Environments, by what they do.", labels=["task", "state"]
        )
        for state in STATES:
            states.add_metric([task, state], int(np.count_nonzero(now["state"] == state)))
        yield states
        steps = now["seconds"][now["state"] == "stepping"]
        about = "Time of the longest step that runs."
        yield one(GaugeMetricFamily, "longest_step_seconds", about, float(max(steps, default=0.0)))
