# SPDX-License-Identifier: Apache-2.0
"""What the audit fails, and what it only notes, without acknowledgements (acks=0)."""

from dataclasses import replace

import pytest
from audited import Tailrace, assert_fails, verdict
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model
from lab.simulated.named_query import ask

COUNT = SECONDS * RATE
SAYS = "note: acks=0: acked means handed to the socket"


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Model:
    """The sound run of the other tests, as it is stored without offsets."""
    model = Model("unanswered-" + request.node.name.replace("[", "-").rstrip("]"))
    model.producer_config = {"acks": " 0"}
    model.published = [replace(message, offset=-1) for message in model.published]
    return model


def deliver(model: Model, numbers: list[int]) -> None:
    """Only these messages come, and the consumer counts no others."""
    model.delivered = [model.delivered[n] for n in numbers]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = len(numbers)


def passes(tailrace: Tailrace, client: Client, model: Model) -> str:
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert verdict(client, model.run_id)["verdict"] == "pass"
    assert SAYS in result.stdout
    return result.stdout


def test_a_sound_run_passes(tailrace: Tailrace, client: Client, model: Model) -> None:
    output = passes(tailrace, client, model)
    assert "partitions x subscriptions: 2, 0 differ" in output
    assert output.count("note: ") == 1


def test_messages_that_never_came_into_the_log_are_a_finding(tailrace: Tailrace, client: Client, model: Model) -> None:
    """Those behind them have the offsets they would have had."""
    lost = [20, 22, 41]
    kept = [n for n in range(COUNT) if n not in lost]
    deliver(model, kept)
    model.delivered = [
        replace(m, offset=m.offset - sum(1 for n in lost if n < kept[i] and n % 2 == m.partition))
        for i, m in enumerate(model.delivered)
    ]
    output = passes(tailrace, client, model)
    line = (
        f"note: subscription 0: not received are 3 of {COUNT} messages sent with acks=0, intended "
        f"10:00:00.200000 to 10:00:00.410000 UTC ({model.topic}/0 2; {model.topic}/1 1)"
    )
    assert line in output
    assert verdict(client, model.run_id)["not_received"] == len(lost)


def test_the_last_ones_may_be_in_the_log(tailrace: Tailrace, client: Client, model: Model) -> None:
    deliver(model, list(range(COUNT - 7)))
    assert f"not received are 7 of {COUNT} messages" in passes(tailrace, client, model)


def test_a_gap_in_the_offsets_is_a_message_that_was_not_delivered(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    deliver(model, [n for n in range(COUNT) if n not in (0, 21, 23, 31)])
    model.insert(client)
    line = f"{model.topic}/1 subscription 0: missing is 3, expected 0 (in the log but never"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert f"received: {model.topic}/1 offsets 10, 11, 15)" in output
    assert f"{model.topic}/0 subscription 0: missing is 1, expected 0" in output
    assert "not received are" not in output


def test_a_gap_in_a_topic_with_a_past_proves_nothing(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.topic_plan = {"subscriptions": 1, "existing": True}
    deliver(model, [n for n in range(COUNT) if n != 21])
    model.delivered = [replace(m, offset=m.offset + 1000) for m in model.delivered]
    assert f"not received are 1 of {COUNT} messages" in passes(tailrace, client, model)


def test_an_offset_received_twice(tailrace: Tailrace, client: Client, model: Model) -> None:
    deliver(model, [*range(COUNT), 10])
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: duplicated is 1, expected 0"
    output = assert_fails(tailrace, client, model, "duplicated", line)
    assert f"{model.topic}/0 offsets 5)" in output


@pytest.mark.parametrize(("failures", "believed"), [(1, True), (0, False)])
def test_a_message_that_is_in_the_log_twice(
    tailrace: Tailrace, client: Client, model: Model, failures: int, believed: bool
) -> None:
    """A send that failed may be in the log."""
    model.failures = failures
    model.ledger["publishes", "failed", ""] = failures
    model.ledger["publishes", "sent", ""] = COUNT + failures
    model.ledger["publish_failures", "recorded", ""] = failures
    deliver(model, [*range(COUNT), COUNT - 2])
    model.delivered[-1] = replace(model.delivered[-1], offset=COUNT // 2)
    line = f"subscription 0: 1 messages were received more often than sent, {failures} sends failed"
    if believed:
        assert line in passes(tailrace, client, model)
    else:
        model.insert(client)
        assert_fails(tailrace, client, model, "unacknowledged", line)


def test_messages_out_of_order(tailrace: Tailrace, client: Client, model: Model) -> None:
    first, second = model.delivered[40], model.delivered[42]
    model.delivered[40] = replace(first, offset=second.offset)
    model.delivered[42] = replace(second, offset=first.offset)
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: reordered is 1, expected 0"
    output = assert_fails(tailrace, client, model, "reordered", line)
    assert f"{model.topic}/0 offsets 21)" in output
    reordered = {r["partition"]: r["reordered"] for r in ask(client, "reordering", run_id=model.run_id)}
    assert reordered == {0: 1, 1: 0}


def test_messages_due_at_one_moment_are_counted(tailrace: Tailrace, client: Client, model: Model) -> None:
    """Of three indistinguishable messages, one was not received."""
    for n in (50, 52, 54):
        model.published[n] = replace(model.published[n], intended=model.published[50].intended)
        model.delivered[n] = replace(model.delivered[n], intended=model.published[50].intended)
    deliver(model, [n for n in range(COUNT) if n != 54])
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: missing is 1, expected 0"
    assert_fails(tailrace, client, model, "missing", line)


def test_rows_that_were_lost_explain_a_gap(tailrace: Tailrace, client: Client, model: Model) -> None:
    del model.delivered[100:104]
    model.ledger["deliveries", "lost", "spool_full"] = 4
    model.insert(client)
    line = f"worker 0 deliveries: incomplete: 4 of {COUNT} recorded rows were lost"
    output = assert_fails(tailrace, client, model, "lost", line)
    assert "unknown whether 4 sent messages, intended 10:00:01.000000 to 10:00:01.030000" in output


def test_loss_by_the_counts(client: Client, model: Model) -> None:
    deliver(model, [n for n in range(COUNT) if n not in (20, 22)])
    model.delivered.append(model.delivered[1])
    model.insert(client)
    rows = {row["partition"]: row for row in ask(client, "delivery_faults", run_id=model.run_id)}
    assert (rows[0]["missing"], rows[0]["duplicates"], rows[0]["unacknowledged"]) == (2, 0, 0)
    assert (rows[1]["missing"], rows[1]["duplicates"], rows[1]["unacknowledged"]) == (0, 1, 0)
    assert {row["acknowledged_twice"] for row in rows.values()} == {0}
