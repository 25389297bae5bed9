# SPDX-License-Identifier: Apache-2.0
"""procprobe's groups of several brokers, as VictoriaMetrics stores them: the label ``broker`` distinguishes them."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.stand.victoriametrics import MetricsServer, query
from tailrace.stack.paths import MORE_PORT_NAMES, PORT_NAMES, REPO_ROOT

SCRAPE = REPO_ROOT / "stack" / "victoriametrics" / "scrape.yml"
GROUPS = ("broker", "broker-1", "broker-3", "loadgen", "broker-x")


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        lines = [f'procprobe_processes{{group="{group}"}} {number}' for number, group in enumerate(GROUPS)]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write("\n".join([*lines, ""]).encode())

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    page = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    # Nothing listens where the stack's other pages would be.
    env = dict.fromkeys((*PORT_NAMES, *MORE_PORT_NAMES), "9")
    env |= {"BROKER_KIND": "kafka/three", "PROCPROBE_PORT": str(page.server_port)}
    try:
        with MetricsServer(tmp_path, [f"-promscrape.config={SCRAPE}"], os.environ | env) as started:
            yield started.url
    finally:
        page.shutdown()
        page.server_close()


def test_groups_of_brokers_become_one_group_with_the_brokers_number(url: str) -> None:
    expected = {
        ("broker", None, 0.0),
        ("broker", "1", 1.0),
        ("broker", "3", 2.0),
        ("loadgen", None, 3.0),
        ("broker-x", None, 4.0),
    }
    deadline = time.monotonic() + 60
    found: set[tuple[str, str | None, float]] = set()
    while time.monotonic() < deadline and len(found) != len(expected):
        rows = query(url, "procprobe_processes")
        found = {(labels["group"], labels.get("broker"), value) for labels, value in rows}
    assert found == expected
    # The brokers' own pages are scraped under their numbers.
    brokers = {labels["broker"] for labels, _ in query(url, 'up{job="kafka"}')}
    assert brokers == {"1", "2", "3"}
