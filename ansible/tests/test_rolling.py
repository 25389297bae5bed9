# SPDX-License-Identifier: Apache-2.0
"""A rolling playbook goes on only when every broker reports that no replica is behind."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from conftest import ANSIBLE, play

NUMBER = "kafka_broker_under_replicated_partitions"
PLAYBOOK = f"""
- hosts: brokers
  connection: local
  gather_facts: false
  roles: [tailrace.lab.tailrace]
  tasks:
    - include_tasks: {ANSIBLE}/playbooks/tasks/in_sync.yml
      run_once: true
"""


class Pages(ThreadingHTTPServer):
    """Metrics of a broker: each page once, the last one from then on."""

    def __init__(self, pages: list[str]) -> None:
        self.pages, self.asked = pages, 0
        super().__init__(("127.0.0.1", 0), Page)


class Page(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        text = self.server.pages[min(self.server.asked, len(self.server.pages) - 1)]
        self.server.asked += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: pytest shows what fails."""


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages(["# no number yet\n", f"{NUMBER} 2.0\n", f"{NUMBER} 0.0\n"]) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        server.shutdown()
        serving.join()


def test_it_waits_for_the_number_and_for_it_to_be_none(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "play.yml").write_text(PLAYBOOK)
    variables = {"tailrace_ports": {"kafka_jmx": pages.server_address[1], "redpanda_admin": 1}}
    inventory = {"brokers": {"hosts": {"b1": {}}, "vars": variables}}
    (tmp_path / "hosts.json").write_text(json.dumps(inventory))
    done = play(tmp_path / "hosts.json", tmp_path / "play.yml")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert pages.asked == 3
