# SPDX-License-Identifier: Apache-2.0
"""Messages are checked against the ends of the logs; of a topic that no group reads that is all there is."""

from dataclasses import replace

from audited import RETAINED, Tailrace, assert_fails, logs, passes, unread
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model

COUNT = SECONDS * RATE
HALF = COUNT // 2
ALL = (HALF, HALF)


def test_a_topic_that_no_group_reads_is_checked_by_its_log_ends(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    unread(model)
    logs(model, ALL)
    model.insert(client)
    output = passes(tailrace, model)
    assert f"({model.topic}) were checked by the ends of their logs alone, not by reading: {COUNT} messages" in output
    assert f"acknowledged, {COUNT} offsets written" in output
    assert "not checked message by message: 1 topics that no group reads, by the ends of their logs alone" in output


def test_a_log_that_lost_its_tail(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, (HALF, HALF - 7))
    model.insert(client)
    line = f"{model.topic}/1: 7 messages that were acknowledged or received are lost: the log ends at offset {HALF - 7}"
    output = assert_fails(tailrace, client, model, "log_end", line)
    assert f"(offsets {HALF - 7}, {HALF - 6}, {HALF - 5}, {HALF - 4}, {HALF - 3}, …)" in output


def test_a_log_that_lost_its_tail_after_it_was_read(tailrace: Tailrace, client: Client, model: Model) -> None:
    logs(model, (HALF - 1, HALF))
    model.insert(client)
    assert_fails(tailrace, client, model, "log_end", f"{model.topic}/0: 1 messages that were acknowledged or received")


def test_a_log_that_grew_by_less_than_was_acknowledged(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    model.topic_plan["existing"] = True
    logs(model, ALL, before=(3, 0))
    model.insert(client)
    line = f"{model.topic}/0: {HALF} messages were acknowledged, and its log grew by {HALF - 3} offsets"
    assert_fails(tailrace, client, model, "log_growth", line)


def test_more_in_the_log_than_was_sent(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, (HALF + 2, HALF + 2))
    model.insert(client)
    line = (
        f"{model.topic}/1: its log has 2 offsets more than were acknowledged, and no group reads it, and 0 sends to it"
        " failed; 3 messages more may be in any log"
    )
    assert_fails(tailrace, client, model, "log_surplus", line)


def test_failed_sends_may_be_in_the_log(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, (HALF + 3, HALF))
    model.insert(client)
    passes(tailrace, model)


def test_markers_of_transactions_occupy_offsets(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    model.behaviour = {"transaction_messages": 7}
    logs(model, (HALF + 100, HALF + 100))
    model.insert(client)
    assert f"{COUNT + 200} offsets written (markers of transactions among them)" in passes(tailrace, model)


def test_an_unread_log_whose_end_no_broker_stated(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, ALL)
    del model.events[1]
    model.ledger["run_events", "recorded", ""] -= 1
    model.insert(client)
    line = f"unknown whether {COUNT} acknowledged messages of 2 partitions that no group reads are in their logs"
    assert_fails(tailrace, client, model, "log_unknown", line)


def test_an_unread_topic_of_an_older_run_is_not_checked_and_says_so(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    unread(model)
    model.insert(client)
    assert f"their {COUNT} messages were not checked, because the ends of their logs" in passes(tailrace, model)


def test_a_deletion_that_retention_cannot_explain(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, ALL, starts=(0, 12))
    model.insert(client)
    line = (
        f"{model.topic}/1: 12 messages are no longer in the log, which begins at offset 12, and retention cannot have "
        "removed them within the run (cleanup.policy=delete, retention.ms=604800000, retention.bytes=-1; offsets 0, 1"
    )
    assert_fails(tailrace, client, model, "log_start", line)


def test_retention_by_time_explains_a_deletion(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    # The newest of them was sent 0.24 s after the start, and the logs' ends were recorded after 23 s.
    logs(model, ALL, starts=(0, 12), settings={**RETAINED, "retention.ms": "20000"})
    model.insert(client)
    assert "12 messages are no longer in the log, which begins at offset 12: removed by retention" in passes(
        tailrace, model
    )


def test_retention_by_time_that_had_not_passed(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, ALL, starts=(0, 12), settings={**RETAINED, "retention.ms": "22900"})
    model.insert(client)
    assert_fails(tailrace, client, model, "log_start", "retention cannot have removed them within the run")


def test_retention_by_size_explains_a_deletion(tailrace: Tailrace, client: Client, model: Model) -> None:
    unread(model)
    logs(model, ALL, starts=(0, 12), settings={**RETAINED, "retention.bytes": "100000"})
    model.insert(client)
    assert "removed by retention (retention.ms=604800000, retention.bytes=100000)" in passes(tailrace, model)


def test_unanswered_messages_are_checked_up_to_the_log_end(tailrace: Tailrace, client: Client, model: Model) -> None:
    """With acks=0 the last messages of a log, which no group received, look like those that never came into it."""
    model.producer_config = {"acks": "0"}
    for n in range(COUNT):
        model.published[n] = replace(model.published[n], offset=-1)
    model.delivered = model.delivered[:-6]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = COUNT - 6
    logs(model, (HALF, HALF - 1))
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: missing is 3, expected 0 (in the log but never received"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert f"{model.topic}/1 subscription 0: missing is 2, expected 0" in output
    assert "not received are 1 of" in output
    assert f"acks=0: {COUNT} messages were handed to the socket, and their logs grew by {COUNT - 1} offsets" in output
    assert "not checked message by message: acks=0" in output
