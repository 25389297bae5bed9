# SPDX-License-Identifier: Apache-2.0


"""The rows that the report's charts read do not grow with the messages: counted by the engine, not timed.

Its spread over brokers and partitions is read from messages, of a window with a bounded number.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from lab.stand.warehouse import Warehouse
from tailrace.queries.ask import Row
from tailrace.queries.catalogue import load
from tailrace.report.data import read

RUN = "cost"
SECONDS = 20
TABLES = ("publishes", "deliveries", "publish_failures", "rollup_1s")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A separate warehouse, because the engine counts whole granules, which runs share."""
    with Warehouse(tmp_path_factory.mktemp("cost")) as started:
        client = started.client
        model = Model(RUN)
        model.published, model.delivered, model.failures = [], [], 0
        model.insert(client)
        yield client


def store(client: Client, per_second: int) -> None:
    """Messages of the model's run: the same number each second, whose latencies have the same 50 values."""
    for table in TABLES:
        client.command(f"TRUNCATE TABLE {table}")
    due = (
        f"SELECT number, fromUnixTimestamp64Micro(1768471200000000 + intDiv(number * 1000000,"
        f" {per_second}), 'UTC') AS due, due + toIntervalMicrosecond(1000 + 100 * (number % 50)) AS"
        f" answered FROM numbers({per_second * SECONDS})"
    )
    for insert in (
        "publishes (run_id, worker, producer, topic, partition, offset, intended_time,"
        " publish_delay_us, ack_time, payload_bytes)"
        f" SELECT '{RUN}', 0, 0, 't', 0, number, due, 0, answered, 100",
        "deliveries (run_id, worker, subscription, consumer, producer, topic, partition, offset,"
        " intended_time, receive_time, payload_bytes)"
        f" SELECT '{RUN}', 0, 0, 0, 0, 't', 0, number, due, answered, 100",
        "publish_failures (run_id, worker, producer, topic, partition, intended_time,"
        " publish_delay_us, fail_time, payload_bytes, error_class)"
        f" SELECT '{RUN}', 0, 0, 't', 0, due, 0, answered, 100, 'TimeoutException'",
    ):
        client.command(f"INSERT INTO {insert} FROM ({due})")
    # One row a second, stage and bucket, whatever the number of blocks was.
    client.command("OPTIMIZE TABLE rollup_1s FINAL")


def rows_read(client: Client, asked: dict[str, Any] | None = None) -> dict[str, int]:
    """By query of the report, the rows that the engine took from tables."""
    asked = {} if asked is None else asked
    found: dict[str, int] = {}

    def ask(name: str, **params: object) -> list[Row]:
        question = load(name)
        asked[name] = question.fill({"run_id": RUN} | {k: str(v) for k, v in params.items()})
        result = client.query(question.text, parameters=asked[name])
        found[name] = found.get(name, 0) + int(result.summary["read_rows"])
        return [dict(row) for row in result.named_results()]

    data = read(ask)
    assert data.measured
    return found


def test_ten_times_as_many_messages_cost_the_report_nothing(alone: Client) -> None:
    store(alone, 500)
    few = rows_read(alone)
    store(alone, 5000)
    assert rows_read(alone) == few
    # A query that reads messages would count more rows.
    question = load("audit_counts")
    counted = alone.query(question.text, parameters=question.fill({"run_id": RUN}))
    assert int(counted.summary["read_rows"]) >= 3 * 5000 * SECONDS > sum(few.values())


def test_the_plans_read_no_table_of_messages(alone: Client) -> None:
    asked: dict[str, Any] = {}
    rows_read(alone, asked)
    for name, params in asked.items():
        plan = alone.query(f"EXPLAIN ESTIMATE {load(name).text}", parameters=params)
        rows = {row["table"]: row["rows"] for row in plan.named_results()}
        assert rows, name
        assert not any(rows.get(t) for t in ("publishes", "deliveries", "publish_failures")), name


def test_the_audit_table_of_the_report_is_the_audits(alone: Client) -> None:
    shown, counted = (
        alone.query(load("audit_counts").text, parameters={"run_id": RUN, "source": source})
        for source in ("rollup", "rows")
    )
    assert shown.result_rows == counted.result_rows
