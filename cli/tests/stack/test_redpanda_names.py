# SPDX-License-Identifier: Apache-2.0
"""A real VictoriaMetrics scrapes pages that read as Redpanda's; the names come out as Kafka's."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.stand.victoriametrics import MetricsServer, query
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT

PAGES = Path(__file__).parent / "pages"
REQUESTS = ("Produce", "FetchConsumer")
SCRAPE = REPO_ROOT / "stack" / "victoriametrics" / "scrape.yml"


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = {"/public_metrics": "redpanda_public_metrics", "/metrics": "redpanda_metrics"}
        body = (PAGES / f"{name[self.path]}.txt").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    broker = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=broker.serve_forever, daemon=True).start()
    # Nothing listens where the stack's other pages would be.
    env = dict.fromkeys(PORT_NAMES, "9") | {
        "BROKER_KIND": "redpanda",
        "REDPANDA_ADMIN_ADDRESS": f"127.0.0.1:{broker.server_port}",
        "REDPANDA_HOST": "h1",
        "REDPANDA_BROKER": "1",
    }
    try:
        with MetricsServer(tmp_path, [f"-promscrape.config={SCRAPE}"], os.environ | env) as started:
            yield started.url
    finally:
        broker.shutdown()
        broker.server_close()


def test_names_and_labels_are_kafkas(url: str) -> None:
    topic = {"host": "h1", "broker": "1", "topic": "t"}
    replica = topic | {"partition": "0"}
    produce, fetch = ({"host": "h1", "broker": "1", "request": r} for r in REQUESTS)
    expected = {
        ("kafka_broker_bytes_in_total", 1000.0): replica | {"request": "Produce"},
        ("kafka_broker_bytes_out_total", 2000.0): replica | {"request": "FetchConsumer"},
        ("kafka_broker_messages_in_total", 11.0): topic,
        ("kafka_broker_under_replicated_partitions", 1.0): replica,
        ("kafka_request_total_time_seconds_bucket", 3.0): produce | {"le": "0.001"},
        ("kafka_request_total_time_seconds_bucket", 4.0): produce | {"le": "+Inf"},
        ("kafka_request_total_time_seconds_sum", 0.5): produce,
        ("kafka_request_total_time_seconds_count", 4.0): produce,
        ("kafka_request_total_time_seconds_sum", 0.25): fetch,
        ("kafka_request_total_time_seconds_count", 5.0): fetch,
        ("kafka_log_start_offset", 500.0): replica,
        ("kafka_log_segments", 6.0): replica,
        ("kafka_log_size_bytes", 4096.0): replica,
    }
    deadline = time.monotonic() + 60
    found: dict[tuple[str, float], dict[str, str]] = {}
    while time.monotonic() < deadline and found.keys() != expected.keys():
        rows = query(url, '{__name__=~"(kafka|redpanda|vectorized)_.*"}')
        found = {(labels.pop("__name__"), value): labels for labels, value in rows}
        for labels in found.values():
            del labels["job"], labels["instance"]
    assert found == expected
