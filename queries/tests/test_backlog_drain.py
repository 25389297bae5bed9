# SPDX-License-Identifier: Apache-2.0
"""How a backlog drained, from rows whose answer is worked out by hand."""

from dataclasses import replace

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, START_S, Model
from tailrace.api import catalogue

BUILD_S, RESUME_S = 5, 10
US = 1_000_000


def answer(client: Client, run_id: str) -> list[dict[str, object]]:
    question = catalogue.load("backlog_drain")
    result = client.query(question.text, parameters=question.fill({"run_id": run_id}))
    return [dict(row) for row in result.named_results()]


def model(run_id: str) -> Model:
    """Intended in seconds 5 to 10, received from second 10 on, one each 2 ms."""
    made = Model(run_id)
    for n in range(BUILD_S * RATE, RESUME_S * RATE):
        late = (START_S + RESUME_S) * US + (n - BUILD_S * RATE) * 2_000
        made.delivered[n] = replace(made.delivered[n], receive=late)
    for n, message in enumerate(made.delivered):
        if not BUILD_S * RATE <= n < RESUME_S * RATE:
            made.delivered[n] = replace(message, receive=message.intended + 2_000)
    made.events = [
        (BUILD_S, "phase", "backlog_build", ""),
        (RESUME_S, "phase", "backlog_drain", ""),
        (RESUME_S + 1, "phase_end", "backlog_drained", ""),
    ]
    made.ledger["run_events", "recorded", ""] += len(made.events)
    return made


@pytest.mark.parametrize("acks", ["all", "0"])
def test_size_time_and_rate_of_the_drain(client: Client, acks: str) -> None:
    made = model(f"backlog-drained-{acks}")
    made.producer_config = {"acks": acks}
    if acks == "0":
        made.published = [replace(message, offset=-1) for message in made.published]
    made.insert(client)
    [row] = answer(client, made.run_id)
    assert row["topic"] == made.topic
    assert row["build_s"] == RESUME_S - BUILD_S
    assert row["backlog"] == 500
    # The 500th of them came 499 x 2 ms after the resumption, and so did 100 of the load.
    assert row["drain_s"] == 0.998
    assert row["drained_per_s"] == 600 / 0.998
    assert row["sub_second_after_s"] == 0.998
    assert row["verdict"] == "backlog_drained"


def test_a_message_that_never_came_and_latencies_that_never_fell(client: Client) -> None:
    made = model("backlog-stuck")
    del made.delivered[RESUME_S * RATE - 1]
    made.delivered = [
        replace(m, receive=m.receive + 2 * US) if m.receive > (START_S + RESUME_S) * US else m for m in made.delivered
    ]
    made.insert(client)
    [row] = answer(client, made.run_id)
    assert row["backlog"] == 500
    assert row["drain_s"] is None
    assert row["drained_per_s"] is None
    assert row["sub_second_after_s"] is None


def test_a_run_without_backlog_has_no_row(client: Client) -> None:
    made = Model("backlog-none")
    made.insert(client)
    assert answer(client, made.run_id) == []


@pytest.mark.parametrize("lost", [False, True])
def test_without_offsets_the_backlog_is_what_was_due(client: Client, lost: bool) -> None:
    """A message intended before the resumption and handed over after it belongs to the backlog, too."""
    made = model(f"backlog-due-{lost}")
    made.producer_config = {"acks": "0"}
    made.published = [replace(message, offset=-1) for message in made.published]
    late = RESUME_S * RATE - 1
    made.published[late] = replace(made.published[late], ack=(START_S + RESUME_S) * US + 1)
    if lost:
        del made.delivered[RESUME_S * RATE - 2]
    made.insert(client)
    [row] = answer(client, made.run_id)
    assert row["backlog"] == 500
    assert row["drain_s"] == (None if lost else 0.998)
