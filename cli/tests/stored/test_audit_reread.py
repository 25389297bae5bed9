# SPDX-License-Identifier: Apache-2.0
"""A re-read after the run finds what was delivered and then lost from the log."""

import json

from audited import RETAINED, Tailrace, assert_fails, happened, logs, passes
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Message, Model
from lab.simulated.transacted import ABORTED, Transacted

COUNT = SECONDS * RATE
HALF = COUNT // 2
WORD = 2**64
# 1,100 messages of each partition, in ranges of 500 offsets.
RANGE = 500


def mixed(m: Message) -> int:
    """As the load generator computes it (LogRange.hash), whose test has the same sum from its own rows."""
    x = (m.offset * 0x9E3779B97F4A7C15 + m.producer * 0xBF58476D1CE4E5B9 + m.intended * 0x94D049BB133111EB) % WORD
    y = (x ^ x >> 32) * 0xD6E8FEB86659FD93 % WORD
    return y ^ y >> 32


def reread(model: Model, log: list[Message], corrupt: tuple[int, ...] = (), share: float = 1) -> None:
    """A re-read of a log that holds these messages; ``corrupt`` offsets are of partition 0."""
    model.behaviour = {**model.behaviour, "reread_share": share}
    for partition in (0, 1):
        for first in range(0, HALF, RANGE):
            end = min(HALF, first + RANGE)
            here = {m.offset: m for m in log if m.partition == partition and first <= m.offset < end}
            detail = {
                "topic": model.topic,
                "partition": partition,
                "first": first,
                "end": end,
                "read": len(here),
                "foreign": 0,
                "hash": str(sum(map(mixed, here.values())) % WORD),
                "gaps": [[offset, offset] for offset in range(first, end) if offset not in here],
                "corrupt": [offset for offset in corrupt if partition == 0 and first <= offset < end],
            }
            happened(model, (24, "reread", "range", json.dumps(detail)))
    model.ledger["deliveries", "reread", ""] = len(log)
    model.ledger["deliveries", "reread_corrupt", ""] = len(corrupt)


def test_a_log_that_holds_all_passes(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    reread(model, model.published)
    model.insert(client)
    assert f"re-read of 100 %: {COUNT} messages of 6 ranges were read again" in passes(tailrace, model)


def test_what_was_delivered_and_then_lost_is_found(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    gone = [m for m in model.published if m.partition == 1 and m.offset in (7, 600, 601)]
    reread(model, [m for m in model.published if m not in gone])
    model.insert(client)
    line = (
        f"{model.topic}/1: a re-read did not find 3 messages that were acknowledged or received (offsets 7, 600, 601)"
    )
    assert_fails(tailrace, client, model, "reread_lost", line)


def test_another_message_in_its_place_is_found(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    log = list(model.published)
    log[1400] = Message(**{**log[1400].__dict__, "intended": log[1400].intended + 1})
    reread(model, log)
    model.insert(client)
    line = f"{model.topic}/0: a re-read found other messages at the offsets of 1 ranges (beginning at 500)"
    assert_fails(tailrace, client, model, "reread_altered", line)


def test_a_message_that_was_damaged_since_is_found(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    reread(model, model.published, corrupt=(8,))
    model.insert(client)
    line = f"{model.topic}/0: 1 messages that were read again differ from the bytes that were sent (offsets 8)"
    assert_fails(tailrace, client, model, "reread_corrupt", line)


def test_what_retention_removed_is_no_loss(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF), starts=(9, 0), settings={**RETAINED, "retention.ms": "20000"})
    reread(model, [m for m in model.published if m.partition == 1 or m.offset >= 9])
    model.insert(client)
    output = passes(tailrace, model)
    assert "9 messages are no longer in the log, which begins at offset 9: removed by retention" in output
    assert "re-read: 9 messages were below the log's start" in output


def test_aborted_messages_are_not_read(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    aborted = [m for m in model.published if m.partition == 0 and 100 <= m.offset < 110]
    model.delivered = [m for m in model.delivered if m not in aborted]
    model.ledger["deliveries", "received", ""] = model.ledger["deliveries", "recorded", ""] = COUNT - 10
    model.ledger["publishes", "aborted", ""] = 10
    place = {"producer": 0, "topic": model.topic, "offsets": [[0, 100, 109]]}
    happened(model, (1, "transaction", "aborted", json.dumps(place)))
    model.behaviour = {"transaction_messages": 10}
    reread(model, model.delivered)
    model.insert(client)
    output = passes(tailrace, model)
    assert "re-read: 10 acknowledged messages of transactions were neither received nor in the log" in output


def test_committed_messages_of_a_topic_that_no_group_reads_are_missed(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    unread = Transacted(f"{model.run_id}-transacted", subscriptions=0)
    logs(unread, (HALF, HALF))
    unread.end((0, 3), ABORTED, read=False)
    aborted = unread.messages((0, 3))
    gone = [m for m in unread.messages((1, 5)) if m.partition == 1][:3]
    reread(unread, [m for m in unread.published if m not in (*gone, *aborted)])
    unread.insert(client)
    offsets = ", ".join(str(m.offset) for m in gone)
    line = f"{unread.topic}/1: a re-read did not find 3 messages that were acknowledged or received (offsets {offsets})"
    output = assert_fails(tailrace, client, unread, "reread_lost", line)
    assert "re-read: 10 acknowledged messages of transactions were neither received nor in the log" in output


def test_a_send_that_failed_and_is_in_the_log(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    reread(model, model.published)
    failed = model.published[-1]
    model.published = model.published[:-1]
    model.delivered = model.delivered[:-1]
    model.ledger["publishes", "acked", ""] = model.ledger["publishes", "recorded", ""] = COUNT - 1
    model.ledger["deliveries", "received", ""] = model.ledger["deliveries", "recorded", ""] = COUNT - 1
    model.ledger["publishes", "sent", ""] -= 1
    model.insert(client)
    assert failed.offset == HALF - 1
    assert "re-read: 1 messages were read that were neither acknowledged nor received" in passes(tailrace, model)


def test_a_range_that_was_not_stored_is_missed(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    reread(model, model.published)
    del model.events[-1]
    model.ledger["run_events", "recorded", ""] -= 1
    model.insert(client)
    line = f"the re-read stored {COUNT - 100} messages and counted {COUNT}"
    assert_fails(tailrace, client, model, "reread_stored", line)


def test_a_re_read_that_ended_early(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF, HALF))
    reread(model, model.published)
    happened(model, (25, "reread", "incomplete", "demo/1 ended at offset 4096 of 9000"))
    model.insert(client)
    line = "the re-read is incomplete: demo/1 ended at offset 4096 of 9000"
    assert_fails(tailrace, client, model, "reread_incomplete", line)


def test_a_re_read_that_was_not_made(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.behaviour = {"reread_messages": 5000}
    model.insert(client)
    assert_fails(tailrace, client, model, "reread_incomplete", "the re-read of 5000 messages was not made")
