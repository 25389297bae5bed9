# SPDX-License-Identifier: Apache-2.0
"""Every query's answer about a run whose numbers Python computed."""

from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import (
    BUCKET_ERROR,
    DRIVE_LEADS_S,
    MEASURE_S,
    PAYLOAD,
    RATE,
    SECONDS,
    START_S,
    SWELL_MS,
    WARMUP_S,
    Model,
    nearest_rank,
    phases,
    second,
)
from lab.simulated.named_query import ask

Row = dict[str, Any]
STAGES = {"publish": "ack", "end_to_end": "receive"}


def test_latency_percentiles_are_exact(client: Client, golden: Model) -> None:
    rows = {row["stage"]: row for row in ask(client, "latency_percentiles", run_id=golden.run_id)}
    values = {stage: golden.measured(attribute) for stage, attribute in STAGES.items()}
    values["publish_delay"] = [m.delay for m in golden.published if m.measured]
    values["publish_service"] = [m.ack - m.intended - m.delay for m in golden.published if m.measured]
    assert set(rows) == set(values)
    for stage, expected in values.items():
        assert rows[stage] == {
            "stage": stage,
            "events": MEASURE_S * RATE,
            "p50_us": nearest_rank(expected, 50),
            "p75_us": nearest_rank(expected, 75),
            "p90_us": nearest_rank(expected, 90),
            "p95_us": nearest_rank(expected, 95),
            "p99_us": nearest_rank(expected, 99),
            "p99_9_us": nearest_rank(expected, 99.9),
            "p99_99_us": nearest_rank(expected, 99.99),
            "max_us": max(expected),
        }


def test_latency_percentiles_per_second_name_the_phase(client: Client, golden: Model) -> None:
    rows = ask(client, "latency_percentiles_per_second", run_id=golden.run_id)
    publish = [row for row in rows if row["stage"] == "publish"]
    assert [second(row) for row in publish] == list(range(SECONDS))
    assert [row["phase"] for row in publish] == ["warmup"] * WARMUP_S + ["measure"] * MEASURE_S
    for row in publish:
        assert row["events"] == RATE
        assert row["p50_us"] == pytest.approx(1490, rel=BUCKET_ERROR)
        assert row["p99_us"] == pytest.approx(1980, rel=BUCKET_ERROR)
        assert row["max_us"] == pytest.approx(1990, rel=BUCKET_ERROR)


def test_latency_curve_is_the_rollups_percentiles(client: Client, golden: Model) -> None:
    rows = ask(client, "latency_curve", run_id=golden.run_id)
    for stage, attribute in STAGES.items():
        curve = {row["percentile"]: row["value_us"] for row in rows if row["stage"] == stage}
        assert list(curve) == sorted(curve)
        # 2,000 messages carry 1 - p down to 1/2000, so 99.9 % is there and 99.99 % is not.
        assert {50, 90, 99, 99.9} <= set(curve)
        assert max(curve) < 99.96
        for percentile, value in curve.items():
            exact = nearest_rank(golden.measured(attribute), percentile)
            assert value == pytest.approx(exact, rel=BUCKET_ERROR)


def test_throughput_has_every_second_and_the_target(client: Client, golden: Model) -> None:
    rows = {second(row): row for row in ask(client, "throughput_per_second", run_id=golden.run_id)}
    assert list(rows) == list(range(SECONDS + 2))
    for s, row in rows.items():
        low, high = (START_S + s) * 1_000_000, (START_S + s + 1) * 1_000_000
        acked = sum(low <= m.ack < high for m in golden.published)
        received = sum(low <= m.receive < high for m in golden.delivered)
        assert (row["acked_per_s"], row["received_per_s"]) == (acked, received)
        assert row["acked_bytes_per_s"] == acked * PAYLOAD
        assert row["received_bytes_per_s"] == received * PAYLOAD
        assert row["failed_per_s"] == (golden.failures if s == WARMUP_S else 0)
        assert row["target_per_s"] == (RATE if s < SECONDS else None)


def test_latency_beside_drive_keeps_seconds_without_metrics(client: Client, golden: Model) -> None:
    rows = {second(row): row for row in ask(client, "latency_beside_drive", run_id=golden.run_id)}
    assert list(rows) == list(range(SECONDS + 2))
    for s in range(SECONDS):
        row = rows[s]
        assert (row["host"], row["device"]) == ("localhost", "vda")
        p99 = 1.98 + 1 + SWELL_MS[s]
        assert row["end_to_end_p99_ms"] == pytest.approx(p99, rel=BUCKET_ERROR)
        assert row["publish_p99_ms"] == pytest.approx(1.98, rel=BUCKET_ERROR)
        if s == 5:  # no sample ended it
            assert row["write_latency_ms"] is None
            assert row["queue_depth"] is None
            continue
        if s == 6:  # its sample covers two seconds
            continue
        assert row["write_latency_ms"] == pytest.approx(SWELL_MS[s + DRIVE_LEADS_S])
        assert row["queue_depth"] == pytest.approx(0.5)
        assert row["utilisation"] == pytest.approx(0.25)
        assert row["flushes_per_s"] == pytest.approx(2)
        assert row["flush_latency_ms"] == pytest.approx(3)
        assert row["written_bytes_per_s"] == pytest.approx(4096)
    assert rows[SECONDS + 1]["end_to_end_p99_ms"] is None
    assert rows[SECONDS + 1]["write_latency_ms"] is None


