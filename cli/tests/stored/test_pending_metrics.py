# SPDX-License-Identifier: Apache-2.0
"""Metrics and alerts that a run's own command did not keep are copied by the next, once."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.victoriametrics import MetricsServer, send
from tailrace.metrics import copy as copying
from tailrace.metrics import victoriametrics
from tailrace.metrics.copy import Copied, copy
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.runs import flow, orphans, pending_metrics, store
from tailrace.runs.prepared import Prepared
from tailrace.runs.workers import Workers
from tailrace.stack.api import Endpoints, StackPaths

# Each test has a minute of its own, long enough ago that nothing waits for its last samples.
NOW_MS = int(time.time()) * 1000
DISK = {"job": "node", "host": "localhost", "device": "vda"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with MetricsServer(tmp_path_factory.mktemp("victoriametrics")) as started:
        yield started.url


def row(run_id: str, end_ms: int, state: str) -> store.RunRow:
    """A run of 10 s."""
    end = datetime.fromtimestamp(end_ms / 1000, UTC)
    began = end - timedelta(seconds=10)
    finished = store.EPOCH if state == "running" else end
    return store.RunRow(run_id, "w", "d", state, began, finished, 1, 1, "", "", "{}", end)


def count(client: Client, table: str, run_id: str) -> int:
    question = f"SELECT count() FROM {table} WHERE run_id = {{r:String}}"
    return int(client.query(question, parameters={"r": run_id}).result_rows[0][0])


@pytest.fixture
def ended(url: str, client: Client, tmp_path: Path) -> Callable[..., Path]:
    """A run with 10 samples and an alert, whose metrics are still to be copied; returns its folder."""

    def make(run_id: str, ago_s: int, state: str = "finished") -> Path:
        end = NOW_MS - 1000 * ago_s
        send(url, "node_disk_io_now", DISK, {end - 1000 * s: s for s in range(10)})
        alert = {"alertname": "Slow", "alertstate": "firing", "run_id": run_id}
        send(url, "ALERTS", alert, {end - 4000: 1, end - 3000: 1})
        store.write(client, row(run_id, end, state))
        folder = tmp_path / run_id
        folder.mkdir()
        pending_metrics.mark(folder)
        return folder

    return make


@pytest.mark.parametrize(
    ("table", "ago_s", "metrics", "alerts"),
    [("host_metrics", 1000, 0, 1), ("run_events", 2000, 10, 0)],
)
def test_what_is_lacking_of_one_does_not_cost_the_other(
    url: str,
    client: Client,
    ended: Callable[..., Path],
    without: Callable[[str], AbstractContextManager[None]],
    capsys: pytest.CaptureFixture[str],
    table: str,
    ago_s: int,
    metrics: int,
    alerts: int,
) -> None:
    run_id = f"pending-{table}"
    folder = ended(run_id, ago_s)
    source, messages = VictoriaMetrics(url), list[str]()
    with without(table):
        orphans.copy_all(folder.parent, source, client, messages.append)
    error = capsys.readouterr().err
    assert "of this run are not all stored: Code: 60." in error
    assert f"run {run_id}: metrics are not all kept; the next tailrace run copies" in error
    stored = (count(client, "v_host_metrics", run_id), count(client, "v_run_events", run_id))
    assert stored == (metrics, alerts)
    assert list(pending_metrics.folders(folder.parent)) == [folder]

    orphans.copy_all(folder.parent, source, client, messages.append)
    stored = (count(client, "v_host_metrics", run_id), count(client, "v_run_events", run_id))
    assert stored == (10, 1)
    assert messages[-1] == "copied 10 samples of 1 host and broker series"
    assert list(pending_metrics.folders(folder.parent)) == []


def test_a_run_that_goes_on_or_is_not_known_here_is_left(
    url: str, client: Client, ended: Callable[..., Path], tmp_path: Path
) -> None:
    ended("pending-running", 3000, "running")
    (tmp_path / "pending-unknown").mkdir()
    pending_metrics.mark(tmp_path / "pending-unknown")
    messages: list[str] = []
    orphans.copy_all(tmp_path, VictoriaMetrics(url), client, messages.append)
    assert messages == []
    assert [folder.name for folder in pending_metrics.folders(tmp_path)] == ["pending-running", "pending-unknown"]


def test_a_run_that_was_refused_has_no_metrics(url: str, client: Client, ended: Callable[..., Path]) -> None:
    folder = ended("pending-refused", 4000)
    refused = row("pending-refused", NOW_MS - 4_000_000, "rejected")
    pending_metrics.copy(folder, VictoriaMetrics(url), client, refused, print)
    assert list(pending_metrics.folders(folder.parent)) == []
    assert count(client, "v_host_metrics", "pending-refused") == 0


class Interrupted(VictoriaMetrics):
    """Ctrl-C comes while the run's last samples are waited for."""

    def wait_until(self, selector: str, at_ms: int, timeout_s: float) -> bool:
        raise KeyboardInterrupt


