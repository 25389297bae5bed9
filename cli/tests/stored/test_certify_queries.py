# SPDX-License-Identifier: Apache-2.0
"""The claims' queries find each planted violation, and nothing in a run that keeps its claim."""

import json
from dataclasses import replace

import pytest
from audited import logs
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model
from lab.simulated.named_query import ask

COUNT = SECONDS * RATE
HALF = COUNT // 2
SECOND = 1_000_000


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Model:
    """Two groups received every message 2 ms after its intended send; its logs were read again."""
    model = Model(request.node.name, topic_plan={"subscriptions": 2})
    model.delivered = [replace(m, receive=m.intended + 2_000, subscription=g) for g in (0, 1) for m in model.published]
    model.delivered = [replace(m, consumer=2 * m.subscription + m.partition) for m in model.delivered]
    return model


def reread(run: Model, gaps: tuple[int, ...] = (), end: int = HALF, corrupt: tuple[int, ...] = ()) -> None:
    """The logs, in two ranges each; ``gaps`` are offsets of partition 1 that are gone."""
    for partition in (0, 1):
        for first, last in ((0, 500), (500, end)):
            gone = [[each, each] for each in gaps if partition == 1 and first <= each < last]
            detail = {"topic": run.topic, "partition": partition, "first": first, "end": last, "gaps": gone}
            detail["corrupt"] = [each for each in corrupt if partition == 1 and first <= each < last]
            run.events.append((SECONDS, "reread", "range", json.dumps(detail)))


def ended(run: Model, end: int = HALF, last: int = HALF) -> None:
    """The logs of the two partitions, as the brokers state their ends."""
    logs(run, ends=(end, last))


def kinds(client: Client, run: Model, claim: str) -> dict[str, int]:
    return {row["kind"]: row["messages"] for row in ask(client, f"certify_{claim}", run_id=run.run_id)}


def example(client: Client, run: Model, claim: str, kind: str) -> str:
    (found,) = (r["example"] for r in ask(client, f"certify_{claim}", run_id=run.run_id) if r["kind"] == kind)
    return str(found)


@pytest.mark.parametrize("claim", ["no_loss", "no_duplicates"])
def test_a_clean_run_keeps_its_claim(client: Client, run: Model, claim: str) -> None:
    run.failures = 0
    reread(run)
    ended(run)
    run.insert(client)
    assert ask(client, f"certify_{claim}", run_id=run.run_id) == [{"kind": "checked", "messages": COUNT, "example": ""}]


def test_a_run_without_rows_checked_nothing(client: Client) -> None:
    for claim in ("no_loss", "no_duplicates", "order_per_key"):
        assert ask(client, f"certify_{claim}", run_id="none") == [{"kind": "checked", "messages": 0, "example": ""}]


def test_a_message_that_one_group_did_not_receive(client: Client, run: Model) -> None:
    reread(run)
    lost = [m for m in run.delivered if m.subscription == 1 and m.partition == 0 and m.offset in (700, 701)]
    run.delivered = [m for m in run.delivered if m not in lost]
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "not_received": 2}
    assert example(client, run, "no_loss", "not_received") == (
        f"producer 0, intended send 2026-01-15 10:00:14.000000 UTC, {run.topic}/0@700, not received by subscription 1"
    )


def test_a_group_that_received_nothing_and_a_redelivery(client: Client, run: Model) -> None:
    reread(run)
    run.delivered = [m for m in run.delivered if m.subscription == 0]
    run.delivered += [replace(m, receive=m.receive + SECOND, consumer=9) for m in run.delivered[:10]]
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "not_received": COUNT}


def test_another_message_was_received_at_its_offset(client: Client, run: Model) -> None:
    reread(run)
    run.delivered[8] = replace(run.delivered[8], intended=run.delivered[8].intended + 1)
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "not_received": 1}


def test_a_message_that_was_received_and_then_lost_from_its_log(client: Client, run: Model) -> None:
    reread(run, gaps=(7, 600))
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "lost_from_log": 2}
    assert f"{run.topic}/1@7" in example(client, run, "no_loss", "lost_from_log")


def test_a_message_whose_bytes_changed_in_its_log(client: Client, run: Model) -> None:
    reread(run, corrupt=(600,))
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "damaged_in_log": 1}
    assert example(client, run, "no_loss", "damaged_in_log") == f"{run.topic}/1@600"


def test_logs_that_were_not_read_again_to_their_end(client: Client, run: Model) -> None:
    reread(run, end=HALF - 3)
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "untested_not_reread": 6}


def test_logs_that_were_not_read_again(client: Client, run: Model) -> None:
    run.insert(client)
    assert kinds(client, run, "no_loss") == {"checked": COUNT, "untested_not_reread": COUNT}


def test_one_message_at_two_offsets(client: Client, run: Model) -> None:
    run.delivered += [replace(m, offset=HALF) for m in run.delivered if m.partition == 1 and m.offset == 40]
    # Another partition's log has a second one, which only one group received.
    run.delivered.append(replace(run.delivered[0], partition=1, offset=HALF + 1))
    ended(run, last=HALF + 2)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "duplicate": 2}
    assert example(client, run, "no_duplicates", "duplicate") == (
        f"producer 0, intended send 2026-01-15 10:00:00.000000 UTC, tie 0,"
        f" at {run.topic}/0@0 and {run.topic}/1@{HALF + 1}"
    )