def test_two_samples_in_one_second_are_one_row(client: Client) -> None:
    Model("twice").insert(client)
    client.command(
        "INSERT INTO host_metrics SELECT * REPLACE (time + toIntervalMillisecond(400) AS time)"
        " FROM host_metrics WHERE run_id = 'twice'"
    )
    seconds = [second(row) for row in ask(client, "latency_beside_drive", run_id="twice")]
    assert seconds == list(range(SECONDS + 2))
    lags = ask(client, "latency_drive_correlation", run_id="twice")
    assert max(row["points"] for row in lags) <= MEASURE_S


def test_a_run_without_drive_metrics_still_has_its_seconds(client: Client) -> None:
    model = Model("no-drive")
    model.insert(client)
    client.command("DELETE FROM host_metrics WHERE run_id = 'no-drive'")
    rows = ask(client, "latency_beside_drive", run_id="no-drive")
    assert len(rows) == SECONDS + 2
    assert {row["write_latency_ms"] for row in rows} == {None}
    assert ask(client, "latency_drive_correlation", run_id="no-drive") == []


def test_correlation_finds_that_the_drive_moved_first(client: Client, golden: Model) -> None:
    rows = ask(client, "latency_drive_correlation", run_id=golden.run_id)
    metrics = {row["metric"] for row in rows}
    assert len(rows) == 21 * len(metrics) == 21 * 6
    r = {row["lag_s"]: row for row in rows if row["metric"] == "write_latency_ms"}
    best = max(r, key=lambda lag: r[lag]["r"])
    assert best == DRIVE_LEADS_S
    # Second 5 has no sample and the one after it is an average of both.
    assert r[best]["r"] > 0.95
    assert r[best]["points"] == MEASURE_S - 1
    assert {row["r"] for row in rows if row["metric"] == "flushes_per_s"} == {None}


def test_phases(client: Client, golden: Model) -> None:
    rows = ask(client, "phases", run_id=golden.run_id)
    starts = {row["phase"]: row["start_time"] for row in rows}
    assert starts == {name: datetime.fromtimestamp(START_S + at, UTC) for name, at in phases().items()}
    assert [row["duration_s"] for row in rows] == [WARMUP_S, MEASURE_S, 1, 0]


def test_run_summary_is_one_row(client: Client, golden: Model) -> None:
    (row,) = ask(client, "run_summary", run_id=golden.run_id)
    count = SECONDS * RATE
    assert (row["sent"], row["acked"], row["failed"], row["received"], row["lost"]) == (
        count + golden.failures,
        count,
        golden.failures,
        count,
        0,
    )
    assert (row["stored_publishes"], row["stored_deliveries"]) == (count, count)
    low, high = ((START_S + s) * 1_000_000 for s in (WARMUP_S, SECONDS))
    acked = sum(low <= m.ack < high for m in golden.published)
    assert row["acked_per_s"] == pytest.approx(acked / MEASURE_S)
    assert row["acked_bytes_per_s"] == pytest.approx(acked * PAYLOAD / MEASURE_S)
    assert row["end_to_end_p50_us"] == nearest_rank(golden.measured("receive"), 50)
    assert row["end_to_end_p99_9_us"] == nearest_rank(golden.measured("receive"), 99.9)
    assert row["end_to_end_max_us"] == max(golden.measured("receive"))
    assert row["publish_p99_us"] == nearest_rank(golden.measured("ack"), 99)
    assert [phase["name"] for phase in row["phases"]] == list(phases())


def test_run_summary_of_a_run_that_stored_nothing(client: Client) -> None:
    model = Model("empty")
    model.published, model.delivered, model.failures, model.ledger = [], [], 0, {}
    model.insert(client)
    (row,) = ask(client, "run_summary", run_id="empty")
    assert (row["sent"], row["stored_publishes"]) == (0, 0)
    assert row["end_to_end_p50_us"] is None


def test_runs_lists_the_newest_first(client: Client, golden: Model) -> None:
    (row,) = [r for r in ask(client, "runs", limit="1000") if r["run_id"] == golden.run_id]
    assert (row["workload_name"], row["state"], row["workers"]) == ("model", "finished", 1)
    assert row["duration_s"] == SECONDS + 3
    assert len(ask(client, "runs", limit="1")) == 1


def test_run_manifest(client: Client, golden: Model) -> None:
    (row,) = ask(client, "run_manifest", run_id=golden.run_id)
    assert row["seed"] == 42
    assert '"consumer_groups": 1' in row["manifest"]


def test_audit_queries_of_a_sound_run(client: Client, golden: Model) -> None:
    count = SECONDS * RATE
    rows = {row["stream"]: row for row in ask(client, "audit_counts", run_id=golden.run_id)}
    assert {stream: row["stored"] for stream, row in rows.items()} == {
        "publishes": count,
        "deliveries": count,
        "publish_failures": golden.failures,
        "run_events": 4,
        "partition_leaders": 0,
    }
    assert rows["publishes"]["sent"] == count + golden.failures
    assert rows["publishes"]["lost_reasons"] == {}
    partitions = ask(client, "audit_partitions", run_id=golden.run_id)
    assert [(p["partition"], p["acked"], p["received"], p["same"]) for p in partitions] == [
        (0, count // 2, count // 2, 1),
        (1, count // 2, count // 2, 1),
    ]
    offsets = ask(client, "audit_offsets", run_id=golden.run_id, topic=golden.topic, partition="0")
    assert offsets == []
