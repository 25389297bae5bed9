# SPDX-License-Identifier: Apache-2.0
"""What the report draws of a run, in intervals of seconds, agrees with the seconds."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, MEASURE_S, RATE, START_S, WARMUP_S, Model, nearest_rank
from lab.simulated.named_query import ask

Row = dict[str, Any]
STEP_S = 4
DRIVE = ("write_latency_ms", "queue_depth", "utilisation", "flushes_per_s", "flush_latency_ms")


def place(row: Row) -> int:
    """First second of the interval that a second's row belongs to."""
    return int(row["time"].timestamp()) // STEP_S * STEP_S


def where(row: Row) -> tuple[Any, Any]:
    """What distinguishes an interval of a stage."""
    return row["stage"], row["time"]


def grouped(rows: Iterable[Row], column: str) -> dict[int, list[Any]]:
    """Values of a column by interval, without missing ones."""
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        if row[column] is not None:
            found[place(row)].append(row[column])
    return found


def test_latencies_are_of_all_messages_and_the_worst_second_is_kept(client: Client, golden: Model) -> None:
    seconds = ask(client, "latency_percentiles_per_second", run_id=golden.run_id, stage="end_to_end")
    given = {"run_id": golden.run_id, "stage": "end_to_end"}
    one_by_one = ask(client, "latency_stretches", **given)
    for row, second in zip(one_by_one, seconds, strict=True):
        for column in ("time", "phase", "events", "p50_us", "p99_us", "p99_9_us", "max_us"):
            assert row[column] == second[column], column
        assert row["worst_p99_us"] == row["p99_us"]
    worst = grouped(seconds, "p99_us")
    rows = ask(client, "latency_stretches", **given, step_s=str(STEP_S))
    assert [place(row) for row in rows] == sorted(worst)
    for row in rows:
        due = [
            m.receive - m.intended for m in golden.delivered if m.intended // 1_000_000 // STEP_S * STEP_S == place(row)
        ]
        assert row["events"] == len(due)
        assert row["p99_us"] == pytest.approx(nearest_rank(due, 99), rel=BUCKET_ERROR)
        assert row["worst_p99_us"] == max(worst[place(row)]) >= row["p99_us"]


def test_parts_of_a_run_are_the_run(client: Client, golden: Model) -> None:
    given = {"run_id": golden.run_id, "step_s": str(STEP_S)}
    whole = ask(client, "latency_stretches", **given)
    border = START_S // STEP_S * STEP_S + 2 * STEP_S
    stamps = {"end": "2026-01-15T10:00:07", "begin": "2026-01-15T10:00:08"}
    assert border == START_S + 8
    parts = ask(client, "latency_stretches", **given, to=stamps["end"])
    parts += ask(client, "latency_stretches", **given, **{"from": stamps["begin"]})
    assert sorted(parts, key=where) == sorted(whole, key=where)


def test_work_is_the_mean_and_the_backlog_the_most(client: Client, golden: Model) -> None:
    seconds = ask(client, "throughput_per_second", run_id=golden.run_id)
    backlog = grouped(ask(client, "backlog_per_second", run_id=golden.run_id), "backlog")
    acked, received = (grouped(seconds, f"{name}_per_s") for name in ("acked", "received"))
    rows = ask(client, "work_stretches", run_id=golden.run_id, step_s=str(STEP_S))
    assert [place(row) for row in rows] == sorted(acked)
    for row in rows:
        at = place(row)
        assert row["acked_per_s"] == pytest.approx(sum(acked[at]) / len(acked[at]))
        assert row["acked_low_per_s"] == min(acked[at])
        assert row["received_per_s"] == pytest.approx(sum(received[at]) / len(received[at]))
        assert row["backlog"] == max(backlog[at])


def test_of_the_drive_the_worst_second_is_kept(client: Client, golden: Model) -> None:
    seconds = [
        row
        for row in ask(client, "latency_beside_drive", run_id=golden.run_id)
        if any(row[column] is not None for column in DRIVE)
    ]
    by_second = {row["time"]: row for row in ask(client, "drive_stretches", run_id=golden.run_id)}
    for second in seconds:
        for column in DRIVE:
            assert by_second[second["time"]][column] == pytest.approx(second[column]), column
    rows = ask(client, "drive_stretches", run_id=golden.run_id, step_s=str(STEP_S))
    writes, flushes = (grouped(by_second.values(), c) for c in ("write_latency_ms", "flushes_per_s"))
    assert len(rows) > MEASURE_S // STEP_S
    for row in rows:
        at = place(row)
        assert row["write_latency_ms"] == pytest.approx(max(writes[at]))
        assert row["flushes_per_s"] == pytest.approx(sum(flushes[at]) / len(flushes[at]))


def test_blocks_hold_every_message_once_and_the_rest_joins_the_last(client: Client, golden: Model) -> None:
    rows = ask(client, "latency_blocks", run_id=golden.run_id, block_s="6", stage="publish")
    counts: dict[int, int] = defaultdict(int)
    for row in rows:
        counts[row["block"]] += row["events"]
    # 20 seconds: two blocks of six, and the last one with what is left.
    assert counts == {0: 6 * RATE, 1: 6 * RATE, 2: 8 * RATE}


def test_a_window_of_the_brokers_latencies(client: Client, golden: Model) -> None:
    given = {"run_id": golden.run_id, "from_s": "3", "to_s": "8"}
    rows = ask(client, "latency_by_broker", **given)
    start = (START_S + WARMUP_S + 3) * 1_000_000
    due = [m.receive - m.intended for m in golden.delivered if start <= m.intended < start + 5_000_000]
    (row,) = [row for row in rows if row["stage"] == "end_to_end"]
    assert row["events"] == len(due)
    assert row["p99_us"] == nearest_rank(due, 99)


def test_a_campaigns_runs_are_in_order(client: Client) -> None:
    rows = [("camp-2", 1, 0), ("camp-1", 0, 1), ("camp-0", 0, 0)]
    for run_id, point, repeat in rows:
        values = {"size": f"{point} KB", "topics": "8"}
        member = {"name": "camp", "point": point, "repeat": repeat, "values": values}
        text = json.dumps({"campaign": member})
        client.insert(
            "runs",
            [[run_id, "finished", text, 1]],
            column_names=["run_id", "state", "manifest", "updated_time"],
        )
    found = ask(client, "campaign_runs", run_id="camp-1")
    assert [row["run_id"] for row in found] == ["camp-0", "camp-1", "camp-2"]
    assert found[2]["varied"] == "size 1 KB, topics 8"
    assert [row["repeat"] for row in found] == [0, 1, 0]
