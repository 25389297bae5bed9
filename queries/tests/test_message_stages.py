# SPDX-License-Identifier: Apache-2.0
"""``message_stages`` of a run whose brokers have no agent, and of one message that has its request."""

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from lab.simulated.named_query import ask

START_US = 1_768_471_200_000_000  # 2026-01-15 10:00:00 UTC
RUN = "stages-of-one"


def test_without_the_agent_all_after_the_send_is_not_measured(client: Client, golden: Model) -> None:
    found = {row["stage"]: row for row in ask(client, "message_stages", run_id=golden.run_id)}
    measured = [m for m in golden.published if m.measured]
    service = [m.ack - m.intended - m.delay for m in measured]
    assert found["not_measured"]["messages"] == len(measured)
    assert found["not_measured"]["max_us"] == max(service)
    assert found["schedule"]["mean_us"] == pytest.approx(sum(m.delay for m in measured) / len(measured))
    assert sum(row["share"] for row in found.values()) == pytest.approx(1)
    assert {name for name, row in found.items() if row["max_us"] > 0} <= {"schedule", "not_measured"}


def test_a_request_divides_the_time(client: Client) -> None:
    events = [[RUN, 0, START_US + at, "phase", name, ""] for name, at in (("measure", -1), ("drain", 1_000_000))]
    client.insert("run_events", events, column_names=("run_id", "worker", "time", "kind", "name", "detail"))
    columns = ("run_id", "topic", "partition", "offset", "intended_time", "publish_delay_us", "ack_time")
    client.insert("publishes", [[RUN, "t", 0, 5, START_US, 10, START_US + 1000]], column_names=columns)
    columns = (
        "run_id",
        "api",
        "topic",
        "partition",
        "offset",
        "records",
        "read_time",
        "queue_us",
        "local_us",
        "log_us",
    )
    client.insert(
        "broker_requests", [[RUN, "produce", "t", 0, 3, 4, START_US + 200, 30, 500, 400]], column_names=columns
    )
    found = {row["stage"]: row["mean_us"] for row in ask(client, "message_stages", run_id=RUN)}
    spent = {"schedule": 10, "client": 190, "request_queue": 30, "handler": 100, "append": 400, "to_client": 270}
    assert {stage: us for stage, us in found.items() if us} == spent
    assert sum(found.values()) == 1000
