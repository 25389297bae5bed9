# SPDX-License-Identifier: Apache-2.0
"""Ledgers that are missing, losses that are counted, load generators that were killed."""

import pytest
from audited import Tailrace, assert_fails
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, START_S, Model

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


def test_losses_fail_even_when_the_sum_is_exact(tailrace: Tailrace, client: Client, model: Model) -> None:
    del model.published[100:112]
    del model.delivered[100:112]
    model.ledger["publishes", "lost", "spool_full"] = 10
    model.ledger["publishes", "lost", "refused"] = 2
    model.ledger["deliveries", "lost", "refused"] = 12
    model.insert(client)
    line = f"worker 0 publishes: incomplete: 12 of {COUNT} recorded rows were lost (refused 2, spool_full 10)"
    output = assert_fails(tailrace, client, model, "lost", line)
    assert "stored rows is" not in output


@pytest.mark.parametrize("reason", ["unshipped_at_deadline", "killed", "spool_damaged"])
@pytest.mark.parametrize(("stored_after_all", "believed"), [(0, True), (12, True), (13, False)])
def test_rows_without_an_answer_may_be_stored_after_all(
    tailrace: Tailrace,
    client: Client,
    model: Model,
    stored_after_all: int,
    believed: bool,
    reason: str,
) -> None:
    del model.published[100 : 112 - min(12, stored_after_all)]
    model.ledger["publishes", "lost", reason] = 12
    if stored_after_all > 12:
        model.published.append(model.published[0])
    model.insert(client)
    line = f"worker 0 publishes: incomplete: 12 of {COUNT} recorded rows were lost "
    output = assert_fails(tailrace, client, model, "lost", line)
    assert ("worker 0 publishes: stored rows is" in output) != believed
    text = f"at most: {stored_after_all} of them are stored"
    assert (text in output) == (believed and stored_after_all > 0)


def test_a_killed_load_generator_fails_also_without_a_known_loss(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    at = START_S * 1_000_000
    model.ledger_times["publishes", "lost", "killed"] = (at + 250_000, at + 1_500_000)
    model.insert(client)
    line = (
        "worker 0 publishes: incomplete: the load generator was killed; rows from 10:00:00.250000 "
        "on may be missing, and events recorded between its last checkpoint, 10:00:01.500000 UTC,"
        " and its end are in no count"
    )
    assert_fails(tailrace, client, model, "killed", line)


def test_what_a_killed_load_generator_counted_has_its_times(tailrace: Tailrace, client: Client, model: Model) -> None:
    del model.published[100:105]
    model.ledger["publishes", "lost", "killed"] = 5
    model.ledger_times["publishes", "lost", "killed"] = (START_S * 1_000_000,) * 2
    model.insert(client)
    line = f"incomplete: 5 of {COUNT} recorded rows were lost (killed 5); rows from 10:00:00.000000"
    assert_fails(tailrace, client, model, "lost", line)


@pytest.mark.parametrize(("lost", "accused"), [(4, False), (3, True)])
def test_a_lost_delivery_is_no_fault_of_the_broker(
    tailrace: Tailrace, client: Client, model: Model, lost: int, accused: bool
) -> None:
    del model.delivered[100:104]
    model.ledger["deliveries", "lost", "spool_full"] = lost
    model.insert(client)
    line = f"worker 0 deliveries: incomplete: {lost} of {COUNT} recorded rows were lost"
    output = assert_fails(tailrace, client, model, "lost", line)
    assert ("acknowledged but never received" in output) == accused
    note = (
        "subscription 0: unknown whether 4 acknowledged messages, intended 10:00:01.000000 to "
        "10:00:01.030000 UTC, were received: 4 rows of deliveries were lost "
        f"({model.topic}/0 offsets 50, 51; {model.topic}/1 offsets 50, 51)"
    )
    assert (note in output) != accused


@pytest.mark.parametrize(("lost", "accused"), [(1, False), (0, True)])
def test_a_lost_acknowledgement_is_no_fault_of_the_broker(
    tailrace: Tailrace, client: Client, model: Model, lost: int, accused: bool
) -> None:
    del model.published[100 : 101 + model.failures]
    model.ledger["publishes", "lost", "refused"] = lost
    model.insert(client)
    output = tailrace("audit", model.run_id).stdout
    text = f"subscription 0: {model.failures + 1} messages were received but never acknowledged"
    assert (f"note: {text}, 3 sends failed, 1 rows of publishes were lost" in output) != accused
    assert (f"  {text}" in output.partition("audit=fail")[2]) == accused


@pytest.mark.parametrize(("gap", "accused"), [(0, False), (30, True)])
def test_the_last_messages_of_a_killed_load_generator_may_be_in_no_count(
    tailrace: Tailrace, client: Client, model: Model, gap: int, accused: bool
) -> None:
    """``gap`` messages after those without a row have both."""
    first = COUNT - 20 - gap
    del model.delivered[first : first + 20]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] -= 20
    model.ledger["publishes", "lost", "killed"] = 0
    model.insert(client)
    line = "worker 0 publishes: incomplete: the load generator was killed"
    output = assert_fails(tailrace, client, model, "killed", line)
    assert ("acknowledged but never received" in output) == accused
    assert ("unknown whether 20 acknowledged messages" in output) != accused


@pytest.mark.parametrize(("gap", "accused"), [(0, False), (30, True)])
def test_its_last_acknowledgements_too(
    tailrace: Tailrace, client: Client, model: Model, gap: int, accused: bool
) -> None:
    first = COUNT - 20 - gap
    del model.published[first : first + 20]
    for kind in ("acked", "recorded", "sent"):
        model.ledger["publishes", kind, ""] -= 20
    model.ledger["publishes", "lost", "killed"] = 0
    model.insert(client)
    output = tailrace("audit", model.run_id).stdout
    line = "20 messages were received but never acknowledged, 3 sends failed"
    assert line in output
    assert (f"note: subscription 0: {line}, 20 were sent last" in output) != accused


def test_messages_on_their_way_when_the_load_generator_was_killed(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    model.ledger["publishes", "sent", ""] += 5
    model.insert(client)
    line = f"worker 0: incomplete: 5 of {COUNT + 8} messages sent had no outcome yet"
    output = assert_fails(tailrace, client, model, "killed", line)
    assert "sent is" not in output


def test_what_a_killed_load_generators_spool_did_not_tell(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.ledger["publishes", "lost", "killed"] = 0
    model.ledger["deliveries", "corrupt", "unknown"] = 0
    model.ledger["deliveries", "foreign", "unknown"] = 0
    model.insert(client)
    line = "worker 0: its spool does not contain how many messages were corrupt, foreign"
    assert_fails(tailrace, client, model, "unknown", line)


def test_a_lost_leader_fails_the_run_by_name(tailrace: Tailrace, client: Client, model: Model) -> None:
    line = "worker 0 does not answer at http://10.0.0.5:9300: the connection was refused"
    model.events = [(SECONDS, "error", "leader_lost", line)]
    model.ledger["run_events", "recorded", ""] += 1
    model.insert(client)
    assert_fails(tailrace, client, model, "leader_lost", f"1 workers ended after their phase: {line}")
