# SPDX-License-Identifier: Apache-2.0
"""Samples go from a real VictoriaMetrics into host_metrics, all of them, once."""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.victoriametrics import MetricsServer, send
from tailrace.metrics import copy as copying
from tailrace.metrics import keep as keeping
from tailrace.metrics import victoriametrics
from tailrace.metrics.copy import SELECTOR, Copied, SeriesPart, copy
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError

# Recent, because VictoriaMetrics drops what is older than its retention.
NOW_MS = int(time.time()) * 1000
DISK = {"job": "node", "host": "localhost", "device": "vda", "instance": "127.0.0.1:1"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with MetricsServer(tmp_path_factory.mktemp("victoriametrics")) as started:
        yield started.url


def stored(client: Client, run_id: str) -> list[tuple[Any, ...]]:
    rows = client.query(
        "SELECT metric, job, host, device, labels, toUnixTimestamp64Milli(time), value"
        " FROM v_host_metrics WHERE run_id = {r:String} ORDER BY metric, device, labels, time",
        parameters={"r": run_id},
    ).result_rows
    return [tuple(row) for row in rows]


def test_samples_arrive_as_they_were(url: str, client: Client) -> None:
    start = NOW_MS - 600_000
    writes = {start + 1000 * n: n * 1.5 for n in range(-1, 5)}
    lag = {start: 0.001, start + 1500: -1234567.25, start + 3001: 7}
    send(url, "chrony_offset_seconds", {"job": "node", "host": "b1"}, {start: -0.002})
    send(url, "node_disk_writes_completed_total", DISK, writes)
    send(url, "kafka_server_lag", {"job": "kafka", "host": "localhost", "broker": "1"}, lag)
    send(url, "go_goroutines", {"job": "node", "host": "localhost"}, {start: 1})
    send(url, "node_memory_MemTotal_bytes", {"job": "node", "host": "localhost"}, {start: 1})
    copied = copy(VictoriaMetrics(url), client, "copy-plain", start, start + 3000)
    kept = {at: value for at, value in writes.items() if start <= at <= start + 3000}
    name = "node_disk_writes_completed_total"
    rows = [
        ("chrony_offset_seconds", "node", "b1", "", {}, start, -0.002),
        *(
            ("kafka_server_lag", "kafka", "localhost", "", {"broker": "1"}, at, value)
            for at, value in list(lag.items())[:2]
        ),
        *((name, "node", "localhost", "vda", {"instance": "127.0.0.1:1"}, at, value) for at, value in kept.items()),
    ]
    assert stored(client, "copy-plain") == rows
    assert copied == Copied(series=3, samples=7, stale=0)


def test_a_batch_sent_again_is_stored_once(url: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    start = NOW_MS - 400_000
    send(url, "node_disk_reads_completed_total", DISK, {start + n: n for n in range(150)})
    monkeypatch.setattr(copying, "BATCH_ROWS", 50)
    monkeypatch.setattr(victoriametrics, "ROWS_PER_LINE", 50)
    # As where the warehouse has stored a batch and its answer got lost.
    monkeypatch.setattr(copying, "_newest", lambda *_: {})
    for _ in range(2):
        copied = copy(VictoriaMetrics(url), client, "copy-twice", start, start + 1000)
        assert copied == Copied(series=1, samples=150, stale=0)
    assert len(stored(client, "copy-twice")) == 150


def test_a_long_series_comes_in_lines_of_bounded_length(url: str, client: Client) -> None:
    start = NOW_MS - 300_000
    send(url, "process_open_fds", {"job": "node"}, {start + n: n for n in range(25_000)})
    source = VictoriaMetrics(url)
    lines = list(source.export(SELECTOR, start, start + 25_000))
    assert [len(json.loads(line)["values"]) for line in lines] == [10_000, 10_000, 5_000]
    copied = copy(source, client, "copy-long", start, start + 25_000)
    assert copied == Copied(series=1, samples=25_000, stale=0)


def test_nothing_in_the_window_is_no_sample(url: str, client: Client) -> None:
    copied = copy(VictoriaMetrics(url), client, "copy-none", NOW_MS - 5000, NOW_MS - 4000)
    assert copied == Copied(series=0, samples=0, stale=0)


def test_staleness_markers_are_counted_not_kept() -> None:
    line = b'{"metric":{"__name__":"up"},"values":[1,null,"Infinity"],"timestamps":[5,6,7]}'
    series = SeriesPart.parse(line)
    assert (series.times, series.values, series.stale) == ([5, 7], [1, math.inf], 1)


def test_waiting_ends_with_the_last_sample_or_with_time(url: str) -> None:
    source = VictoriaMetrics(url)
    selector = 'tailrace_wait_up{job="node"}'
    assert not source.wait_until(selector, NOW_MS, timeout_s=0.1)
    send(url, "tailrace_wait_up", {"job": "node"}, {NOW_MS: 1})
    assert source.wait_until(selector, NOW_MS, timeout_s=10)
    assert not source.wait_until(selector, NOW_MS + 1, timeout_s=0.1)


def test_an_error_names_the_address(url: str) -> None:
    with pytest.raises(VictoriaMetricsError, match="HTTP 4"):
        list(VictoriaMetrics(url).export("{", 0, 1))
    with pytest.raises(VictoriaMetricsError, match=r"127\.0\.0\.1:1/"):
        list(VictoriaMetrics("http://127.0.0.1:1").export("up", 0, 1))


@pytest.fixture
def kept(url: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Keeps the metrics of a run of 10 s that ended ``ago`` seconds ago; returns what it printed."""
    monkeypatch.setattr(keeping, "PATIENCE_S", 0.1)

    def call(run_id: str, ago: int, url: str = url) -> list[str]:
        messages: list[str] = []
        end = datetime.fromtimestamp(NOW_MS / 1000 - ago, UTC)
        start = end - timedelta(seconds=10)
        keeping.keep(VictoriaMetrics(url), client, run_id, start, end, messages.append)
        return messages

    return call


def test_a_run_keeps_what_was_around_it(
    url: str,
    client: Client,
    kept: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    end = NOW_MS - 1000_000
    samples = {end + 1000 * s: s for s in range(-30, 11)}
    send(url, "node_disk_io_now", DISK, samples)
    send(url, "up", {"job": "node"}, {end + 6000: 1})
    assert kept("kept", 1000) == ["copied 31 samples of 1 host and broker series"]
    # From 15 s before the start to 5 s after the end.
    assert [row[-1] for row in stored(client, "kept")] == list(range(-25, 6))
    assert capsys.readouterr().err == ""


def test_alerts_are_listed_by_the_phase_they_began_in(url: str, client: Client, kept: Callable[..., list[str]]) -> None:
    end = NOW_MS - 8_000_000
    begun = [(end - 9000, "warmup"), (end - 6000, "measure")]
    client.insert(
        "run_events",
        [["kept-alerts", 0, at * 1000, "phase", name, ""] for at, name in begun],
        column_names=("run_id", "worker", "time", "kind", "name", "detail"),
    )
    for name, at in (("Early", -10_000), ("Cold", -8000), ("Slow", -5000), ("Slower", -4000)):
        labels = {"alertname": name, "alertstate": "firing", "run_id": "kept-alerts"}
        send(url, "ALERTS", labels, {end + at: 1})
    send(url, "node_disk_io_now", DISK, {end: 1})
    send(url, "up", {"job": "node"}, {end + 6000: 1})
    assert kept("kept-alerts", 8000)[0] == (
        "alerts fired: 4 (1 in start, 1 in warmup, 2 in measure); tailrace query alerts --run kept-alerts names them"
    )


def test_samples_that_stop_early_are_a_warning(
    url: str, kept: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    send(url, "node_disk_io_now", DISK, {NOW_MS - 5_000_000: 1})
    assert kept("kept-early", 5000) == ["copied 1 samples of 1 host and broker series"]
    assert "did not arrive" in capsys.readouterr().err


def test_a_run_without_metrics_goes_on_with_a_warning(
    client: Client, kept: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert kept("kept-none", 9000) == []
    assert "VictoriaMetrics has no sample of its time" in capsys.readouterr().err
    assert kept("kept-none", 9000, url="http://127.0.0.1:1") == []
    assert "warning: no host metrics for this run: http://127.0.0.1:1/" in capsys.readouterr().err
    assert stored(client, "kept-none") == []


def test_a_warehouse_that_refuses_the_samples_is_a_warning(
    url: str,
    kept: Callable[..., list[str]],
    without: Callable[[str], AbstractContextManager[None]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    send(url, "node_disk_io_now", DISK, {NOW_MS - 11_000_000: 1})
    with without("host_metrics"):
        assert kept("kept-refused", 11_000) == []
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: the host metrics of this run are not all stored: Code: 60.")


def test_live_histograms_stay_behind(url: str, client: Client) -> None:
    start = NOW_MS - 700_000
    send(url, "tailrace_publish_latency_bucket", {"job": "loadgen", "le": "1"}, {start: 1})
    send(url, "tailrace_publish_latency_count", {"job": "loadgen"}, {start: 1})
    send(url, "kafka_latency_bucket", {"job": "kafka", "le": "1"}, {start: 1})
    copy(VictoriaMetrics(url), client, "copy-live", start, start + 1000)
    assert [row[0] for row in stored(client, "copy-live")] == [
        "kafka_latency_bucket",
        "tailrace_publish_latency_count",
    ]
