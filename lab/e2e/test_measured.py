# SPDX-License-Identifier: Apache-2.0
"""What a run keeps beside its messages: traces of sampled ones, the loader's health, the clock."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from tailrace.api import StackPaths, connect

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

COMMAND = str(Path(sys.executable).with_name("tailrace"))
ONE_IN = 50
WORKLOAD = f"""
name: measured
topics: 1
partitionsPerTopic: 4
messageSize: 200
subscriptionsPerTopic: 1
producersPerTopic: 2
consumerPerSubscription: 2
producerRate: 1000
warmupDuration: 0s
testDuration: 6s
seed: 42
traceOneIn: {ONE_IN}
"""


@pytest.fixture(scope="module")
def client(stack: StackPaths, tmp_path_factory: pytest.TempPathFactory) -> Client:
    workload = tmp_path_factory.mktemp("measured") / "workload.yaml"
    workload.write_text(WORKLOAD)
    done = subprocess.run(
        [COMMAND, "run", str(workload), "--run-id", "measured", "--no-report"],
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return connect()


def rows(client: Client, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in client.query(sql).result_rows]


def test_sampled_messages_are_spans_in_the_stock_exporters_table(client: Client) -> None:
    sent = rows(client, "SELECT count() FROM v_publishes WHERE run_id = 'measured' GROUP BY producer")
    # The first message of each producer, and every fiftieth after it.
    sampled = sum((messages + ONE_IN - 1) // ONE_IN for (messages,) in sent)
    assert sampled >= 6000 // ONE_IN
    kinds = rows(
        client,
        "SELECT SpanKind, count(), uniqExact(TraceId) FROM otel_traces"
        " WHERE ResourceAttributes['tailrace.run.id'] = 'measured' GROUP BY SpanKind ORDER BY 1",
    )
    assert kinds == [("Consumer", sampled, sampled), ("Producer", sampled, sampled)]
    # Each is the message that the tables have at that place, and its consumer span its child.
    matched = rows(
        client,
        "SELECT count() FROM otel_traces AS sent"
        " JOIN otel_traces AS got ON got.ParentSpanId = sent.SpanId AND got.TraceId = sent.TraceId"
        " JOIN v_publishes AS p ON p.run_id = 'measured'"
        "  AND toString(p.partition) = sent.SpanAttributes['messaging.destination.partition.id']"
        "  AND toString(p.offset) = sent.SpanAttributes['messaging.kafka.offset']"
        " WHERE sent.SpanKind = 'Producer'"
        "  AND sent.ResourceAttributes['tailrace.run.id'] = 'measured'"
        "  AND p.send_time = toDateTime64(sent.Timestamp, 6, 'UTC')"
        "  AND sent.SpanAttributes['messaging.system'] = 'kafka'",
    )
    assert matched == [(sampled,)]


def test_the_loaders_health_is_kept_with_the_run(client: Client) -> None:
    done = subprocess.run(
        [COMMAND, "query", "loader_health", "--param", "run_id=measured", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    seconds = json.loads(done.stdout)
    assert len(seconds) >= 5
    assert {second["worker"] for second in seconds} == {"0"}
    assert all(second["lag_max_ms"] is not None for second in seconds)
    assert max(second["cpu_s"] for second in seconds) > 0
    assert max(second["heap_mb"] for second in seconds) > 1


def test_the_clocks_error_bound_is_kept(client: Client) -> None:
    events = rows(
        client,
        "SELECT worker, name, detail FROM v_run_events WHERE run_id = 'measured' AND kind = 'clock' ORDER BY name",
    )
    names = [(worker, name) for worker, name, _ in events]
    assert names == [(0, "bound"), (0, "measured_end"), (0, "measured_start")]
    clock = json.loads(events[0][2])
    assert clock["source"] in {"chrony", "kernel"}
    assert clock["bound_us"] >= 0
    # The warehouse is on this host, so its clock is this host's.
    for _, _, detail in events[1:]:
        measured = json.loads(detail)
        assert abs(measured["offset_us"]) <= measured["bound_us"] < 1e6
