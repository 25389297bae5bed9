# SPDX-License-Identifier: Apache-2.0
"""The query library's answers about a run with faults, each worked out in Python."""

import statistics
from collections import Counter, defaultdict
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import (
    BUCKET_ERROR,
    MEASURE_S,
    RATE,
    SECONDS,
    START_S,
    WARMUP_S,
    Message,
    Model,
    nearest_rank,
    second,
)
from lab.simulated.named_query import ask
from lab.simulated.traces import FAILURES, MEASURE_US, START_US, US, Faulty

Row = dict[str, Any]
PERCENTS = {"p50_us": 50, "p75_us": 75, "p90_us": 90, "p95_us": 95, "p99_us": 99, "p99_9_us": 99.9}


@pytest.fixture(scope="module")
def faulty(client: Client) -> Faulty:
    model = Faulty("faulty")
    model.insert(client)
    return model


def latencies(stage: str, m: Message) -> int:
    return {
        "publish": m.ack - m.intended,
        "publish_delay": m.delay,
        "publish_service": m.ack - m.intended - m.delay,
        "end_to_end": m.receive - m.intended,
    }[stage]


def check(row: Row, values: list[int]) -> None:
    assert row["events"] == len(values)
    for column, percent in PERCENTS.items():
        if column in row:
            assert row[column] == nearest_rank(values, percent), column
    assert row["max_us"] == max(values)


