# SPDX-License-Identifier: Apache-2.0
"""A message that a consumer received for the first time after a later one."""

from dataclasses import replace

from audited import Tailrace, assert_fails, passes
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Message, Model

LATE_US = 100_000


def late(model: Model, offsets: range, **changed: int) -> list[Message]:
    """Partition 0's messages at these offsets come when five later ones have come."""
    found = [m for m in model.delivered if m.partition == 0 and m.offset in offsets]
    model.delivered = [replace(m, receive=m.receive + LATE_US, **changed) if m in found else m for m in model.delivered]
    return found


def test_messages_received_after_later_ones_fail(tailrace: Tailrace, client: Client, model: Model) -> None:
    late(model, range(10, 13))
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: received_late is 3, expected 0"
    output = assert_fails(tailrace, client, model, "received_late", line)
    assert f"{model.topic}/0 offsets 10, 11, 12)" in output


def test_a_second_delivery_is_not_late(tailrace: Tailrace, client: Client, model: Model) -> None:
    again = late(model, range(10, 13))
    model.delivered += again
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] += len(again)
    model.insert(client)
    output = assert_fails(tailrace, client, model, "duplicated", "duplicated is 3")
    assert "received_late" not in output


def test_clocks_of_two_consumers_are_not_compared(tailrace: Tailrace, client: Client, model: Model) -> None:
    late(model, range(10, 13), consumer=7)
    model.insert(client)
    passes(tailrace, model)