def test_redeliveries_and_failed_sends_in_the_log_are_no_duplicates(client: Client, run: Model) -> None:
    run.delivered += [replace(m, receive=m.receive + SECOND, consumer=9) for m in run.delivered[:10]]
    # Never acknowledged, and in the log; the second one has the intended send of an acknowledged message.
    stored = [replace(run.published[9], intended=run.published[9].intended + 5, offset=HALF)]
    stored.append(replace(run.published[9], tie=1, offset=HALF + 1))
    run.delivered += [replace(m, subscription=group) for m in stored for group in (0, 1)]
    ended(run, last=HALF + 2)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "allowed_unacknowledged": 2}


def test_a_message_that_was_acknowledged_at_one_place_and_received_at_another(client: Client, run: Model) -> None:
    run.delivered = [replace(m, offset=5_000) if m.partition == 0 and m.offset == 40 else m for m in run.delivered]
    ended(run, end=HALF + 1)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "duplicate": 1, "untested_unread": 1}
    assert example(client, run, "no_duplicates", "duplicate") == (
        f"producer 0, intended send 2026-01-15 10:00:00.800000 UTC, tie 0, at {run.topic}/0@40 and {run.topic}/0@5000"
    )


def test_a_failed_send_in_the_log_is_no_second_place_of_another_message(client: Client, run: Model) -> None:
    # Three sends failed that share this message's intended send; they have the ties 0 to 2.
    shared = run.published[200]
    kept = [m for m in run.delivered if (m.partition, m.offset) != (shared.partition, shared.offset)]
    run.delivered = [*kept, *(replace(shared, tie=2, offset=HALF, subscription=group) for group in (0, 1))]
    ended(run, end=HALF + 1)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {
        **{"checked": COUNT, "allowed_unacknowledged": 1, "untested_unread": 1},
    }


def test_messages_that_no_group_received_leave_the_claim_untested(client: Client, run: Model) -> None:
    run.delivered = []
    ended(run)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "untested_unread": COUNT}
    assert example(client, run, "no_duplicates", "untested_unread") == (
        f"producer 0, intended send 2026-01-15 10:00:00.000000 UTC, {run.topic}/0@0"
    )


@pytest.mark.parametrize("end", [HALF + 4, HALF + 500])
def test_second_copies_that_no_group_received(client: Client, run: Model, end: int) -> None:
    ended(run, end=end)
    run.insert(client)
    # Three sends failed, and they may be in a log.
    extra = end - HALF
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "not_received": extra}
    assert example(client, run, "no_duplicates", "not_received") == (
        f"{run.topic}/0: {extra} offsets are neither acknowledged nor received"
    )


def test_a_failed_send_accounts_for_one_offset(client: Client, run: Model) -> None:
    ended(run, end=HALF + 3)
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "untested_not_received": 3}


def test_a_log_whose_end_no_broker_stated(client: Client, run: Model) -> None:
    run.insert(client)
    assert kinds(client, run, "no_duplicates") == {"checked": COUNT, "untested_log_unknown": COUNT}
    assert example(client, run, "no_duplicates", "untested_log_unknown") == f"{run.topic}/0"


def test_order_is_kept_across_a_redelivery(client: Client, run: Model) -> None:
    again = [m for m in run.delivered if m.subscription == 1 and m.partition == 0 and 100 <= m.offset < 150]
    run.delivered += [replace(m, receive=m.receive + 2 * SECOND, consumer=9) for m in again]
    # The second delivery of the newest message.
    newest = run.delivered[2 * COUNT - 1]
    run.delivered.append(replace(newest, receive=newest.receive + SECOND))
    run.insert(client)
    assert kinds(client, run, "order_per_key") == {"checked": 2 * COUNT + 51, "allowed_redelivered": 51}


def test_a_log_in_another_order_than_the_sends(client: Client, run: Model) -> None:
    for n in (400, 402):
        other = 802 - n
        run.delivered[n] = replace(run.delivered[n], offset=run.published[other].offset, receive=run.published[402].ack)
    run.insert(client)
    assert kinds(client, run, "order_per_key") == {"checked": 2 * COUNT, "reordered": 1}
    assert example(client, run, "order_per_key", "reordered") == (
        f"producer 0, intended send 2026-01-15 10:00:04.000000 UTC, {run.topic}/0@201,"
        " received 2026-01-15 10:00:04.021020 UTC by subscription 0,"
        " after the message sent 2026-01-15 10:00:04.020000 UTC"
    )


def test_a_message_first_received_after_a_later_one(client: Client, run: Model) -> None:
    # As if a new member began behind the committed offset, and the gap came with the next rebalance.
    for n in range(COUNT + 301, COUNT + 311, 2):
        run.delivered[n] = replace(run.delivered[n], receive=run.delivered[n].receive + SECOND, consumer=9)
    run.insert(client)
    assert kinds(client, run, "order_per_key") == {"checked": 2 * COUNT, "reordered": 5}
