# SPDX-License-Identifier: Apache-2.0
"""Messages in the log without an acknowledgement: each is found as what it is, by what identifies it."""

from dataclasses import replace

import pytest
from audited import Tailrace, assert_fails
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, START_S, WARMUP_S, Message, Model
from lab.simulated.named_query import ask
from tailrace.queries import catalogue

NEXT_OFFSET = SECONDS * RATE // 2
NO_PRODUCER = 2**32 - 1


@pytest.fixture(autouse=True)
def identified(model: Model) -> None:
    """The load generator counted other runs' messages, so it recorded ties too."""
    model.ledger["deliveries", "other_run", ""] = 0


def deliver(model: Model, *messages: Message) -> None:
    """These are received too, at the end of their partition and after all others."""
    end = (START_S + SECONDS + 1) * 1_000_000
    for number, message in enumerate(messages):
        model.delivered.append(replace(message, offset=NEXT_OFFSET + number, receive=end + number))
        for kind in ("received", "recorded"):
            model.ledger["deliveries", kind, ""] += 1


def stored_audit(client: Client, model: Model) -> str:
    sql = "SELECT audit FROM v_runs WHERE run_id = {run:String}"
    return str(client.query(sql, parameters={"run": model.run_id}).result_rows[0][0])


def passes(tailrace: Tailrace, model: Model) -> str:
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.stdout
    return result.stdout


def test_a_duplicate_of_an_idempotent_producer_fails_with_both_offsets(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    deliver(model, model.published[100])
    model.insert(client)
    where = f"{model.topic}/0 subscription 0"
    line = f"{where}: written_twice is 1, expected 0 (producer 0 sequence 50 at offsets 50 and {NEXT_OFFSET})"
    output = assert_fails(tailrace, client, model, "written_twice", line)
    assert "enable.idempotence=true, the default promises that no message is in the log twice" in output
    assert "allowed" not in output


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ({"enable.idempotence": "false"}, "enable.idempotence=false with retries"),
        ({"acks": "1"}, "acks=1, which turns idempotence off, with retries"),
    ],
)
def test_a_duplicate_that_the_settings_allow_is_stated_with_them(
    tailrace: Tailrace, client: Client, model: Model, config: dict[str, str], setting: str
) -> None:
    model.producer_config = config
    deliver(model, *model.published[100:104:2])
    model.insert(client)
    output = passes(tailrace, model)
    assert f"{model.topic}/0 subscription 0: allowed duplicates: 2 messages are in the log twice" in output
    assert f"producer 0 sequence 51 at offsets 51 and {NEXT_OFFSET + 1}), as {setting}" in output
    assert '"duplicates_allowed": 2' in stored_audit(client, model)


@pytest.mark.parametrize("config", [{"enable.idempotence": "true", "acks": "all"}, {"acks": "1", "retries": "0"}])
def test_settings_that_rule_duplicates_out(
    tailrace: Tailrace, client: Client, model: Model, config: dict[str, str]
) -> None:
    model.producer_config = config
    deliver(model, model.published[100])
    model.insert(client)
    assert_fails(tailrace, client, model, "written_twice", "written_twice is 1, expected 0")


