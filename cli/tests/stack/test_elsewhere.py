# SPDX-License-Identifier: Apache-2.0
"""A stack on other hosts: named by URLs, known by certificates, asked with passwords."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.stack.api import Endpoints, StackPaths, declared_brokers, is_elsewhere

URLS = {
    "TAILRACE_WAREHOUSE_URL": "https://lab3:8443",
    "TAILRACE_VM_URL": "https://lab3:8428",
    "TAILRACE_OTLP_URL": "https://lab3:4318",
}
BROKER = {"id": 2, "host": "lab2", "log_dirs": ["/d/1"], "log_device": "nvme1n1"}


def test_a_stack_is_elsewhere_only_when_every_part_is_named() -> None:
    assert is_elsewhere(URLS)
    for name in URLS:
        assert not is_elsewhere(URLS | {name: ""})


def test_brokers_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "brokers.json"
    file.write_text(json.dumps([BROKER | {"more": 1}]))
    assert declared_brokers({"TAILRACE_BROKERS": str(file)}) == [BROKER]
    assert declared_brokers({}) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "JSONDecodeError"), ("[{}]", "KeyError 'id'"), (None, "No such file")],
)
def test_a_file_of_brokers_that_is_none_is_named(tmp_path: Path, text: str | None, why: str) -> None:
    file = tmp_path / "brokers.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadInput, match=rf"TAILRACE_BROKERS={file}: {why}.*; give a JSON list"):
        declared_brokers({"TAILRACE_BROKERS": str(file)})


class Guarded(BaseHTTPRequestHandler):
    """Answers who shows the password, as VictoriaMetrics does behind -httpAuth."""

    wanted = "Basic " + base64.b64encode(b"lab:hush").decode()

    def do_GET(self) -> None:
        self.send_response(200 if self.headers["Authorization"] == self.wanted else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def guarded() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Guarded)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def endpoints(url: str, user: str, password: str) -> Endpoints:
    env = URLS | {
        "TAILRACE_VM_URL": url,
        "TAILRACE_VM_USER": user,
        "TAILRACE_VM_PASSWORD": password,
        "TAILRACE_WAREHOUSE_USER": "u",
        "TAILRACE_WAREHOUSE_PASSWORD": "p",
    }
    return Endpoints.load(StackPaths.load({}), env)


def test_metrics_are_asked_for_with_the_password(guarded: str) -> None:
    VictoriaMetrics.at(endpoints(guarded, "lab", "hush")).flush()
    for user in ("lab", ""):
        with pytest.raises(VictoriaMetricsError, match="HTTP 401"):
            VictoriaMetrics.at(endpoints(guarded, user, "wrong")).flush()


def test_a_password_is_not_shown() -> None:
    assert "hush" not in repr(endpoints("http://lab3:1", "lab", "hush"))
