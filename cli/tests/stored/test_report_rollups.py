# SPDX-License-Identifier: Apache-2.0
"""What the report reads instead of every message: the same numbers, from the rollups."""

import re

import pytest
from clickhouse_connect.driver.client import Client
from model import Model
from test_golden import BUCKET_ERROR, ask
from traces import START_US, US, Trace

from tailrace.queries.catalogue import load
from tailrace.report.data import Row, read


def test_the_report_takes_no_raw_row_but_to_count_it(client: Client, golden: Model) -> None:
    asked = []

    def record(name: str, **params: object) -> list[Row]:
        asked.append(name)
        return ask(client, name, run_id=golden.run_id, **{k: str(v) for k, v in params.items()})

    read(record)
    assert len(asked) > 5
    # The audit's table says how many rows there are, so it has to count them.
    for name in set(asked) - {"audit_counts"}:
        assert not re.search(r"v_(publishes|deliveries|exact_percentiles)\b", load(name).text), name


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


def test_seconds_that_begin_in_the_measure_count(client: Client) -> None:
    """Begun 0.9 s after a full second: the first 0.1 s, all slow, is no second of the measure."""
    begun = START_US + 900_000
    messages = [(begun + n * US // 50, 9000 if n < 5 else 1000) for n in range(500)]
    trace = Trace("begun-late", messages, begun, begun + 10 * US)
    trace.insert(client)
    rows = ask(client, "latency_percentiles_rollup", run_id=trace.run_id)
    (row,) = [row for row in rows if row["stage"] == "end_to_end"]
    assert row["events"] == 495
    assert row["max_us"] == pytest.approx(1000, rel=BUCKET_ERROR)


def test_a_run_without_a_measure_has_no_rates(client: Client) -> None:
    run_id = "summary-of-nothing"
    client.command(
        f"INSERT INTO runs (run_id, state, updated_time) VALUES ('{run_id}', 'failed', 1)"  # noqa: S608
    )
    (row,) = ask(client, "run_summary_rollup", run_id=run_id)
    assert (row["stored_publishes"], row["measure_s"]) == (0, 0)
    assert (row["acked_per_s"], row["acked_bytes_per_s"]) == (None, None)
    assert ask(client, "latency_percentiles_rollup", run_id=run_id) == []
