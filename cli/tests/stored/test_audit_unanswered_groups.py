# SPDX-License-Identifier: Apache-2.0
"""What several groups' offsets, a drain cut short and a topic's past say of a run with acks=0."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from audited import Tailrace, assert_fails, verdict
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Message, Model
from lab.simulated.named_query import ask

COUNT = SECONDS * RATE
UNDRAINED = "60 messages acknowledged were not received in time"


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Model:
    """A sound run with two groups, as it is stored without offsets."""
    model = Model("groups-" + request.node.name.replace("[", "-").rstrip("]"))
    model.producer_config = {"acks": "0"}
    model.topic_plan = {"subscriptions": 2}
    model.published = [replace(message, offset=-1) for message in model.published]
    receive(model, range(COUNT), range(COUNT))
    return model


def receive(model: Model, *groups: Iterable[int]) -> None:
    """Each group receives the messages with these numbers; message n has offset n // 2."""
    model.delivered = [
        replace(Message.make(n), subscription=group) for group, numbers in enumerate(groups) for n in numbers
    ]
    count_deliveries(model)


def count_deliveries(model: Model) -> None:
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = len(model.delivered)


def tell_undrained(model: Model) -> None:
    model.events = [(SECONDS, "error", "not_drained", UNDRAINED)]
    model.ledger["run_events", "recorded", ""] += 1


def differences(client: Client, model: Model, subscription: int) -> dict[str, tuple[Any, Any]]:
    """Offsets and after_last of partition 0, by kind."""
    place = {"topic": model.topic, "partition": "0", "subscription": str(subscription)}
    rows = ask(client, "audit_unanswered", run_id=model.run_id, **place)
    return {str(row["kind"]): (row["offsets"], row["after_last"]) for row in rows}


def passes(tailrace: Tailrace, client: Client, model: Model) -> str:
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert verdict(client, model.run_id)["verdict"] == "pass"
    return result.stdout


def test_two_groups_that_received_all_pass(tailrace: Tailrace, client: Client, model: Model) -> None:
    assert "partitions x subscriptions: 4, 0 differ" in passes(tailrace, client, model)


def test_a_group_that_is_behind_another_has_a_gap(tailrace: Tailrace, client: Client, model: Model) -> None:
    receive(model, range(COUNT), range(COUNT - 60))
    model.insert(client)
    line = f"{model.topic}/0 subscription 1: missing is 30, expected 0 (in the log but never"
    output = assert_fails(tailrace, client, model, "missing", line)
    first = (COUNT - 60) // 2
    assert f"received: {model.topic}/0 offsets {first}, {first + 1}, " in output
    assert "not received are" not in output
    assert verdict(client, model.run_id)["not_received"] == 0


def test_a_group_that_received_nothing_misses_what_another_received(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    """No log is known to have what lies behind the other's last offset."""
    receive(model, range(COUNT - 10))
    model.insert(client)
    in_log = (COUNT - 10) // 2
    line = f"{model.topic}/1 subscription 1: missing is {in_log}, expected 0 (in the log but never"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert f"received: {model.topic}/1 offsets 0, 1, 2, 3, 4, …)" in output
    for group in (0, 1):
        assert f"note: subscription {group}: not received are 10 of {COUNT} messages" in output
    assert "way into the log, or after the last one that any subscription received" in output


def test_gaps_are_told_from_the_end(client: Client, model: Model) -> None:
    """Of the gaps, how many lie behind the group's last one; the others are in no known log."""
    receive(model, range(COUNT - 20), [n for n in range(COUNT - 80) if n != 100])
    model.insert(client)
    assert differences(client, model, 0) == {"not_received": (10, 10)}
    assert differences(client, model, 1) == {"missing": (31, 30), "not_received": (10, 10)}


def test_what_was_lost_on_the_way_is_told_from_the_end(client: Client, model: Model) -> None:
    """By producer: message 100 has no offset, and those behind it have the one below theirs."""
    numbers = [n for n in range(COUNT - 20) if n != 100]
    receive(model, numbers, numbers)
    model.delivered = [
        replace(m, offset=m.offset - 1) if m.partition == 0 and m.offset > 50 else m for m in model.delivered
    ]
    model.insert(client)
    for group in (0, 1):
        assert differences(client, model, group) == {"not_received": (11, 10)}


def test_the_end_a_killed_load_generator_may_have_had_is_no_loss(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    receive(model, range(COUNT), range(COUNT - 60))
    model.ledger["deliveries", "lost", "killed"] = 0
    model.insert(client)
    line = "incomplete: the load generator was killed"
    output = assert_fails(tailrace, client, model, "killed", line)
    assert "subscription 1: unknown whether 60 sent messages" in output
    assert "missing is" not in output


def test_a_drain_cut_short_fails_when_messages_did_not_come(tailrace: Tailrace, client: Client, model: Model) -> None:
    receive(model, range(COUNT - 60), range(COUNT - 60))
    tell_undrained(model)
    model.insert(client)
    line = "120 messages sent with acks=0 were not received, and the drain ended at its limit"
    output = assert_fails(tailrace, client, model, "not_drained", line)
    assert f"before all groups had read to the log's end ({UNDRAINED}): it is unknown" in output


def test_a_drain_cut_short_is_no_failure_when_all_came(tailrace: Tailrace, client: Client, model: Model) -> None:
    tell_undrained(model)
    assert "not received" not in passes(tailrace, client, model)


def test_other_runs_messages_in_a_topic_with_a_past_are_not_out_of_order(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    """Their producers are numbered from 0 too; here they lie below and have later intended sends."""
    model.topic_plan["existing"] = True
    later, before = 3_600_000_000, 1_000_000
    others = [replace(m, intended=m.intended + later, receive=m.receive - before) for m in model.delivered[:20]]
    model.delivered = [replace(m, offset=m.offset + 1000) for m in model.delivered[2:]] + others
    count_deliveries(model)
    output = passes(tailrace, client, model)
    assert "a duplicate is; in topics that existed before, gaps and order prove nothing" in output
    assert "a gap in the offsets" not in output
    assert f"not received are 2 of {COUNT} messages sent with acks=0" in output
    assert "way into the log, or out of it" in output
    assert ask(client, "reordering", run_id=model.run_id) == []
