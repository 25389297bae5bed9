# SPDX-License-Identifier: Apache-2.0
"""``tailrace watch``."""

import json
import threading
import time
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result
from clickhouse_connect.driver.client import Client
from going_run import RUN

from tailrace.main import cli


def tailrace(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def store(client: Client, run_id: str, state: str, version: int) -> None:
    now = int(time.time() * 1e6)
    manifest = {
        "plan": {"phases": [{"name": "measure", "seconds": 60}]},
        "brokers": [{"id": 1, "host": "b1", "log_device": "sdb"}],
    }
    row = [run_id, "w", "d", state, now, 0 if state == "running" else now, 1, 1, "", ""]
    client.insert("runs", [[*row, json.dumps(manifest), "", version]])


def test_a_run_is_followed_to_its_end(client: Client) -> None:
    store(client, RUN, "running", 1)
    begun = datetime.now(UTC)
    client.insert("run_events", [[RUN, 0, int(begun.timestamp() * 1e6), "phase", "measure", ""]])
    ended = threading.Timer(5, lambda: store(client, RUN, "finished", 2))
    ended.start()
    try:
        result = tailrace("watch", RUN)
    finally:
        ended.join()
    assert result.exit_code == 0, result.output
    *lines, last = result.stdout.splitlines()
    assert last == f"run {RUN} is finished; its numbers: tailrace report {RUN}"
    assert len(lines) >= 2
    for line in lines:
        assert "measure 0:0" in line
        assert " of 1:00  sent 1,000/s  acked 990/s" in line
        assert "ALERTS SlowFlush" in line


def test_a_run_that_is_over_is_said_to_be(client: Client) -> None:
    store(client, "live-over", "interrupted", 1)
    result = tailrace("watch", "live-over")
    assert result.exit_code == 0
    assert result.stdout == "run live-over is interrupted; its numbers: tailrace report live-over\n"


def test_an_unknown_run_is_one_line(client: Client) -> None:
    store(client, "live-over", "interrupted", 1)
    result = tailrace("watch", "live-ovr")
    assert result.exit_code == 2
    assert "no run 'live-ovr'; nearest: live-over" in result.stderr


def test_no_metrics_is_one_line(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    store(client, "live-alone", "running", 1)
    monkeypatch.setenv("TAILRACE_VM_URL", "http://127.0.0.1:1")
    result = tailrace("watch", "live-alone")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "set TAILRACE_VM_URL" in result.stderr