def test_ctrl_c_leaves_them_to_the_next(
    url: str, client: Client, ended: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ended("pending-interrupted", 5000)
    this = row("pending-interrupted", NOW_MS - 5_000_000, "interrupted")
    with pytest.raises(KeyboardInterrupt):
        pending_metrics.copy(folder, Interrupted(url), client, this, print)
    assert "the next tailrace run copies" in capsys.readouterr().err
    assert list(pending_metrics.folders(folder.parent)) == [folder]


def test_an_error_after_the_load_costs_no_metrics(
    url: str,
    client: Client,
    endpoints: Endpoints,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    end = NOW_MS - 6_000_000
    send(url, "node_disk_io_now", DISK, {end - 1000 * s: s for s in range(10)})
    for name, value in {
        "TAILRACE_STATE": str(tmp_path),
        "TAILRACE_WAREHOUSE_URL": endpoints.warehouse_url,
        "TAILRACE_WAREHOUSE_USER": endpoints.warehouse_user,
        "TAILRACE_WAREHOUSE_PASSWORD": endpoints.warehouse_password,
        "TAILRACE_VM_URL": url,
        "TAILRACE_OTLP_URL": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)

    class Clock(datetime):
        """The run ends then."""

        @classmethod
        def now(cls, tz: Any = None) -> "Clock":
            return cls.fromtimestamp(end / 1000, tz)

    def fail(*_: Any) -> None:
        raise RuntimeError("no answer")

    first = row("pending-error", end, "running")
    monkeypatch.setattr(flow, "datetime", Clock)
    monkeypatch.setattr(flow.manifest, "first_row", lambda *_: first)
    monkeypatch.setattr(flow.orphans, "close_all", lambda *_: None)  # other tests' runs
    monkeypatch.setattr(flow.generation, "generate", lambda *_: 0)
    monkeypatch.setattr(flow.ledgers, "wait", fail)
    nothing: Any = None
    prepared = Prepared(StackPaths.load(), nothing, {}, "pending-error", False, Workers())
    with pytest.raises(RuntimeError, match="no answer"):
        flow.execute(prepared)
    assert count(client, "v_host_metrics", "pending-error") == 10
    assert list(pending_metrics.folders(tmp_path / "runs")) == []


class Breaks(VictoriaMetrics):
    """Its answer breaks off after some lines."""

    def export(self, selector: str, start_ms: int, end_ms: int) -> Iterator[bytes]:
        for number, line in enumerate(super().export(selector, start_ms, end_ms)):
            if number == 4:
                raise VictoriaMetricsError("broke off")
            yield line


class Otherwise(VictoriaMetrics):
    """Series come in the opposite order: VictoriaMetrics promises none."""

    def export(self, selector: str, start_ms: int, end_ms: int) -> Iterator[bytes]:
        lines = list(super().export(selector, start_ms, end_ms))
        series = list(dict.fromkeys(line.partition(b'"values"')[0] for line in lines))
        yield from sorted(lines, key=lambda line: series.index(line.partition(b'"values"')[0]), reverse=True)


def test_a_copy_that_broke_off_is_completed_without_a_row_twice(
    url: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = NOW_MS - 7_000_000
    for device in ("vda", "vdb", "vdc"):
        send(url, "node_disk_io_now", DISK | {"device": device}, {start + n: n for n in range(120)})
    monkeypatch.setattr(copying, "BATCH_ROWS", 50)
    monkeypatch.setattr(victoriametrics, "ROWS_PER_LINE", 50)
    with pytest.raises(VictoriaMetricsError):
        copy(Breaks(url), client, "pending-broken", start, start + 1000)
    assert 0 < count(client, "v_host_metrics", "pending-broken") < 360
    copied = copy(Otherwise(url), client, "pending-broken", start, start + 1000)
    assert copied == Copied(series=3, samples=360, stale=0)
    assert count(client, "v_host_metrics", "pending-broken") == 360
    distinct = "(SELECT DISTINCT run_id, device, time, value FROM v_host_metrics)"
    assert count(client, distinct, "pending-broken") == 360
