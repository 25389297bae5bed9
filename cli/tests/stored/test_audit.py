# SPDX-License-Identifier: Apache-2.0
"""The audit passes on a sound run and names the number on every kind of fault."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from audited import Tailrace, assert_fails, verdict
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, START_S, Model

COUNT = SECONDS * RATE


def row_but_audit(client: Client, run_id: str) -> list[tuple[object, ...]]:
    sql = "SELECT * EXCEPT (audit) FROM v_runs WHERE run_id = {r:String}"
    rows = [tuple(row) for row in client.query(sql, parameters={"r": run_id}).result_rows]
    assert len(rows) == 1
    return rows


def test_damage_fails_the_audit_and_names_where_to_look(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.ledger["deliveries", "corrupt", ""] = 2
    model.insert(client)
    line = "worker 0: 2 received messages differ from the bytes that were sent"
    assert_fails(tailrace, client, model, "corrupt", line)


def test_a_message_received_before_its_send_is_kept_and_noted(tailrace: Tailrace, client: Client, model: Model) -> None:
    early = model.delivered[300]
    model.delivered[300] = replace(early, receive=early.intended - 250)
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "worker 0: 1 messages were received before their intended send, by up to 2" in (result.output)


def test_a_sound_run_passes(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    before = row_but_audit(client, model.run_id)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "\naudit=pass\n" in result.stdout
    stored = verdict(client, model.run_id)
    assert stored["verdict"] == "pass"
    assert stored["totals"] == {
        "sent": COUNT + 3,
        "acked": COUNT,
        "failed": 3,
        "received": COUNT,
        "lost": 0,
        "stored_publishes": COUNT,
        "stored_deliveries": COUNT,
    }
    assert row_but_audit(client, model.run_id) == before


def test_that_a_worker_gave_up_is_its_own_event(tailrace: Tailrace, client: Client, model: Model) -> None:
    """What `abortWhen` notes is of kind alert as well, and counted like all that a worker sends."""
    reason = "abortWhen.behind: 0.6 s"
    model.events = [(9, "alert", "abort", reason), (9, "error", "run_aborted", reason)]
    model.ledger["run_events", "recorded", ""] += 2
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output


def test_alerts_are_no_workers_events(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    alert = [model.run_id, 0, START_S * 1_000_000, "alert", "FlushStall", "{}"]
    columns = ["run_id", "worker", "time", "kind", "name", "detail"]
    client.insert("run_events", [alert], column_names=columns)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output


def test_a_deleted_publish(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    client.command(
        "DELETE FROM publishes WHERE run_id = {r:String} AND partition = 1 AND offset = 7",
        parameters={"r": model.run_id},
    )
    line = f"worker 0 publishes: stored rows is {COUNT - 1}, expected {COUNT}"
    output = assert_fails(tailrace, client, model, "stored", line)
    assert "1 messages were received but never acknowledged, 3 sends failed" in output


def test_a_duplicated_delivery(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.delivered.append(model.delivered[10])
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: duplicated is 1, expected 0"
    output = assert_fails(tailrace, client, model, "duplicated", line)
    assert f"{model.topic}/0 offsets 5)" in output
    assert f"worker 0 deliveries: stored rows is {COUNT + 1}, expected {COUNT}" in output


def test_missing_deliveries(tailrace: Tailrace, client: Client, model: Model) -> None:
    gone = {21, 23, 25, 27, 29, 31, 33}
    model.delivered = [m for n, m in enumerate(model.delivered) if n not in gone]
    # The consumer counted what it got, so only the comparison of offsets can tell.
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = COUNT - len(gone)
    model.insert(client)
    line = f"{model.topic}/1 subscription 0: missing is 7, expected 0"
    output = assert_fails(tailrace, client, model, "missing", line)
    assert f"{model.topic}/1 offsets 10, 11, 12, 13, 14, …" in output
    assert "partitions x subscriptions: 2, 1 differ" in output


def test_a_partition_that_no_group_received(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.delivered = []
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = 0
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: missing is {COUNT // 2}, expected 0"
    assert_fails(tailrace, client, model, "missing", line)


def test_reordered_messages(tailrace: Tailrace, client: Client, model: Model) -> None:
    first, second = model.published[40], model.published[42]
    model.alter(40, offset=second.offset)
    model.alter(42, offset=first.offset)
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: reordered is 1, expected 0"
    output = assert_fails(tailrace, client, model, "reordered", line)
    assert f"{model.topic}/0 offsets 21)" in output


def test_messages_due_and_never_sent(tailrace: Tailrace, client: Client, model: Model) -> None:
    gone = ("publishes", "unsent", "TimeoutException")
    model.ledger[gone] = 7
    start = START_S * 1_000_000
    model.ledger_times[gone] = (start + 1_250_000, start + 3_000_000)
    model.ledger["publishes", "unsent", "late"] = 2
    model.insert(client)
    first = datetime.fromtimestamp(START_S, tz=UTC)
    since, last = first + timedelta(seconds=1.25), first + timedelta(seconds=3)
    due = f"intended {since:%H:%M:%S.%f} to {last:%H:%M:%S.%f}"
    line = f"worker 0: 7 messages were overdue and never sent (TimeoutException, {due} UTC)"
    output = assert_fails(tailrace, client, model, "unsent", line)
    assert "worker 0: 2 messages were overdue and never sent (late, " in output


def test_a_delivery_that_is_not_what_was_published(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.delivered[40] = replace(model.delivered[40], intended=model.delivered[40].intended - 1)
    model.delivered[42] = replace(model.delivered[42], producer=1)
    model.insert(client)
    line = f"{model.topic}/0 subscription 0: altered is 2, expected 0"
    output = assert_fails(tailrace, client, model, "altered", line)
    assert f"{model.topic}/0 offsets 20, 21)" in output


@pytest.mark.parametrize(
    ("kept", "stage", "stages"),
    [
        (("acked", "received", "failed"), "latency_1s end_to_end", 4),
        (
            ("publish", "publish_service", "publish_delay", "end_to_end"),
            "throughput_1s received",
            2,
        ),
    ],
)
def test_a_rollup_that_lost_rows(
    tailrace: Tailrace,
    client: Client,
    model: Model,
    kept: tuple[str, ...],
    stage: str,
    stages: int,
) -> None:
    model.insert(client)
    client.command(
        "DELETE FROM rollup_1s WHERE run_id = {r:String} AND time = {s:DateTime} AND stage NOT IN {k:Array(String)}",
        parameters={"r": model.run_id, "s": START_S + 5, "k": list(kept)},
    )
    line = f"worker 0 {stage}: messages rolled up is "
    output = assert_fails(tailrace, client, model, "rollup", line)
    assert output.count(f"expected {COUNT} (rows stored)") == stages


def test_sent_must_be_acked_or_failed(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.ledger["publishes", "sent", ""] += 5
    model.insert(client)
    line = f"worker 0: sent is {COUNT + 8}, expected {COUNT + 3} (acked {COUNT} + failed 3), +5"
    assert_fails(tailrace, client, model, "sent", line)


@pytest.mark.parametrize(("stream", "kind"), [("publishes", "acked"), ("deliveries", "received")])
def test_every_counted_message_must_be_recorded(
    tailrace: Tailrace, client: Client, model: Model, stream: str, kind: str
) -> None:
    model.ledger[stream, kind, ""] += 1
    if kind == "acked":
        model.ledger["publishes", "sent", ""] += 1
    model.insert(client)
    line = f"{stream}: recorded is {COUNT}, expected {COUNT + 1} (messages counted as {kind})"
    assert_fails(tailrace, client, model, "recorded", line)


def test_failed_sends_must_be_stored(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.failures = 2
    model.insert(client)
    line = "worker 0 publish_failures: stored rows is 2, expected 3"
    assert_fails(tailrace, client, model, "stored", line)


def unacknowledged(model: Model, count: int) -> None:
    """Turn the last messages into sends that failed on the client but reached the broker."""
    model.published = model.published[:-count]
    for kind in ("acked", "recorded"):
        model.ledger["publishes", kind, ""] = COUNT - count
    model.ledger["publishes", "sent", ""] = COUNT - count + model.failures


def test_received_but_unacknowledged_is_allowed_up_to_the_failed_sends(
    tailrace: Tailrace, client: Client, model: Model
) -> None:
    unacknowledged(model, 3)
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "3 messages were received but never acknowledged, 3 sends failed" in result.stdout


def test_more_unacknowledged_than_failed_sends(tailrace: Tailrace, client: Client, model: Model) -> None:
    unacknowledged(model, 4)
    model.insert(client)
    line = "4 messages were received but never acknowledged, 3 sends failed"
    assert_fails(tailrace, client, model, "unacknowledged", line)


def test_rows_stored_twice_on_both_sides(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.published.append(replace(model.published[3]))
    model.delivered.append(replace(model.delivered[3]))
    model.insert(client)
    line = f"worker 0 publishes: stored rows is {COUNT + 1}, expected {COUNT}"
    assert_fails(tailrace, client, model, "stored", line)


def test_a_run_that_sent_nothing(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.published, model.delivered, model.failures = [], [], 0
    model.ledger = {key: (4 if key[0] == "run_events" else 0) for key in model.ledger}
    model.insert(client)
    assert_fails(tailrace, client, model, "sent", "the run sent no message")


def test_unknown_run_names_the_nearest(tailrace: Tailrace, golden: Model) -> None:
    result = tailrace("audit", "goldne")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert golden.run_id in result.stderr
