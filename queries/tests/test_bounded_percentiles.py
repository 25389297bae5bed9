# SPDX-License-Identifier: Apache-2.0

"""Exact percentiles where every latency is different: memory must not grow with the run."""

from math import ceil

import pytest
from clickhouse_connect.driver.client import Client

from tailrace.api import catalogue

RUN = "all-different"
MESSAGES = 1_500_000
MILLION = 1_000_000
STEP_US = 7
# Every different value in memory would need some hundred MB a stage. Grouping and sorting go to
# disk at a sixth of what a query may take, as the warehouse sets it.
LIMIT = 250_000_000
MEMORY = {
    "max_memory_usage": LIMIT,
    "max_bytes_before_external_group_by": LIMIT // 6,
    "max_bytes_before_external_sort": LIMIT // 6,
}


@pytest.fixture(scope="module")
def run(client: Client) -> str:
    """Message i is intended at i µs of the measure phase and takes 7 µs longer than the one before."""
    intended = "fromUnixTimestamp64Micro(1767225600000000 + number, 'UTC') AS due"
    late = f"due + toIntervalMicrosecond({STEP_US} * (number + 1))"
    for statement in (
        "INSERT INTO run_events (run_id, worker, time, kind, name) SELECT {r:String}, 0,"
        " fromUnixTimestamp64Micro(1767225600000000 + at, 'UTC'), 'phase', phase"
        " FROM values('at Int64, phase String', (0, 'measure'), (60000000, 'drain'))",
        "INSERT INTO publishes (run_id, worker, producer, topic, partition, offset, intended_time,"
        " publish_delay_us, ack_time, payload_bytes) SELECT {r:String}, 0, 0, 't', 0, number,"
        f" {intended}, number, {late}, 100 FROM numbers({MESSAGES})",
        "INSERT INTO deliveries (run_id, worker, consumer, subscription, topic, partition, offset,"
        " producer, intended_time, receive_time, payload_bytes) SELECT {r:String}, 0, 0, 0, 't', 0,"
        f" number, 0, {intended}, {late}, 100 FROM numbers({MESSAGES})",
        "INSERT INTO runs (run_id, state, manifest, updated_time) SELECT {r:String}, 'finished', '{}', now64(6)",
    ):
        client.command(statement, parameters={"r": RUN})
    return RUN


def rank(level: float) -> int:
    return ceil(level * MESSAGES)


def ask(client: Client, name: str, run_id: str, **params: str) -> list[dict[str, object]]:
    question = catalogue.load(name)
    values = question.fill({"run_id": run_id, **params})
    found = client.query(question.text, parameters=values, settings=MEMORY)
    return [dict(row) for row in found.named_results()]


def test_latency_percentiles_in_little_memory(client: Client, run: str) -> None:
    rows = {str(row["stage"]): row for row in ask(client, "latency_percentiles", run)}
    assert {row["events"] for row in rows.values()} == {MESSAGES}
    for name, level in (("p50_us", 0.5), ("p99_us", 0.99), ("p99_99_us", 0.9999)):
        assert rows["publish"][name] == STEP_US * rank(level)
        assert rows["end_to_end"][name] == STEP_US * rank(level)
        assert rows["publish_delay"][name] == rank(level) - 1
    assert rows["end_to_end"]["max_us"] == STEP_US * MESSAGES


@pytest.mark.parametrize("by", ["run", "second", "topic", "partition", "producer", "consumer"])
def test_any_group_in_little_memory(client: Client, run: str, by: str) -> None:
    rows = ask(client, "latency_by_group_bounded", run, by=by)
    seconds = [MILLION, MESSAGES - MILLION] if by == "second" else [MESSAGES]
    assert [row["events"] for row in rows] == seconds
    first = 0
    for row, messages in zip(rows, seconds, strict=True):
        for name, level in (("p50_us", 0.5), ("p99_us", 0.99), ("p99_99_us", 0.9999)):
            assert row[name] == STEP_US * (first + ceil(level * messages)), name
        first += messages
        assert row["max_us"] == STEP_US * first


def test_slo_values_in_little_memory(client: Client, run: str) -> None:
    found = {str(row["key"]): row["value"] for row in ask(client, "slo_values", run)}
    assert found["endToEnd.p99.99"] == STEP_US * rank(0.9999)
    assert found["publishDelay.p95"] == rank(0.95) - 1
    assert found["publish.max"] == STEP_US * MESSAGES


def test_reordering_in_little_memory(client: Client, run: str) -> None:
    (row,) = ask(client, "reordering", run)
    assert (row["messages"], row["reordered"], row["worst_us"]) == (MESSAGES, 0, 0)


def test_a_run_is_sorted_on_disk(client: Client, run: str) -> None:
    """The same in a fraction of its rows' 42 MB: the warehouse sorts in pieces of what it may."""
    question = catalogue.load("reordering")
    share = {"max_bytes_before_external_sort": 10_000_000, "min_external_sort_block_bytes": 1}
    before = written_parts(client)
    rows = client.query(question.text, parameters=question.fill({"run_id": run}), settings=share)
    assert rows.result_rows == [("t", 0, MESSAGES, 0, 0)]
    assert written_parts(client) - before >= 3


def written_parts(client: Client) -> int:
    """Sorted pieces that the engine has written to disk so far."""
    found = client.query("SELECT sum(value) FROM system.events WHERE event='ExternalSortWritePart'")
    return int(found.result_rows[0][0])


def test_run_summary_in_little_memory(client: Client, run: str) -> None:
    (row,) = ask(client, "run_summary", run)
    assert row["stored_publishes"] == row["stored_deliveries"] == MESSAGES
    assert row["publish_p99_9_us"] == row["end_to_end_p99_9_us"] == STEP_US * rank(0.999)
    assert row["end_to_end_p50_us"] == STEP_US * rank(0.5)
    assert row["end_to_end_max_us"] == STEP_US * MESSAGES
