# SPDX-License-Identifier: Apache-2.0
"""The report reads rollups instead of messages, with the same numbers."""

from functools import partial
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, START_S, WARMUP_S, Model
from lab.simulated.named_query import ask
from lab.simulated.traces import START_US, US, Trace
from tailrace.compare import reading
from tailrace.errors import BadInput
from tailrace.explain.explanation import window
from tailrace.queries.ask import Row, RunReader
from tailrace.queries.catalogue import load
from tailrace.report.data import read
from tailrace.report.facts import unmeasured


class Going(Model):
    """In its measure phase, or killed there."""

    def _phases(self) -> list[list[Any]]:
        return [row for row in super()._phases() if row[4] in ("warmup", "measure")]


def test_the_report_takes_no_raw_row(client: Client, golden: Model) -> None:
    asked = []

    def record(name: str, **params: object) -> list[Row]:
        given = {k: str(v) for k, v in params.items()}
        asked.append((name, load(name).fill({"run_id": golden.run_id, **given})))
        return ask(client, name, run_id=golden.run_id, **given)

    read(record)
    assert len(asked) > 5
    for name, given in asked:
        plan = client.query(f"EXPLAIN ESTIMATE {load(name).text}", parameters=given)
        rows = {row["table"]: row["rows"] for row in plan.named_results()}
        assert rows, name
        assert not any(rows.get(t) for t in ("publishes", "deliveries", "publish_failures")), name


def test_percentiles_are_those_of_every_message(client: Client, golden: Model) -> None:
    exact = ask(client, "latency_percentiles", run_id=golden.run_id)
    found = ask(client, "latency_percentiles_rollup", run_id=golden.run_id)
    assert [row["stage"] for row in found] == [row["stage"] for row in exact]
    for row, truth in zip(found, exact, strict=True):
        assert list(row) == list(truth)
        assert row["events"] == truth["events"]
        for column in list(row)[2:]:
            assert row[column] == pytest.approx(truth[column], rel=BUCKET_ERROR, abs=1), column


def test_the_summary_is_that_of_every_message(client: Client, golden: Model) -> None:
    (exact,) = ask(client, "run_summary", run_id=golden.run_id)
    (found,) = ask(client, "run_summary_rollup", run_id=golden.run_id)
    assert found == {name: exact[name] for name in found}


def test_the_counts_are_those_of_the_audit(client: Client, golden: Model) -> None:
    counted = ask(client, "audit_counts", run_id=golden.run_id)
    found = ask(client, "audit_counts", run_id=golden.run_id, source="rollup")
    assert found == counted
    assert {row["stream"]: row["stored"] for row in found}["deliveries"] == len(golden.delivered)


def test_seconds_that_begin_in_the_measure_count(client: Client) -> None:
    """Begun 0.9 s after a full second: the first 0.1 s, all slow, is no second of the measure phase."""
    begun = START_US + 900_000
    messages = [(begun + n * US // 50, 9000 if n < 5 else 1000) for n in range(500)]
    trace = Trace("begun-late", messages, begun, begun + 10 * US)
    trace.insert(client)
    rows = ask(client, "latency_percentiles_rollup", run_id=trace.run_id)
    (row,) = [row for row in rows if row["stage"] == "end_to_end"]
    assert row["events"] == 495
    assert row["max_us"] == pytest.approx(1000, rel=BUCKET_ERROR)


def test_a_measure_that_has_not_ended_counts_so_far(client: Client) -> None:
    whole, going = Model("has-ended"), Going("goes-on")
    for each in (whole, going):
        each.insert(client)
    for name, given in (("latency_percentiles_rollup", {}), ("latency_curve", {})):
        found = ask(client, name, run_id=going.run_id, **given)
        assert len(found) >= 4, name
        assert found == ask(client, name, run_id=whole.run_id, **given), name
    (ended,) = ask(client, "run_summary_rollup", run_id=whole.run_id)
    (so_far,) = ask(client, "run_summary_rollup", run_id=going.run_id)
    assert so_far["measure_s"] == pytest.approx(ended["measure_s"], abs=1)
    for column in ("acked_per_s", "acked_bytes_per_s"):
        assert so_far[column] == pytest.approx(ended[column], rel=0.1)
    reader = RunReader(client, going.run_id)
    start = START_S + WARMUP_S
    assert window(reader) == (start, start + int(so_far["measure_s"]))
    with pytest.raises(BadInput, match="no complete measure phase"):
        reading.run(reader)


def test_a_measure_phase_without_a_whole_second_differs_from_none(client: Client) -> None:
    begun = START_US + 200_000
    messages = [(begun + n * US // 50, 1000) for n in range(30)]
    Trace("brief", messages, begun, begun + 600_000).insert(client)
    columns = ["run_id", "state", "updated_time"]
    client.insert("runs", [["brief", "failed", 1]], column_names=columns)
    data = read(partial(_asked, client, "brief"))
    assert not data.measured
    assert unmeasured(data).startswith("no whole second lies in the measure phase of 0.600 s")


def _asked(client: Client, run_id: str, name: str, /, **params: object) -> list[Row]:
    return ask(client, name, run_id=run_id, **{k: str(v) for k, v in params.items()})


def test_a_run_without_a_measure_has_no_rates(client: Client) -> None:
    run_id = "summary-of-nothing"
    client.command(f"INSERT INTO runs (run_id, state, updated_time) VALUES ('{run_id}', 'failed', 1)")
    (row,) = ask(client, "run_summary_rollup", run_id=run_id)
    assert (row["stored_publishes"], row["measure_s"]) == (0, 0)
    assert (row["acked_per_s"], row["acked_bytes_per_s"]) == (None, None)
    assert ask(client, "latency_percentiles_rollup", run_id=run_id) == []


def test_ranks_are_the_rollups_buckets_in_order(client: Client) -> None:
    """Buckets of negative latencies, of zero and of 40 h; some in two rows, as before a merge."""
    run_id = "ranks"
    buckets = [-18000, -16256, 0, 16256, 17530, 20992]
    for events in (3, 4):
        client.command(
            "INSERT INTO rollup_1s SELECT {r:String}, 'publish', 't', 0, toDateTime(1768471200),"
            f" arrayJoin({buckets}) AS bucket, {events} + abs(bucket) % 5, 0",
            parameters={"r": run_id},
        )
    cells = client.query(
        "SELECT value_us, sum(events) FROM v_latency_1s WHERE run_id = {r:String} GROUP BY value_us ORDER BY value_us",
        parameters={"r": run_id},
    ).result_rows
    (row,) = client.query(
        "SELECT values_us, upto, events FROM v_latency_ranks_1s(run_id = {r:String}, stage = 'publish')",
        parameters={"r": run_id},
    ).result_rows
    assert len(cells) == len(buckets)
    assert dict(zip(row[0], row[1], strict=True)) == {
        value: sum(events for us, events in cells if us <= value) for value, _ in cells
    }
    assert row[2] == sum(events for _, events in cells)
