# SPDX-License-Identifier: Apache-2.0
"""The claim of consume-transform-produce: each way to break it is found, and named by its first message."""

from dataclasses import replace

from clickhouse_connect.driver.client import Client

from lab.simulated.copied import Copied
from lab.simulated.model import RATE, SECONDS, Message
from lab.simulated.named_query import ask

COUNT = RATE * SECONDS
FAILED_AT = 200  # the simulated run's failed sends have this message's producer and intended send


def answer(client: Client, run: Copied) -> dict[str, tuple[int, str]]:
    run.insert(client)
    rows = ask(client, "certify_transform_exactly_once", run_id=run.run_id)
    return {row["kind"]: (row["messages"], row["example"]) for row in rows}


def name(message: Message, *offsets: int) -> str:
    time = f"2026-01-15 10:00:{message.intended // 1_000_000 % 60:02}.{message.intended % 1_000_000:06}"
    places = " and ".join(f"{message.partition}@{offset}" for offset in offsets)
    return f"producer {message.producer}, intended {time} UTC" + (f", at {places}" if places else "")


def test_a_copy_without_fault_has_no_finding(client: Client) -> None:
    assert answer(client, Copied("hop-clean")) == {"checked": (COUNT, "")}


def test_messages_that_share_their_intended_send_are_told_apart_by_their_tie(client: Client) -> None:
    run = Copied("hop-ties")
    run.published[500] = replace(run.published[500], intended=run.published[498].intended)
    run.delivered[500] = replace(run.delivered[500], intended=run.published[498].intended, tie=1)
    assert answer(client, run) == {"checked": (COUNT, "")}


def test_the_second_of_two_such_messages_is_missed(client: Client) -> None:
    run = Copied("hop-tie-lost")
    run.published[500] = replace(run.published[500], intended=run.published[498].intended)
    first = run.delivered[498]
    run.delivered[500] = replace(first, offset=9000, receive=first.receive + 5)
    run.delivered.append(replace(run.delivered[700], tie=1, offset=9001))
    found = answer(client, run)
    assert {kind: count for kind, (count, _) in found.items()} == {
        **{"checked": COUNT, "lost": 1, "duplicated": 1, "unexplained": 1},
    }
    assert found["lost"][1] == name(run.published[498], 1249, 9000)


def test_a_message_that_was_not_copied_is_lost(client: Client) -> None:
    run = Copied("hop-lost")
    lost = run.published[300]
    run.delivered = [m for n, m in enumerate(run.delivered) if n not in (300, 1200)]
    assert answer(client, run) == {"checked": (COUNT, ""), "lost": (2, name(lost))}


def test_a_message_copied_twice_is_a_duplicate(client: Client) -> None:
    run = Copied("hop-twice")
    again = run.delivered[400]
    run.delivered += [replace(again, offset=5000), replace(again, offset=5001)]
    found = answer(client, run)
    assert found == {"checked": (COUNT, ""), "duplicated": (2, name(again, again.offset, 5000, 5001))}


def test_an_offset_of_the_copy_received_again_is_no_duplicate(client: Client) -> None:
    run = Copied("hop-again")
    again = run.delivered[400]
    run.delivered.append(replace(again, receive=again.receive + 100))
    assert answer(client, run) == {
        **{"checked": (COUNT, ""), "allowed_redelivered": (1, name(again, again.offset))},
    }


def test_a_message_that_the_run_did_not_send_is_unexplained(client: Client) -> None:
    run = Copied("hop-stray")
    stray = replace(run.delivered[700], intended=run.published[700].intended + 3, offset=7000)
    run.delivered.append(stray)
    assert answer(client, run) == {"checked": (COUNT, ""), "unexplained": (1, name(stray, 7000))}


def test_a_lost_message_is_not_made_up_for_by_another_in_its_second(client: Client) -> None:
    run = Copied("hop-swapped")
    stray = replace(run.delivered[700], intended=run.published[700].intended + 3)
    run.delivered[700] = stray
    found = answer(client, run)
    assert found["lost"] == (1, name(run.published[700]))
    assert found["unexplained"] == (1, name(stray, stray.offset))


def test_a_failed_send_may_be_copied_once(client: Client) -> None:
    run = Copied("hop-failed")
    # The failed sends have the ties 0 to 2; the acknowledged message of their time has then the tie 3.
    run.delivered[FAILED_AT] = replace(run.delivered[FAILED_AT], tie=3)
    failed = replace(run.delivered[FAILED_AT], tie=1, offset=8000)
    run.delivered.append(failed)
    found = answer(client, run)
    assert found == {
        **{"checked": (COUNT, ""), "allowed_unacknowledged": (1, name(failed, 1100, 8000))},
    }
