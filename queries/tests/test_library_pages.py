# SPDX-License-Identifier: Apache-2.0
"""Queries that the dashboards ask, in a window of a run, each worked out in Python."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, RATE, SECONDS, START_S, WARMUP_S, Message, Model, nearest_rank, second
from lab.simulated.named_query import ask
from lab.simulated.traces import START_US, US, Faulty

LOW, HIGH = 4, 13  # seconds of the run, both in the window


def moment(of_run: int) -> str:
    """A second of the run as a parameter."""
    return datetime.fromtimestamp(START_S + of_run, UTC).strftime("%Y-%m-%dT%H:%M:%S")


WINDOW = {"from": moment(LOW), "to": moment(HIGH)}


@pytest.fixture(scope="module")
def paged(client: Client) -> Faulty:
    model = Faulty("paged")
    model.insert(client)
    return model


def of_second(m: Message) -> int:
    return (m.intended - START_US) // US


def received(model: Faulty) -> list[Message]:
    return [*model.delivered, *model.second_group]


def about(value: int) -> Any:
    return pytest.approx(value, rel=BUCKET_ERROR, abs=1)


def test_latency_over_time_is_of_the_messages_due(client: Client, paged: Faulty) -> None:
    rows = ask(client, "latency_over_time", run_id=paged.run_id, point_s="5", **WINDOW)
    points: dict[int, list[int]] = defaultdict(list)
    for m in received(paged):
        if LOW <= of_second(m) <= HIGH:
            points[of_second(m) // 5 * 5].append(m.receive - m.intended)
    assert [second(row) for row in rows] == sorted(points)
    for row in rows:
        values = points[second(row)]
        assert row["events"] == len(values)
        for column, percent in {
            "p50_us": 50,
            "p99_us": 99,
            "p99_9_us": 99.9,
            "max_us": 100,
        }.items():
            assert row[column] == about(nearest_rank(values, percent)), column
    other = ask(client, "latency_over_time", run_id=paged.run_id, topic="another", **WINDOW)
    assert other == []


def test_cells_hold_every_message_below_their_end(client: Client, paged: Faulty) -> None:
    given = {"run_id": paged.run_id, "stage": "publish", "point_s": "60"}
    rows = ask(client, "latency_cells", **given)
    assert sum(row["events"] for row in rows) == len(paged.published)
    ends = [row["below_ms"] for row in rows]
    assert ends == sorted(ends, key=float)
    assert {len(end) for end in ends} == {12}
    upto = 0
    for row in rows:
        upto += row["events"]
        end = float(row["below_ms"]) * 1000
        below = [
            sum(m.ack - m.intended <= end * slack for m in paged.published)
            for slack in (1 - BUCKET_ERROR, 1 + BUCKET_ERROR)
        ]
        assert below[0] <= upto <= below[1]


def test_latency_of_brokers_follows_the_leader(client: Client, paged: Faulty) -> None:
    given = {"run_id": paged.run_id, "point_s": "2", **WINDOW}
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for m in paged.published:
        if LOW <= of_second(m) <= HIGH:
            broker = str(paged.broker(m.partition, m.ack))
            groups[of_second(m) // 2 * 2, broker].append(m.ack - m.intended)
    rows = ask(client, "broker_latency_over_time", **given)
    assert [(second(row), row["broker"]) for row in rows] == sorted(groups)
    assert {row["broker"] for row in rows} == {"1", "2", "3"}
    for row in rows:
        values = groups[second(row), row["broker"]]
        assert (row["events"], row["max_us"]) == (len(values), max(values))
        assert row["p99_us"] == nearest_rank(values, 99)
    one = ask(client, "broker_latency_over_time", broker="3", **given)
    assert one == [row for row in rows if row["broker"] == "3"]


def test_too_many_rows_leave_the_newest_seconds(client: Client, paged: Faulty) -> None:
    given = {"run_id": paged.run_id, **WINDOW}
    rows = ask(client, "broker_latency_over_time", most_rows=str(3 * RATE), **given)
    assert {second(row) for row in rows} == {HIGH - 2, HIGH - 1, HIGH}
    assert ask(client, "broker_latency_over_time", most_rows="1", **given) == []
    found = ask(client, "messages_in_window", most_rows="1", **given)
    assert found == []


def test_messages_of_a_window_slowest_first(client: Client, paged: Faulty) -> None:
    given = {"run_id": paged.run_id, "partition": "1", "first": "15", **WINDOW}
    rows = ask(client, "messages_in_window", **given)
    wanted = sorted(
        (m.intended - m.receive, m.offset, group)
        for group in (0, 1)
        for m in paged.group(group)
        if m.partition == 1 and LOW <= of_second(m) <= HIGH
    )
    found = [(-row["end_to_end_us"], row["offset"], row["subscription"]) for row in rows]
    assert found == wanted[:15]
    sent = {(m.partition, m.offset): m for m in paged.published}
    for row in rows:
        m = sent[row["partition"], row["offset"]]
        assert row["publish_delay_us"] == m.delay
        assert row["publish_latency_us"] == m.ack - m.intended
        assert row["after_ack_us"] == row["end_to_end_us"] - row["publish_latency_us"]


def test_topics_are_counted(client: Client, paged: Faulty) -> None:
    counts = {"acked": len(paged.published), "received": len(received(paged)), "failed": 4}
    assert ask(client, "run_topics", run_id=paged.run_id) == [{"topic": paged.topic, **counts}]


def test_brokers_are_those_of_manifest_and_leaders(client: Client, golden: Model, paged: Faulty) -> None:
    rows = ask(client, "run_brokers", run_id=paged.run_id)
    # The manifest knows broker 1 alone, and where its log is.
    assert [(row["broker"], row["host"], row["device"]) for row in rows] == [
        ("1", "localhost", "vda"),
        ("2", "host-2", ""),
        ("3", "host-3", ""),
    ]
    rows = ask(client, "run_brokers", run_id=golden.run_id)
    assert [row["broker"] for row in rows] == ["-1", "1"]
    assert ask(client, "run_brokers", run_id="nobody's") == []


def test_drives_of_brokers(client: Client, golden: Model) -> None:
    rows = ask(client, "broker_drive_per_second", run_id=golden.run_id, broker="1", **WINDOW)
    beside = {row["time"]: row for row in ask(client, "latency_beside_drive", run_id=golden.run_id)}
    # The sample of second 5 is missing: the one after it covers both.
    assert [second(row) for row in rows] == [s for s in range(LOW, HIGH + 1) if s != 5]
    for row in rows:
        for column in ("write_latency_ms", "flush_latency_ms", "queue_depth", "utilisation"):
            assert row[column] == beside[row["time"]][column], column
    assert ask(client, "broker_drive_per_second", run_id=golden.run_id, broker="2") == []


def test_a_drive_against_its_first_hour(client: Client, golden: Model) -> None:
    given = {"run_id": golden.run_id, "point_s": "3600"}
    (row,) = ask(client, "drive_against_first_hour", **given)
    drive = ask(client, "broker_drive_per_second", run_id=golden.run_id)
    # Ten writes in each second; those of the warm-up are not in the first hour.
    measured = [each["write_latency_ms"] for each in drive if second(each) >= WARMUP_S]
    assert row["first_hour_flush_ms"] == pytest.approx(3)
    assert row["flush_ratio"] == pytest.approx(1)
    assert row["write_ratio"] == pytest.approx(row["write_latency_ms"] / row["first_hour_write_ms"])
    assert min(measured) < row["first_hour_write_ms"] < max(measured)
    assert ask(client, "drive_against_first_hour", device="none", **given) == []


def test_the_head_states_what_a_page_cannot_show(client: Client, golden: Model) -> None:
    (row,) = ask(client, "run_state", run_id=golden.run_id)
    assert (row["state"], row["audit"], row["notes"]) == ("finished", "", "not audited")
    assert row["from_ms"] == START_S * 1000
    assert row["to_ms"] == (START_S + SECONDS + 2) * 1000
    (row,) = ask(client, "run_state", run_id="nobody's")
    assert (row["run_id"], row["notes"]) == ("nobody's", "no such run is stored")


@pytest.fixture
def sparse(client: Client) -> Iterator[str]:
    """A run that goes on, of which nothing else is known."""
    row = ["sparse", "w", "d", "running", START_S * US, 0, 1, 1, "", "", "", "", START_S * US]
    client.insert("runs", [row])
    yield "sparse"
    client.command("ALTER TABLE runs DELETE WHERE run_id = 'sparse'", settings={"mutations_sync": 2})


def test_the_head_of_a_run_that_goes_on(client: Client, sparse: str) -> None:
    (row,) = ask(client, "run_state", run_id=sparse)
    notes = row["notes"].split("; ")
    assert notes[0].startswith("still going")
    assert notes[1:] == [
        "no message is stored",
        "the measure phase never began",
        "the drives under the brokers are not known",
    ]
    assert row["from_ms"] == START_S * 1000 < row["to_ms"]


def test_marks_of_a_window(client: Client) -> None:
    labels = f'{{"end": {START_S + 9}, "severity": "warning", "labels": {{"host": "h"}}}}'
    model = Model("marked", events=[(7, "alert", "A", labels), (20, "rebalance", "assigned", "{}")])
    model.insert(client)
    rows = ask(client, "run_marks", run_id="marked", **WINDOW)
    assert [(row["title"], row["tags"]) for row in rows] == [
        ("phase measure", "phase"),
        ("A", "alert,warning"),
    ]
    assert [(second(row), int(row["timeEnd"].timestamp()) - START_S) for row in rows] == [
        (WARMUP_S, SECONDS),
        (7, 9),
    ]
    titles = Counter(row["title"] for row in ask(client, "run_marks", run_id="marked", kind="event"))
    assert titles == {"rebalance assigned": 1}
