"""Serves the metrics of a stream over HTTP, from a separate thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from envpool_py.errors import ResourceError
from envpool_py.ray.fleet.metrics import CONTENT_TYPE


class MetricsServer:
    """Answers GET /metrics.

    Attributes:
        url: URL of the metrics.
    """

    def __init__(self, text: Callable[[], str], host: str, port: int) -> None:
        """Starts the thread.

        Args:
            text: returns the body of a response; called from several threads.
            host: address on which the server listens.
            port: port, in [0, 65535]; 0 for any free port.

        Raises:
            ResourceError: the port is in use, or the address is not of this machine.
        """
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(text))
        except (OSError, OverflowError) as error:
            raise ResourceError(f"metrics: cannot listen on {host}:{port}: {error}") from error
        self._server.daemon_threads = True
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self._server.server_address[1]}/metrics"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="envpool-metrics", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stops the thread."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(text: Callable[[], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.partition("?")[0] not in ("/", "/metrics"):
                self.send_error(404)
                return
            body = text().encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Prints nothing."""

    return Handler
