# SPDX-License-Identifier: Apache-2.0
"""The claim of share groups: a loss, a count that stays, and a delivery after the acceptance are found."""

import json
from dataclasses import replace

from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, START_S, Message, Model
from lab.simulated.named_query import ask

COUNT = RATE * SECONDS
SECOND_US = 1_000_000


class Shared(Model):
    """One share group of two members; ``again`` releases a message, which is then delivered once more."""

    def event(self, name: str, message: Message, count: int, after_us: int = 100) -> None:
        detail = {"consumer": message.partition, "subscription": 0, "topic": self.topic}
        detail |= {"partition": message.partition, "offset": message.offset, "count": count}
        self.at(message.receive + after_us, name, detail)

    def at(self, time_us: int, name: str, detail: dict[str, object]) -> None:
        self.rows.append([self.run_id, 0, time_us, "share", name, json.dumps(detail)])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows: list[list[object]] = []

    def again(self, n: int, *, released: bool = True, count: int | None = 2) -> None:
        first = self.delivered[n]
        later = replace(first, receive=first.receive + SECOND_US)
        self.delivered.append(later)
        if released:
            self.event("released", first, 1)
        if count is not None:
            self.event("redelivered", later, count, after_us=-50)

    def insert(self, client: Client) -> None:
        super().insert(client)
        if self.rows:
            client.insert("run_events", self.rows)


def answer(client: Client, run: Shared) -> dict[str, int]:
    run.again(100)
    run.insert(client)
    return {row["kind"]: row["messages"] for row in ask(client, "certify_share_redelivery", run_id=run.run_id)}


SOUND = {"checked": COUNT, "allowed_redelivered": 1}


def test_a_released_message_that_comes_again_with_a_higher_count_is_allowed(client: Client) -> None:
    assert answer(client, Shared("share-clean")) == SOUND


def test_a_message_that_never_came_is_lost(client: Client) -> None:
    run = Shared("share-lost")
    del run.delivered[700]
    assert answer(client, run) == {**SOUND, "lost": 1}


def test_a_released_message_that_never_came_again_is_lost(client: Client) -> None:
    run = Shared("share-lost-released")
    run.event("released", run.delivered[700], 1)
    assert answer(client, run) == {**SOUND, "lost": 1}


def test_a_count_that_stays_is_found(client: Client) -> None:
    run = Shared("share-count")
    run.again(700, count=None)
    assert answer(client, run) == {**SOUND, "count_not_growing": 1}


def test_a_count_may_stay_after_a_change_of_leader(client: Client) -> None:
    run = Shared("share-leader")
    run.again(700, count=None)
    time = run.delivered[700].receive + 100
    client.insert("partition_leaders", [[run.run_id, 0, START_S * SECOND_US, run.topic, 0, 1, "a"]])
    client.insert("partition_leaders", [[run.run_id, 0, time, run.topic, 0, 2, "b"]])
    assert answer(client, run) == {**SOUND, "allowed_count_kept": 1}


def test_a_message_delivered_again_after_its_accept_was_confirmed_is_found(client: Client) -> None:
    run = Shared("share-accepted")
    run.again(700, released=False)
    assert answer(client, run) == {**SOUND, "redelivered_after_accept": 1}


def test_a_message_whose_accept_was_not_confirmed_may_come_again(client: Client) -> None:
    run = Shared("share-unconfirmed")
    run.again(700, released=False)
    run.event("unconfirmed", run.delivered[700], 1)
    assert answer(client, run) == {**SOUND, "allowed_unconfirmed": 1}


def test_the_last_batch_of_a_killed_member_may_come_again(client: Client) -> None:
    run = Shared("share-killed")
    last = run.delivered[-1]
    run.delivered.append(replace(last, receive=last.receive + SECOND_US, consumer=7))
    run.event("redelivered", replace(last, receive=last.receive + SECOND_US), 2)
    assert answer(client, run) == {**SOUND, "allowed_unconfirmed": 1}
