# SPDX-License-Identifier: Apache-2.0
"""The live view of a real VictoriaMetrics' values, and its rendering."""

import io

import pytest
from going_run import RATES, RUN
from rich.console import Console

from tailrace.live.panel import REMEMBERED, History, line, panel
from tailrace.live.snapshot import Drive, Snapshot, take
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.stages import COMPARED


@pytest.fixture(scope="module")
def seen(metrics: str) -> Snapshot:
    return take(VictoriaMetrics(metrics), RUN, [("b1", "sdb")])


def drawn(snapshot: Snapshot, history: History | None = None, width: int = 100) -> str:
    out = io.StringIO()
    shown = panel("a run", ["measure 00:05/01:00"], snapshot, history or History())
    Console(file=out, width=width).print(shown)
    return out.getvalue()


def test_rates_are_of_the_run_alone(seen: Snapshot) -> None:
    assert seen.rates == pytest.approx(RATES)
    assert seen.unshipped == 12
    assert seen.failed == 0


def test_percentiles_are_of_the_last_seconds(seen: Snapshot) -> None:
    for stage in ("publish", "end_to_end", "publish_delay"):
        assert 1 <= seen.latencies[stage]["p50"] <= 1.136
        assert 87.99 <= seen.latencies[stage]["p99"] <= 100


def test_only_drives_under_a_log_are_shown(seen: Snapshot) -> None:
    (drive,) = seen.drives
    assert (drive.host, drive.device) == ("b1", "sdb")
    assert drive.values["write_ms"] == pytest.approx(2.5)
    assert drive.values["busy"] == pytest.approx(0.4)
    # Nothing was flushed, so there is no flush latency.
    assert "flush_ms" not in drive.values


def test_alerts_of_other_runs_are_not_shown(seen: Snapshot) -> None:
    assert seen.alerts == ["SlowFlush"]


def test_an_unknown_run_is_empty(metrics: str) -> None:
    found = take(VictoriaMetrics(metrics), "unknown", [])
    assert found.empty
    assert "no live metrics yet" in drawn(found)
    assert line(found) == "no live metrics"


def test_no_answer_is_an_error(metrics: str) -> None:
    with pytest.raises(VictoriaMetricsError):
        take(VictoriaMetrics("http://127.0.0.1:1"), RUN, [])


def test_the_panel_has_all_of_it(seen: Snapshot) -> None:
    text = drawn(seen)
    for part in ("a run", "measure 00:05/01:00", "sent 1,000/s", "acked 990/s", "end-to-end"):
        assert part in text
    assert "sdb of b1" in text
    assert "alerts: SlowFlush" in text
    assert "sdb write 2.5 flush – ms" in line(seen)


def test_a_curve_goes_from_the_lowest_to_the_highest() -> None:
    history = History()
    for value in (1.0, 8.0, None, 4.5):
        latencies = {} if value is None else {"publish": {"p99": value}}
        history.add(Snapshot(latencies=latencies, drives=[Drive("h", "d", {"write_ms": 2.0})]))
    assert history.sparkline("publish") == "▁█ ▄"
    assert history.sparkline("h d") == "▁▁▁▁"
    assert history.sparkline("end_to_end") == ""


def test_a_steady_value_looks_steady() -> None:
    history = History()
    for value in (2.0, 2.02, 2.1):
        history.add(Snapshot(latencies={"publish": {"p99": value}}))
    # Scaled to its own ends, it would span the full height.
    assert history.sparkline("publish") == "▁▁▁"
    assert history.span("publish") == "2–2.1"


def test_a_narrow_curve_still_has_all_of_the_time() -> None:
    history = History()
    for n in range(REMEMBERED):
        history.add(Snapshot(latencies={"publish": {"p99": 9.0 if n in (0, 21) else 1.0}}))
    assert history.sparkline("publish", 10) == "█▁▁▁▁█▁▁▁▁"
    assert len(history.sparkline("publish")) == REMEMBERED


def test_eighty_columns_hold_every_number() -> None:
    history = History()
    latencies = {stage: {"p50": 1.05, "p99": 77.1, "p99.9": 133.0, "p99.99": 1234.0} for stage in COMPARED}
    drive = Drive("bench-01", "nvme0n1", {"write_ms": 2.49, "flush_ms": 12.2, "queue": 0.123})
    snapshot = Snapshot(
        rates=dict.fromkeys(("sent", "acked", "received"), 98_765),
        latencies=latencies,
        drives=[drive],
    )
    history.add(Snapshot(latencies={stage: {"p99": 1.5} for stage in COMPARED}))
    for _ in range(REMEMBERED - 1):
        history.add(snapshot)
    text = drawn(snapshot, history, width=80)
    assert "…" not in text
    for part in ("p99, last 80 s", "low–high", "publish delay", "1.5–77.1", "1,234", "failed 0 "):
        assert part in text
    for part in ("nvme0n1 of bench-01", "write ms", "last 80 s", "2.49–2.49"):
        assert part in text
