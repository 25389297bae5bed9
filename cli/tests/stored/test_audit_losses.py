# SPDX-License-Identifier: Apache-2.0
"""Ledgers that are missing, losses that are counted, load generators that were killed."""

import pytest
from audited import Tailrace, assert_fails
from clickhouse_connect.driver.client import Client
from model import RATE, SECONDS, Model

COUNT = SECONDS * RATE


def test_a_missing_ledger(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.ledger = {}
    model.insert(client)
    assert_fails(tailrace, client, model, "ledger", "worker 0: its ledger is missing")


def test_a_worker_that_left_nothing(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    client.command(
        "INSERT INTO runs SELECT * REPLACE (2 AS workers, now64(6) AS updated_time) FROM runs FINAL"
        " WHERE run_id = {r:String}",
        parameters={"r": model.run_id},
    )
    assert_fails(tailrace, client, model, "ledger", "worker 1: its ledger is missing")


def test_losses_fail_even_when_the_sum_is_exact(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    del model.published[100:112]
    del model.delivered[100:112]
    model.ledger["publishes", "lost", "spool_full"] = 10
    model.ledger["publishes", "lost", "refused"] = 2
    model.ledger["deliveries", "lost", "refused"] = 12
    model.insert(client)
    line = (
        f"worker 0 publishes: incomplete: 12 of {COUNT} recorded rows were lost "
        "(refused 2, spool_full 10)"
    )
    output = assert_fails(tailrace, client, model, "lost", line)
    assert "stored rows is" not in output


@pytest.mark.parametrize(("stored_after_all", "believed"), [(0, True), (12, True), (13, False)])
def test_rows_without_an_answer_may_be_stored_after_all(
    tailrace: Tailrace, client: Client, model: Model, stored_after_all: int, believed: bool
) -> None:
    del model.published[100 : 112 - min(12, stored_after_all)]
    model.ledger["publishes", "lost", "unshipped_at_deadline"] = 12
    if stored_after_all > 12:
        model.published.append(model.published[0])
    model.insert(client)
    line = f"worker 0 publishes: incomplete: 12 of {COUNT} recorded rows were lost "
    output = assert_fails(tailrace, client, model, "lost", line)
    assert ("worker 0 publishes: stored rows is" in output) != believed


def test_a_killed_load_generator_fails_also_without_a_known_loss(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    model.insert(client)
    line = "worker 0 publishes: incomplete: the load generator was killed"
    assert_fails(tailrace, client, model, "killed", line)


def test_messages_on_their_way_when_the_load_generator_was_killed(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    model.ledger["publishes", "sent", ""] += 5
    model.insert(client)
    line = f"worker 0: incomplete: 5 of {COUNT + 8} messages sent had no outcome yet"
    output = assert_fails(tailrace, client, model, "killed", line)
    assert "sent is" not in output


def test_what_a_killed_load_generators_spool_did_not_tell(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    model.ledger["deliveries", "corrupt", "unknown"] = 0
    model.ledger["deliveries", "foreign", "unknown"] = 0
    model.insert(client)
    line = "worker 0: its spool did not tell how many messages were corrupt, foreign"
    assert_fails(tailrace, client, model, "unknown", line)
