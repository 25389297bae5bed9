# SPDX-License-Identifier: Apache-2.0
"""A proxy between collector and warehouse that fails on demand, a given number of blocks at a time."""

import contextlib
import http.client
import threading
from collections import Counter, deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

# Faults that let ClickHouse commit the block before the collector sees an error.
COMMITTED = {"error after commit", "hang after commit", "cut in the answer"}
FAULTS = ("error after commit", "unavailable", "hang", "hang after commit", "cut in the answer", "cut in the block")
# Lies prove that the comparison works: a block that is acknowledged and never stored, and one that is stored twice.
LIES = ("drop", "double")


@dataclass
class _Armed:
    fault: str
    blocks: int
    seconds: float
    token: str
    hit: bool = False


class FaultProxy:
    """Listens on ``port``. Without a fault armed it passes everything on unchanged."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.hits: Counter[str] = Counter()
        self.passed = 0
        self._armed: deque[_Armed] = deque()
        self._lock = threading.Lock()
        self.released = threading.Event()
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def arm(self, fault: str, blocks: int, seconds: float = 0, token: str = "") -> None:
        """The next ``blocks`` INSERTs after those of earlier faults get this fault.

        ``token``: only those whose deduplication token (run/worker/stream/number) begins with it.
        """
        with self._lock:
            self._armed.append(_Armed(fault, blocks, seconds, token))

    def armed(self, token: str) -> int:
        """How many blocks the faults for this beginning of a token still wait for."""
        with self._lock:
            return sum(each.blocks for each in self._armed if each.token == token)

    def calm(self) -> None:
        """Disarm all faults and release hanging requests. ``passed`` counts the blocks taken from then on."""
        with self._lock:
            self.passed = 0
            self._armed.clear()
        self.released.set()
        self.released = threading.Event()

    def take(self, path: str) -> tuple[str, float]:
        """The fault of the INSERT with this path; an empty one for none."""
        token = parse_qs(urlsplit(path).query).get("insert_deduplication_token", [""])[0]
        with self._lock:
            order = next((each for each in self._armed if token.startswith(each.token)), None)
            if order is None:
                return "", 0
            order.blocks -= 1
            if not order.hit:
                order.hit = True
                self.hits[order.fault] += 1
            if order.blocks <= 0:
                self._armed.remove(order)
            return order.fault, order.seconds

    def close(self) -> None:
        self.calm()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a collector that was killed resets its connections."""


class _Handler(BaseHTTPRequestHandler):
    proxy: ClassVar[FaultProxy]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test prints what it does."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault, seconds = self.proxy.take(self.path) if "INSERT" in self.path else ("", 0.0)
        with contextlib.suppress(OSError, http.client.HTTPException):
            if fault in LIES:
                self._lie(fault, body)
            elif fault:
                self._fail(fault, seconds, body)
            else:
                self._answer(*self._forward(body))
                self.proxy.passed += "INSERT" in self.path
            return
        self.close_connection = True

    def _fail(self, fault: str, seconds: float, body: bytes) -> None:
        if fault == "cut in the block":
            self._forward_half(body)
        elif fault in COMMITTED:
            self._forward(body)
        if fault.startswith("hang"):
            self.proxy.released.wait(seconds)
            self.close_connection = True
        elif fault.startswith("cut"):
            self.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Ty")
            self.close_connection = True
        else:
            self._answer(503 if fault == "unavailable" else 500, {}, fault.encode())

    def _lie(self, lie: str, body: bytes) -> None:
        if lie == "double":
            self._forward(body, self.path.replace("insert_deduplication_token=", "insert_deduplication_token=x"))
            self._answer(*self._forward(body))
        else:
            self._answer(200, {}, b"")

    def _forward(self, body: bytes, path: str | None = None) -> tuple[int, dict[str, str], bytes]:
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream, timeout=60)
        with contextlib.closing(upstream):
            upstream.request(self.command, path or self.path, body, dict(self.headers.items()))
            answer = upstream.getresponse()
            content = answer.read()
            kept = {k: v for k, v in answer.getheaders() if k.lower().startswith(("x-clickhouse", "content-type"))}
            return answer.status, kept, content

    def _forward_half(self, body: bytes) -> None:
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream, timeout=60)
        with contextlib.closing(upstream):
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                upstream.putheader(name, value)
            upstream.endheaders(body[: len(body) // 2])

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
