# SPDX-License-Identifier: Apache-2.0
"""What the audit counts apart: share groups, transactions, topics one side of a run uses."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model

Tailrace = Callable[..., Result]
COUNT = SECONDS * RATE


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Model:
    return Model(request.node.name)


def fails(tailrace: Tailrace, model: Model, line: str) -> None:
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 1, result.output
    assert "audit=fail" in result.stdout
    assert line in result.stdout


def passes(tailrace: Tailrace, model: Model) -> str:
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "\naudit=pass\n" in result.stdout
    return result.stdout


def redeliver(model: Model, n: int) -> None:
    """The n-th message is received once more."""
    model.delivered.append(model.delivered[n])
    model.ledger["deliveries", "received", ""] += 1
    model.ledger["deliveries", "recorded", ""] += 1


def test_a_share_group_may_hand_out_again(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.behaviour = {"groups": "share"}
    redeliver(model, 10)
    model.ledger["deliveries", "redelivered", ""] = 1
    model.insert(client)
    output = passes(tailrace, model)
    assert "1 messages were delivered more than once by a share group" in output


def test_a_consumer_group_may_not(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.behaviour = {"groups": "consumer"}
    redeliver(model, 10)
    model.insert(client)
    fails(tailrace, model, "duplicated is 1, expected 0")


def abort(model: Model, first: int, last: int) -> None:
    """Producer 0's messages at these offsets of partition 0 are never received."""
    gone = [m for m in model.delivered if m.partition == 0 and first <= m.offset <= last]
    model.delivered = [m for m in model.delivered if m not in gone]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] -= len(gone)


def uncommitted(model: Model, first: int, last: int) -> tuple[int, str, str, str]:
    place = {"producer": 0, "topic": model.topic, "offsets": [[0, first, last]]}
    return (0, "transaction", "aborted", json.dumps(place))


def test_aborted_messages_are_counted_apart(tailrace: Tailrace, client: Client, model: Model) -> None:
    abort(model, 100, 109)
    model.events = [uncommitted(model, 100, 109)]
    model.ledger["publishes", "aborted", ""] = 10
    model.ledger["run_events", "recorded", ""] += 1
    model.insert(client)
    output = passes(tailrace, model)
    assert "10 messages acknowledged were in aborted transactions" in output


def test_what_is_missing_beside_them_is_missing(tailrace: Tailrace, client: Client, model: Model) -> None:
    abort(model, 100, 110)
    model.events = [uncommitted(model, 100, 109)]
    model.ledger["publishes", "aborted", ""] = 10
    model.ledger["run_events", "recorded", ""] += 1
    model.insert(client)
    fails(tailrace, model, "/0 offsets 110)")


def test_an_aborted_message_that_is_received(tailrace: Tailrace, client: Client, model: Model) -> None:
    abort(model, 100, 108)
    model.events = [uncommitted(model, 100, 109)]
    model.ledger["publishes", "aborted", ""] = 10
    model.ledger["run_events", "recorded", ""] += 1
    model.insert(client)
    fails(tailrace, model, "/0 offsets 109)")


def test_a_topic_that_no_group_reads(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.topic_plan = {"subscriptions": 0}
    model.delivered = []
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = 0
    model.insert(client)
    passes(tailrace, model)


def test_an_existing_topic_without_a_producer(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.topic_plan = {"subscriptions": 1, "existing": True}
    model.published = []
    model.failures = 0
    for stream, kinds in (("publishes", ("sent", "acked", "failed", "recorded")),):
        for kind in kinds:
            model.ledger[stream, kind, ""] = 0
    model.ledger["publish_failures", "recorded", ""] = 0
    model.insert(client)
    output = passes(tailrace, model)
    assert f"{COUNT} messages were received from existing topics" in output
