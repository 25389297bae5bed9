# SPDX-License-Identifier: Apache-2.0
"""A proxy in front of VictoriaMetrics that fails some requests."""

import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def serve_flaky(url: str, fails: Callable[[int], bool]) -> Iterator[str]:
    """URL of a server that forwards requests to ``url``, except those whose number fails."""
    asked = iter(range(10**9))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if fails(next(asked)):
                self.send_error(503)
                return
            with urllib.request.urlopen(url + self.path) as answer:
                body = answer.read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