def test_a_duplicate_is_no_failed_send_however_many_failed(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.failures = 1000
    for stream, kind in (("publishes", "failed"), ("publish_failures", "recorded")):
        model.ledger[stream, kind, ""] = 1000
    model.ledger["publishes", "sent", ""] += 997
    deliver(model, model.published[100])
    model.insert(client)
    assert_fails(tailrace, client, model, "written_twice", "written_twice is 1, expected 0")


def test_two_messages_of_one_microsecond_are_not_one(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.alter(102, intended=model.published[100].intended)
    model.delivered[102] = replace(model.delivered[102], tie=1)
    deliver(model, model.delivered[102])
    model.insert(client)
    line = f"written_twice is 1, expected 0 (producer 0 sequence 51 at offsets 51 and {NEXT_OFFSET})"
    assert_fails(tailrace, client, model, "written_twice", line)


def test_a_failed_send_that_the_log_has_is_noted_and_its_duplicate_is_not(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    failed = replace(model.published[0], intended=(START_S + WARMUP_S) * 1_000_000, tie=1)
    deliver(model, failed)
    model.insert(client)
    assert "1 messages are in the log although their sends failed" in passes(tailrace, model)

    again = Model(f"{model.run_id}-again")
    again.ledger["deliveries", "other_run", ""] = 0
    deliver(again, failed, failed)
    again.insert(client)
    line = f"written_twice is 1, expected 0 (producer 0 sequence 101 at offsets {NEXT_OFFSET} and {NEXT_OFFSET + 1})"
    assert_fails(tailrace, client, again, "written_twice", line)


def test_a_message_that_no_send_explains_fails(tailrace: Tailrace, client: Client, model: Model) -> None:
    deliver(model, replace(model.published[100], intended=model.published[100].intended + 1))
    model.insert(client)
    line = "subscription 0: 1 messages were received whose sends were neither acknowledged nor failed"
    assert_fails(tailrace, client, model, "unacknowledged", line)


def test_other_programs_and_other_runs_are_stated_and_the_runs_own_are_judged(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    model.topic_plan = {"subscriptions": 1, "existing": True}
    model.ledger["deliveries", "other_run", ""] = 7
    deliver(model, replace(model.published[100], producer=NO_PRODUCER))
    model.insert(client)
    output = passes(tailrace, model)
    assert "7 messages received were written by other runs and are none of this run's" in output
    assert "1 messages were received from existing topics and not written by this run" in output

    again = Model(f"{model.run_id}-again")
    again.topic_plan = {"subscriptions": 1, "existing": True}
    again.ledger["deliveries", "other_run", ""] = 7
    deliver(again, again.published[100])
    again.insert(client)
    assert_fails(tailrace, client, again, "written_twice", "written_twice is 1, expected 0")


def test_the_query_lists_each_kind(client: Client, model: Model) -> None:
    sequenced = replace(model.published[102], sequence=777)
    model.delivered[102] = replace(model.delivered[102], sequence=777)
    deliver(model, model.published[100], sequenced, replace(model.published[104], intended=START_S * 1_000_000 + 1))
    model.insert(client)
    rows = ask(client, "duplicates", run_id=model.run_id, topic=model.topic, partition="0")
    assert [(row["kind"], row["messages"], row["sequence"], row["offsets"]) for row in rows] == [
        ("duplicate", 2, 50, [50, NEXT_OFFSET]),
        ("duplicate", 2, 777, [51, NEXT_OFFSET + 1]),
        ("unexplained", 1, 1, [NEXT_OFFSET + 2]),
    ]


PARTITION = """
INSERT INTO {table} (run_id, worker, producer, topic, partition, offset, intended_time, {columns}, payload_bytes)
SELECT '{run}', 0, {producer}, 't', 0, number,
    fromUnixTimestamp64Micro(1768471200000000 + 20 * {message}, 'UTC') AS sent, {values}, 100
FROM numbers({rows})
"""
ACKED = {"columns": "publish_delay_us, ack_time", "values": "1, sent"}
RECEIVED = {"columns": "subscription, consumer, receive_time", "values": "0, 0, sent"}


@pytest.mark.parametrize(("producer", "kind"), [(0, "duplicate"), (NO_PRODUCER, "foreign")])
def test_a_partition_of_a_million_messages_needs_little_memory(client: Client, producer: int, kind: str) -> None:
    run = f"large-{kind}"
    million, last = 1_000_000, 999_999
    for table, columns, rows in (("publishes", ACKED, million), ("deliveries", RECEIVED, million + 1)):
        if producer == NO_PRODUCER and table == "publishes":
            continue
        given = {"run": run, "table": table, "rows": rows, "producer": producer, "message": f"least(number, {last})"}
        client.command(PARTITION.format(**given, **columns))
    query = catalogue.load("duplicates")
    found = client.query(
        query.text,
        parameters=query.fill({"run_id": run, "topic": "t", "partition": "0"}),
        settings={"max_memory_usage": 200_000_000},
    ).named_results()
    count, first = (1, [last, million]) if kind == "duplicate" else (million + 1, [0])
    row = next(iter(found))
    assert (row["kind"], row["messages"], row["offsets"]) == (kind, count, first)
