# SPDX-License-Identifier: Apache-2.0
"""The claim of fencing: what a zombie committed, and what a newer producer lost, is found."""

import json

from clickhouse_connect.driver.client import Client

from lab.simulated.named_query import ask
from lab.simulated.transacted import ABORTED, COMMITTED, IN_DOUBT, SIZE, Transacted

ZOMBIE, NEWER = (1, 20), (1, 21)


def fenced(run_id: str) -> Transacted:
    """Producer 1 was fenced in its transaction 20, of which nothing was received."""
    run = Transacted(run_id)
    run.end(ZOMBIE, ABORTED, read=False)
    detail = {"producer": 1, "topic": run.topic, "number": 20, "newer": 21, "error": "ProducerFencedException"}
    run.events.append((0, "transaction", "zombie", json.dumps(detail)))
    return run


def answer(client: Client, run: Transacted) -> dict[str, tuple[int, str]]:
    run.insert(client)
    rows = ask(client, "certify_fencing", run_id=run.run_id)
    return {row["kind"]: (row["messages"], row["example"]) for row in rows}


def test_a_fenced_zombie_is_no_finding(client: Client) -> None:
    run = fenced("fencing-clean")
    assert answer(client, run) == {"checked": (len(run.published), "")}


def test_a_run_without_zombies_shows_nothing(client: Client) -> None:
    assert answer(client, Transacted("fencing-none")) == {"checked": (0, "")}


def test_a_message_of_a_zombie_that_was_received_is_found(client: Client) -> None:
    run = fenced("fencing-read")
    read = run.messages(ZOMBIE)[3]
    run.delivered.append(read)
    count, example = answer(client, run)["zombie_committed"]
    assert count == 1
    assert example.startswith("producer 1 transaction 20 (sequences 200 to 209), ended 2026-01-15 10:00:")
    assert example.endswith(f"aborted: subscription 0 received 1, the first at {read.partition}@{read.offset}")


def test_a_commit_that_a_zombie_was_confirmed_is_found_though_nothing_was_received(client: Client) -> None:
    run = fenced("fencing-confirmed")
    run.outcomes[ZOMBIE] = COMMITTED
    count, example = answer(client, run)["zombie_committed"]
    assert count == SIZE
    assert example.endswith("committed: subscription 0 received 0")


def test_a_message_of_the_newer_producer_that_was_not_received_is_found(client: Client) -> None:
    run = fenced("fencing-lost")
    run.lose(run.messages(NEWER)[4:6])
    count, example = answer(client, run)["newer_lost"]
    assert count == 2
    assert example.startswith("producer 1 transaction 21 (sequences 210 to 219)")


def test_a_message_received_again_does_not_make_up_for_a_lost_one(client: Client) -> None:
    run = fenced("fencing-again")
    again, lost = run.messages(NEWER)[:2]
    run.lose([lost])
    run.delivered.append(again)
    assert answer(client, run)["newer_lost"][0] == 1


def test_a_message_received_again_is_no_finding(client: Client) -> None:
    run = fenced("fencing-redelivered")
    run.delivered.append(run.messages(NEWER)[0])
    assert set(answer(client, run)) == {"checked"}


def test_a_transaction_in_doubt_is_stated(client: Client) -> None:
    run = fenced("fencing-doubt")
    run.end((0, 30), IN_DOUBT, read=False)
    found = answer(client, run)
    assert found["allowed_in_doubt"][0] == SIZE
    assert set(found) == {"checked", "allowed_in_doubt"}


def test_groups_that_read_all_messages_may_receive_a_zombies(client: Client) -> None:
    run = fenced("fencing-uncommitted")
    run.isolation = "read_uncommitted"
    run.delivered += run.messages(ZOMBIE)
    found = answer(client, run)
    assert found["allowed_uncommitted"][0] == SIZE
    assert set(found) == {"checked", "allowed_uncommitted"}