@pytest.mark.parametrize("stage", ["publish", "publish_delay", "publish_service", "end_to_end"])
@pytest.mark.parametrize("by", ["run", "second", "partition", "producer", "topic", "worker"])
@pytest.mark.parametrize("query", ["latency_by_group", "latency_by_group_bounded"])
def test_latency_by_any_group(client: Client, faulty: Faulty, query: str, stage: str, by: str) -> None:
    rows = ask(client, query, run_id=faulty.run_id, stage=stage, by=by)
    groups: dict[int, list[int]] = defaultdict(list)
    messages = faulty.published
    if stage == "end_to_end":
        messages = [*faulty.delivered, *faulty.second_group]
    for m in messages:
        if m.measured:
            zero = {"run": 0, "topic": 0, "worker": 0}
            member = zero | {"second": m.intended // US} | vars(m)
            groups[member[by]].append(latencies(stage, m))
    assert [row["member"] for row in rows] == sorted(groups)
    for row in rows:
        assert row["topic"] == (faulty.topic if by in ("topic", "partition") else "")
        check(row, groups[row["member"]])


def test_latency_of_one_group_in_a_window(client: Client, faulty: Faulty) -> None:
    window = {"by": "subscription", "from_s": "-1", "to_s": "2.5"}
    rows = ask(client, "latency_by_group", run_id=faulty.run_id, **window)
    low, high = MEASURE_US - US, MEASURE_US + 2_500_000
    for row, group in zip(rows, (0, 1), strict=True):
        check(row, [m.receive - m.intended for m in faulty.group(group) if low <= m.intended < high])


def test_latency_by_broker_reads_the_newest_seconds_that_hold_so_many(client: Client, golden: Model) -> None:
    for most_rows, seconds in ((3 * RATE, 3), (4 * RATE - 1, 3), (1, 1), (SECONDS * RATE, None)):
        rows = ask(client, "latency_by_broker", run_id=golden.run_id, most_rows=str(most_rows))
        due = [m for m in golden.delivered if m.measured]
        if seconds:
            due = [m for m in due if m.intended >= (START_S + SECONDS - seconds) * 1_000_000]
        (row,) = [row for row in rows if row["stage"] == "end_to_end"]
        assert row["events"] == len(due), most_rows
        assert row["max_us"] == max(m.receive - m.intended for m in due), most_rows


def test_latency_by_broker_follows_the_leader(client: Client, faulty: Faulty) -> None:
    rows = ask(client, "latency_by_broker", run_id=faulty.run_id)
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for m in faulty.published:
        if m.measured:
            groups["publish", faulty.broker(m.partition, m.ack)].append(m.ack - m.intended)
    for m in (*faulty.delivered, *faulty.second_group):
        if m.measured:
            broker = faulty.broker(m.partition, m.receive)
            groups["end_to_end", broker].append(m.receive - m.intended)
    assert {(row["stage"], row["broker"]) for row in rows} == set(groups)
    for row in rows:
        assert row["host"] == f"host-{row['broker']}"
        assert row["partitions"] == {1: 2, 2: 2, 3: 1}[row["broker"]]
        check(row, groups[row["stage"], row["broker"]])


def test_a_run_without_leaders_has_broker_minus_one(client: Client, golden: Model) -> None:
    rows = ask(client, "latency_by_broker", run_id=golden.run_id)
    assert [(row["stage"], row["broker"]) for row in rows] == [("publish", -1), ("end_to_end", -1)]
    check(rows[0], golden.measured("ack"))


def test_heatmap_holds_every_message_in_its_cell(client: Client, faulty: Faulty) -> None:
    heat = {"stage": "publish", "step_s": "5", "per_doubling": "4"}
    rows = ask(client, "latency_heatmap", run_id=faulty.run_id, **heat)
    assert sum(row["events"] for row in rows) == len(faulty.published)
    for row in rows:
        assert second(row) % 5 == 0
        start = START_US + second(row) * US
        # A message within 0.4 % of a border may lie on either side of it.
        near = [
            sum(
                start <= m.intended < start + 5 * US
                and row["low_us"] * low <= m.ack - m.intended < row["high_us"] * high
                for m in faulty.published
            )
            for low, high in ((1.004, 0.996), (0.996, 1.004))
        ]
        assert near[0] <= row["events"] <= near[1]


def test_slowest_messages_and_what_surrounded_them(client: Client, faulty: Faulty) -> None:
    rows = ask(client, "slowest_messages", run_id=faulty.run_id, first="5")
    received = [(g, m) for g in (0, 1) for m in faulty.group(g) if m.measured]
    received.sort(key=lambda p: (p[1].intended - p[1].receive, p[1].partition, p[1].offset, p[0]))
    assert len(rows) == 5
    for row, (group, m) in zip(rows, received, strict=False):
        assert (row["subscription"], row["partition"], row["offset"]) == (
            group,
            m.partition,
            m.offset,
        )
        assert row["end_to_end_us"] == m.receive - m.intended
        assert row["publish_delay_us"] == m.delay
        assert row["after_ack_us"] == m.receive - m.ack
        assert row["leader"] == faulty.broker(m.partition, m.receive)
        around = [
            n.receive - n.intended
            for n in faulty.group(group)
            if n.partition == m.partition and abs(n.offset - m.offset) <= 8
        ]
        assert (row["near_min_us"], row["near_max_us"]) == (min(around), max(around))
        s = m.intended // US
        due = [n.receive - n.intended for g in (0, 1) for n in faulty.group(g)]
        when = [n.intended // US for g in (0, 1) for n in faulty.group(g)]
        same = [us for us, at in zip(due, when, strict=True) if at == s]
        assert row["second_messages"] == len(same)
        assert row["second_p50_us"] == pytest.approx(nearest_rank(same, 50), rel=BUCKET_ERROR)
        starts = [("phase warmup", 0), ("phase measure", WARMUP_S), ("phase drain", SECONDS)]
        low, high = m.intended - 10 * US, m.receive
        assert row["events"] == [n for n, at in starts if low < START_US + at * US <= high]


def test_throughput_by_phase(client: Client, faulty: Faulty) -> None:
    rows = {row["phase"]: row for row in ask(client, "throughput_by_phase", run_id=faulty.run_id)}
    assert list(rows) == ["warmup", "measure", "drain"]
    row = rows["measure"]
    low, high = MEASURE_US, MEASURE_US + MEASURE_S * US
    acked = Counter(m.ack // US for m in faulty.published if low <= m.ack < high)
    got = [m for m in (*faulty.delivered, *faulty.second_group) if low <= m.receive < high]
    assert (row["seconds"], row["target_per_s"], row["due_per_s"]) == (MEASURE_S, RATE, RATE)
    assert row["acked_per_s"] == pytest.approx(acked.total() / MEASURE_S)
    assert row["received_per_s"] == pytest.approx(len(got) / MEASURE_S)
    assert row["achieved"] == pytest.approx(acked.total() / MEASURE_S / RATE)
    assert row["short_seconds"] == sum(n < 0.99 * RATE for n in acked.values())
    assert row["least_acked_per_s"] == min(acked.values())
    assert rows["drain"]["target_per_s"] is None
    given_up = sum(due + ms / 1000 < WARMUP_S for _, due, ms, _ in FAILURES)
    assert rows["warmup"]["failed_per_s"] == given_up / WARMUP_S


def test_schedule_lateness(client: Client, faulty: Faulty) -> None:
    rows = ask(client, "schedule_lateness", run_id=faulty.run_id, late_us="2000")
    assert [row["producer"] for row in rows] == [0, 1, 2]
    for row in rows:
        delays = [m.delay for m in faulty.published if m.measured and m.producer == row["producer"]]
        check(row, delays)
        late = sum(delay >= 2000 for delay in delays)
        assert (row["late"], row["late_share"]) == (late, pytest.approx(late / len(delays)))
        assert late > 0


def test_failures_by_class(client: Client, faulty: Faulty) -> None:
    metric = "kafka_broker_failed_produce_requests_total"
    samples = [(-1, 7), (1, 7), (5, 9), (6, 12), (7, 2)]  # 2 + 3, then a restart
    client.insert(
        "host_metrics",
        [
            [faulty.run_id, metric, "kafka", "host-1", "", {}, (START_S + s) * 1000, float(value)]
            for s, value in samples
        ],
    )
    rows = ask(client, "failures_by_class", run_id=faulty.run_id)
    found = {(r["source"], r["phase"], r["class"]): r for r in rows}
    assert {key: row["events"] for key, row in found.items()} == {
        ("producer", "warmup", "TimeoutException"): 1,
        ("producer", "measure", "TimeoutException"): 2,
        ("producer", "measure", "NotEnoughReplicasException"): 1,
        ("broker", "measure", "failed_produce_requests host-1"): 5,
    }
    row = found["producer", "measure", "TimeoutException"]
    assert (row["p50_ms"], row["max_ms"], row["partitions"]) == (
        statistics.median_high([2000, 3000]),
        3000,
        2,
    )
    sent = faulty.ledger["publishes", "sent", ""]
    assert row["share"] == pytest.approx(2 / sent)
    assert second({"time": row["first_time"]}) == 3


def test_delivery_faults(client: Client, faulty: Faulty) -> None:
    rows = ask(client, "delivery_faults", run_id=faulty.run_id)
    assert len(rows) == 8
    for row in rows:
        partition, group = row["partition"], row["subscription"]
        acked = Counter(m.offset for m in faulty.published if m.partition == partition)
        received = Counter(m.offset for m in faulty.group(group) if m.partition == partition)
        assert (row["acked"], row["received"]) == (acked.total(), received.total())
        assert row["missing"] == len(acked.keys() - received.keys())
        assert row["duplicates"] == received.total() - len(received)
        assert row["unacknowledged"] == len(received.keys() - acked.keys())
        assert row["acknowledged_twice"] == 0
    totals = {name: sum(row[name] for row in rows) for name in rows[0] if name != "topic"}
    assert (totals["missing"], totals["duplicates"], totals["unacknowledged"]) == (3, 2, 1)


def test_a_planned_group_that_received_nothing_misses_it_all(client: Client) -> None:
    model = Model("silent-group")
    model.delivered = []
    model.insert(client)
    rows = ask(client, "delivery_faults", run_id=model.run_id)
    assert [(row["missing"], row["received"]) for row in rows] == [(SECONDS * RATE // 2, 0)] * 2


def test_reordering(client: Client, faulty: Faulty) -> None:
    rows = {row["partition"]: row for row in ask(client, "reordering", run_id=faulty.run_id)}
    worst: dict[int, list[int]] = defaultdict(list)
    for partition, us in faulty.reordered:
        worst[partition].append(us)
    assert sum(row["messages"] for row in rows.values()) == len(faulty.published)
    for partition, row in rows.items():
        expected = worst.get(partition, [])
        assert (row["reordered"], row["worst_us"]) == (len(expected), max(expected, default=0))
