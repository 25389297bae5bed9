# SPDX-License-Identifier: Apache-2.0
"""A message missing from a compacted topic: loss only where compaction cannot have removed it."""

import pytest
from audited import Tailrace, assert_fails, logs, passes
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model

HALF = SECONDS * RATE // 2
COMPACTED = {"cleanup.policy": "compact", "segment.bytes": "65536", "segment.ms": "604800000"}


def missing(model: Model, *offsets: int) -> None:
    """Partition 0's messages at these offsets are not received."""
    gone = [m for m in model.delivered if m.partition == 0 and m.offset in offsets]
    model.delivered = [m for m in model.delivered if m not in gone]
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] -= len(gone)


def test_what_compaction_may_have_removed_is_stated(tailrace: Tailrace, client: Client, model: Model) -> None:
    missing(model, 5, 9)
    logs(model, (HALF, HALF), settings=COMPACTED)
    model.insert(client)
    output = passes(tailrace, model)
    assert "2 acknowledged messages were not received, and compaction may have removed them first" in output
    assert "not checked message by message: 1 compacted topics" in output


def test_the_last_messages_are_never_compacted(tailrace: Tailrace, client: Client, model: Model) -> None:
    missing(model, 5, HALF - 2, HALF - 1)
    logs(model, (HALF, HALF), settings=COMPACTED)
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: missing is 2, expected 0 (acknowledged after the last message received"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert "1 acknowledged messages were not received, and compaction" in output


@pytest.mark.parametrize(
    "settings",
    [
        {"segment.bytes": "1073741824"},  # one segment, which is not compacted
        {"min.compaction.lag.ms": "60000"},  # younger than a minute
        {"cleanup.policy": "delete"},
    ],
)
def test_where_compaction_cannot_explain_it_it_is_missing(
    tailrace: Tailrace, client: Client, model: Model, settings: dict[str, str]
) -> None:
    missing(model, 5, 9)
    logs(model, (HALF, HALF), settings={**COMPACTED, **settings})
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: missing is 2, expected 0"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert f"{model.topic}/0 offsets 5, 9)" in output
