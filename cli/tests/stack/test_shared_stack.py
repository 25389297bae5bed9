# SPDX-License-Identifier: Apache-2.0
"""The running stack: order of start, health, what is scraped, and recovery of the collector."""

import json
import re
import socket
import ssl
import stat
import time
import urllib.parse
import urllib.request
from collections.abc import Callable

import psutil
import pytest

from tailrace.stack import supervisor
from tailrace.stack.api import Endpoints, StackPaths, broker_facts, is_up
from tailrace.stack.broker import broker_answers
from tailrace.stack.processes import stack_processes


def eventually(what: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.1)
    return False


def pid_of(paths: StackPaths, name: str) -> int:
    return next(state.pid for state in supervisor.states(paths) or [] if state.name == name)


def samples(paths: StackPaths, query: str) -> list[dict[str, str]]:
    """Label sets that VictoriaMetrics answers an instant query with."""
    url = Endpoints.load(paths).victoriametrics_url + "/api/v1/query?nocache=1&query="
    with urllib.request.urlopen(url + urllib.parse.quote(query), timeout=10) as answer:
        return [row["metric"] for row in json.load(answer)["data"]["result"]]


def test_everything_is_healthy(stack: StackPaths) -> None:
    assert is_up(stack)
    assert {state.name for state in supervisor.states(stack) or []} == {
        "collector",
        "ioprobe",
        "kafka",
        "migrate",
        "node-exporter",
        "nvme-smart",
        "procprobe",
        "victoria-metrics",
        "vmalert",
        "warehouse",
    }


def test_started_in_order(stack: StackPaths) -> None:
    log = re.sub(r"\x1b\[\d*m", "", (stack.logs / "supervisor.log").read_text(encoding="utf-8"))
    started = re.findall(r"Started .*process=(\S+)", log)
    for earlier, later in (
        ("node-exporter", "victoria-metrics"),
        ("victoria-metrics", "collector"),
        ("victoria-metrics", "vmalert"),
        ("warehouse", "migrate"),
        ("migrate", "collector"),
    ):
        assert started.index(earlier) < started.index(later)


def test_every_server_listens_on_loopback_only(stack: StackPaths) -> None:
    listening = {
        (connection.laddr.ip.removeprefix("::ffff:"), connection.laddr.port)
        for process in stack_processes(stack.state)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {("127.0.0.1", port) for port in stack.ports.values()}


def test_the_password_is_in_no_argument_list_and_no_log(stack: StackPaths) -> None:
    password = Endpoints.load(stack).warehouse_password
    for process in stack_processes(stack.state):
        assert password not in " ".join(process.cmdline())
        if process.name() not in ("tailrace-warehouse", "tailrace-collector"):
            assert password not in process.environ().values()
    for log in stack.logs.iterdir():
        assert password not in log.read_text(encoding="utf-8", errors="replace")
    assert stat.S_IMODE(stack.run.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("kafka_broker_state == 3", {"job": "kafka", "host": "localhost", "broker": "1"}),
        ("kafka_request_local_time_seconds_count", {"request": "Produce"}),
        ("kafka_log_flush_time_seconds_mean", {"job": "kafka"}),
        ("jvm_gc_collection_seconds_sum", {"job": "kafka"}),
        ("node_pressure_io_waiting_seconds_total", {"job": "node", "host": "localhost"}),
        ("up{job='collector'} == 1", {"host": "localhost"}),
        ("up{job='warehouse'} == 1", {"host": "localhost"}),
        ("procprobe_processes{group='broker'} == 1", {"job": "procprobe"}),
        ("procprobe_processes{group='exporters'} == 3", {"job": "procprobe"}),
        ("node_textfile_scrape_error == 0", {"job": "node"}),
    ],
)
def test_is_scraped(stack: StackPaths, query: str, labels: dict[str, str]) -> None:
    assert eventually(lambda: any(labels.items() <= found.items() for found in samples(stack, query)))


def test_the_brokers_drive_is_one_that_node_exporter_shows(stack: StackPaths) -> None:
    (broker,) = broker_facts(stack)
    assert (broker["id"], broker["host"]) == (1, "localhost")
    assert broker["log_dirs"] == [str(stack.data / "kafka")]
    query = f"node_disk_flush_requests_total{{device='{broker['log_device']}'}}"
    assert broker["log_device"] == "" or eventually(lambda: bool(samples(stack, query)))


def test_a_killed_collector_comes_back_healthy(stack: StackPaths) -> None:
    before = pid_of(stack, "collector")
    psutil.Process(before).kill()
    assert eventually(lambda: pid_of(stack, "collector") not in (0, before))
    assert eventually(lambda: is_up(stack))


def test_a_server_that_is_no_broker_does_not_pass_for_one(stack: StackPaths) -> None:
    assert broker_answers(stack.ports["KAFKA_PORT"])
    assert not broker_answers(stack.ports["WAREHOUSE_PORT"])


def test_the_broker_listens_by_tls_with_the_certificate_that_clients_trust(
    stack: StackPaths,
) -> None:
    trusted = ssl.create_default_context(cafile=str(stack.broker_certificate))
    place = ("127.0.0.1", stack.ports["KAFKA_TLS_PORT"])
    with (
        socket.create_connection(place, timeout=10) as plain,
        trusted.wrap_socket(plain, server_hostname=place[0]) as connection,
    ):
        assert connection.version() in ("TLSv1.2", "TLSv1.3")
