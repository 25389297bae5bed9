# SPDX-License-Identifier: Apache-2.0
"""A message that a consumer group received twice: allowed after a rebalance of its partition, and stated."""

import json
from dataclasses import replace

import pytest
from audited import Tailrace, assert_fails, happened, passes, verdict
from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S, Message, Model
from tailrace.audit.checks import check
from tailrace.audit.inputs import read_inputs
from tailrace.runs import slo

# Received at second 10, and again with all that follows it up to the rebalance.
COMMITTED, REBALANCED_S = 1000, 11


def again(model: Model, messages: list[Message], second: float) -> None:
    """They are received once more, at this second of the run."""
    model.delivered += [replace(m, receive=int((START_S + second) * 1_000_000)) for m in messages]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] += len(messages)


def assigned(second: int, consumer: int, *partitions: int) -> tuple[int, str, str, str]:
    return (second, "rebalance", "assigned", json.dumps({"consumer": consumer, "partitions": partitions}))


def uncommitted(model: Model) -> list[Message]:
    """Ten messages of partition 0 from before the rebalance."""
    return [m for m in model.delivered if m.partition == 0][COMMITTED // 2 : COMMITTED // 2 + 10]


def test_redelivery_after_a_rebalance_passes_with_its_count(tailrace: Tailrace, client: Client, model: Model) -> None:
    happened(model, assigned(0, 0, 0), assigned(0, 1, 1), assigned(REBALANCED_S, 0, 0))
    again(model, uncommitted(model), REBALANCED_S + 0.5)
    model.insert(client)
    output = passes(tailrace, model)
    assert "subscription 0: 10 messages of 1 partitions were redelivered after a rebalance" in output
    assert verdict(client, model.run_id)["redelivered"] == 10


def test_without_a_rebalance_of_the_partition_it_is_a_failure(tailrace: Tailrace, client: Client, model: Model) -> None:
    happened(model, assigned(0, 0, 0), assigned(0, 1, 1), assigned(REBALANCED_S, 1, 1))
    again(model, uncommitted(model), REBALANCED_S + 0.5)
    model.insert(client)
    assert_fails(tailrace, client, model, "duplicated", f"{model.topic}/0 subscription 0: duplicated is 10, expected 0")


def test_a_rebalance_explains_one_redelivery_not_two(tailrace: Tailrace, client: Client, model: Model) -> None:
    happened(model, assigned(0, 0, 0), assigned(REBALANCED_S, 0, 0))
    ten = uncommitted(model)
    again(model, ten, REBALANCED_S + 0.5)
    again(model, ten[:3], REBALANCED_S + 0.6)
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: duplicated is 3, expected 0"
    output = assert_fails(tailrace, client, model, "duplicated", line)
    assert "subscription 0: 7 messages of 1 partitions were redelivered" in output
    assert f"offsets {ten[0].offset}, {ten[1].offset}, {ten[2].offset})" in output


@pytest.mark.parametrize(("owned", "allowed"), [(True, True), (False, False)])
def test_another_consumer_must_have_had_the_partition(
    tailrace: Tailrace, client: Client, model: Model, owned: bool, allowed: bool
) -> None:
    happened(model, assigned(0, 0, 0), assigned(REBALANCED_S, 7, 0 if owned else 1))
    again(model, [replace(m, consumer=7) for m in uncommitted(model)], REBALANCED_S + 0.5)
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert ("audit=pass" in result.stdout) is allowed, result.stdout


def test_a_bound_on_duplicates_counts_them(tailrace: Tailrace, client: Client, model: Model) -> None:
    happened(model, assigned(0, 0, 0), assigned(REBALANCED_S, 0, 0))
    again(model, uncommitted(model), REBALANCED_S + 0.5)
    model.insert(client)
    plan = {"slo": [{"key": "duplicates", "direction": "at_most", "value": 0, "text": "0"}]}
    (bound,) = slo.judge(client, plan, check(read_inputs(client, model.run_id)))
    assert bound.measured == 10
    assert not bound.kept
