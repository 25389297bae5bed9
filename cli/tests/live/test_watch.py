# SPDX-License-Identifier: Apache-2.0
"""``tailrace watch``."""

import json
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner, Result
from clickhouse_connect.driver.client import Client
from flaky_proxy import serve_flaky
from going_run import RUN

from lab.stand.warehouse import Warehouse
from tailrace.live import command, patience
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


def test_the_state_of_an_ended_run_is_printed(client: Client) -> None:
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


def test_a_watch_survives_an_outage_of_the_metrics(
    client: Client, metrics: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More requests in a row fail than for a wrong address, and the run is still followed."""
    monkeypatch.setattr(command, "EVERY_S", 0.05)
    monkeypatch.setattr(patience, "NEVER_S", 0.1)
    store(client, RUN, "running", 3)
    begun = threading.Event()

    def fails(number: int) -> bool:
        if number == 12:
            begun.set()
        return 2 <= number < 10

    def end() -> None:
        assert begun.wait(60)
        store(client, RUN, "finished", 4)

    ended = threading.Thread(target=end)
    ended.start()
    with serve_flaky(metrics, fails) as url:
        monkeypatch.setenv("TAILRACE_VM_URL", url)
        result = tailrace("watch", RUN)
    ended.join()
    assert result.exit_code == 0, result.output
    *lines, last = result.stdout.splitlines()
    assert last == f"run {RUN} is finished; its numbers: tailrace report {RUN}"
    silent = ["VictoriaMetrics does not answer; trying again" in line for line in lines]
    assert silent[:2] == [False] * 2
    assert silent[2:10] == [True] * 8
    assert not any(silent[10:])


def test_a_watch_survives_an_outage_of_the_warehouse(metrics: str, tmp_path: Path) -> None:
    """The warehouse is stopped and started again while the run is watched; then the run ends."""
    away = "the warehouse does not answer; trying again  sent 1,000/s"
    mark = json.dumps({"text": "pulled the plug", "end": None})
    lines: list[str] = []
    stored = Warehouse(tmp_path)
    with stored:
        client = stored.client
        store(client, RUN, "running", 1)
        client.insert("run_events", [[RUN, 0, int(time.time() * 1e6), "mark", "fault", mark]])
        environment = os.environ | {"TAILRACE_VM_URL": metrics} | stored.variables
        program = [str(Path(sys.executable).parent / "tailrace"), "watch", RUN]
        watch = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert watch.stdout is not None
        assert watch.stderr is not None
        while not any("not begun  sent 1,000/s" in line for line in lines):
            lines.append(read(watch.stdout))
    with watch:
        while away not in lines[-1]:
            lines.append(read(watch.stdout))
        with stored:
            while away in lines[-1]:
                lines.append(read(watch.stdout))
            assert "not begun  sent 1,000/s" in lines[-1]
            store(stored.client, RUN, "finished", 2)
            *rest, last = watch.stdout
        assert watch.wait(60) == 0
        assert watch.stderr.read() == ""
    assert last == f"run {RUN} is finished; its numbers: tailrace report {RUN}\n"
    marked = [line for line in [*lines, *rest] if "marked: fault" in line]
    assert len(marked) == 1
    assert marked[0].endswith(": pulled the plug\n")


def read(stream: IO[str]) -> str:
    line = stream.readline()
    assert line, "the command ended"
    return line


def test_a_run_that_is_deleted_is_one_line(client: Client) -> None:
    store(client, "live-gone", "running", 1)
    gone = threading.Timer(1, lambda: client.command("DELETE FROM runs WHERE run_id = 'live-gone'"))
    gone.start()
    result = tailrace("watch", "live-gone")
    gone.join()
    assert result.exit_code == 1
    assert result.stderr == "Error: run live-gone is no longer stored\n"


def test_an_abandoned_run_ends_the_watch(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "EVERY_S", 0.05)
    monkeypatch.setattr(patience, "QUIET_S", 0.5)
    store(client, "live-orphan", "running", 1)
    result = tailrace("watch", "live-orphan")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "run live-orphan has state running" in result.stderr
    assert "its load generators seem to be gone" in result.stderr
    assert "no live metrics" in result.stdout
