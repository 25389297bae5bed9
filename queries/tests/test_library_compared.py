# SPDX-License-Identifier: Apache-2.0
"""Queries about several runs, and those that alerts ask, each worked out in Python."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, MEASURE_S, RATE, START_S, WARMUP_S, Message, Model, nearest_rank
from lab.simulated.named_query import ask

YEARS_AFTER_S = 40 * 365 * 86_400
MEASURED_S = START_S + WARMUP_S


class Late(Model):
    """The newest run by far: 20 ms slower, and its audit failed."""

    def __init__(self) -> None:
        super().__init__("late", started_s=START_S + YEARS_AFTER_S)
        self.published = [shifted(m) for m in self.published]
        self.delivered = [shifted(m) for m in self.delivered]

    def _run(self) -> list[Any]:
        lost = {"check": "lost", "where": "worker 0", "expected": 0, "actual": 3, "text": "3 lost"}
        audit = {"verdict": "fail", "failures": [lost], "notes": ["one thing"]}
        manifest = {"plan": {"varied": {"batch.size": 1}}}
        row = super()._run()
        return [*row[:10], json.dumps(manifest), json.dumps(audit), row[12]]


@pytest.fixture(scope="module")
def late(client: Client) -> Iterator[Model]:
    model = Late()
    model.insert(client)
    yield model
    client.command("ALTER TABLE runs DELETE WHERE run_id = 'late'", settings={"mutations_sync": 2})


def shifted(m: Message) -> Message:
    return Message(**{**vars(m), "ack": m.ack + 20_000, "receive": m.receive + 20_000})


def test_runs_are_called_by_what_they_varied(client: Client) -> None:
    points = {
        "point-a": ("1 KB", 0),
        "point-b": ("1 KB", 1),
        "point-c": ("1 KB", 1),
        "alone": ("", 0),
    }
    for run_id, (size, repeat) in points.items():
        manifest = {"plan": {"varied": {"messageSize": size, "linger.ms": 5}}} if size else {}
        manifest["campaign"] = {"name": "sweep", "repeat": repeat}
        row = Model(run_id)._run()
        client.insert("runs", [[*row[:10], json.dumps(manifest), row[11], row[12]]])
    rows = ask(client, "runs_compared", runs=",".join(points))
    assert {row["run_id"]: row["label"] for row in rows} == {
        "point-a": "messageSize 1 KB, linger.ms 5",
        "point-b": "messageSize 1 KB, linger.ms 5, repeat 1 · point-b",
        "point-c": "messageSize 1 KB, linger.ms 5, repeat 1 · point-c",
        "alone": "alone",
    }


def test_runs_side_by_side(client: Client, golden: Model, late: Model) -> None:
    runs = f"{late.run_id},{golden.run_id},nobody's"
    rows = ask(client, "runs_compared", runs=runs, stage="publish")
    assert [row["run_id"] for row in rows] == [golden.run_id, late.run_id]
    for row, model in zip(rows, (golden, late), strict=True):
        values = model.measured("ack")
        assert row["events"] == len(values) == MEASURE_S * RATE
        assert row["acked_per_s"] == pytest.approx(RATE, rel=0.02)
        for column, percent in {"p50_us": 50, "p99_us": 99, "max_us": 100}.items():
            expected = nearest_rank(values, percent)
            assert row[column] == pytest.approx(expected, rel=BUCKET_ERROR, abs=1), column
    assert [row["target_per_s"] for row in rows] == [RATE, None]
    assert [row["varied"] for row in rows] == ["{}", '{"batch.size":1}']
    assert [row["label"] for row in rows] == [golden.run_id, "batch.size 1"]
    assert [row["audit"] for row in rows] == ["", "fail"]


def test_runs_over_the_time_since_they_began(client: Client, golden: Model, late: Model) -> None:
    begin = datetime(2026, 2, 1, tzinfo=UTC)
    rows = ask(
        client,
        "runs_over_time",
        runs=f"{golden.run_id},{late.run_id}",
        stage="publish",
        point_s="5",
        **{"from": begin.strftime("%Y-%m-%dT%H:%M:%S")},
    )
    points: dict[tuple[int, str], list[int]] = defaultdict(list)
    for model in (golden, late):
        for m in model.published:
            if m.measured:
                since = m.intended // 1_000_000 - MEASURED_S
                points[since // 5 * 5, model.run_id].append(m.ack - m.intended)
    found = [(int((row["time"] - begin).total_seconds()), row["run_id"]) for row in rows]
    assert found == sorted(points)
    for row, place in zip(rows, found, strict=True):
        assert row["events"] == len(points[place])
        expected = nearest_rank(points[place], 99)
        assert row["p99_us"] == pytest.approx(expected, rel=BUCKET_ERROR, abs=1)


def test_the_newest_run_is_found(client: Client, late: Model) -> None:
    # Other tests store a refused run of the year 2100.
    rows = ask(client, "newest_run_latency", point_s="5", to="2070-01-01T00:00:00")
    assert {row["run_id"] for row in rows} == {late.run_id}
    assert sum(row["events"] for row in rows) == MEASURE_S * RATE
    assert all(21 <= row["p50_ms"] <= 22 for row in rows)
    before = datetime.fromtimestamp(START_S - 1, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    assert ask(client, "newest_run_latency", to=before) == []


def test_audits_are_counted_and_listed(client: Client, golden: Model, late: Model) -> None:
    newest = ask(client, "audits_of_newest_runs", limit="1")
    assert [(row["run_id"], row["failures"]) for row in newest] == [(late.run_id, 1)]
    rows = ask(client, "audit_findings", run_id=late.run_id)
    assert [(row["kind"], row["text"]) for row in rows] == [
        ("verdict", "fail"),
        ("failure", "3 lost"),
        ("note", "one thing"),
    ]
    assert (rows[1]["check"], rows[1]["place"], rows[1]["expected"], rows[1]["actual"]) == (
        *("lost", "worker 0"),
        *(0, 3),
    )
    (row,) = ask(client, "audit_findings", run_id=golden.run_id)
    assert (row["kind"], row["text"]) == ("verdict", "never audited")
    (row,) = ask(client, "audit_findings", run_id="nobody's")
    assert row["text"] == "no such run is stored"
