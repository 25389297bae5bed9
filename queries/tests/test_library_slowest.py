# SPDX-License-Identifier: Apache-2.0
"""``slowest_messages`` at its edges: it asks the rollup where to look, and must miss nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.named_query import ask

START_US = 1_768_471_200_000_000  # 2026-01-15 10:00:00 UTC
COLUMNS = (
    *("run_id", "worker", "subscription", "consumer", "producer", "topic", "partition", "offset"),
    *("intended_time", "receive_time", "payload_bytes"),
)
# (partition, offset, due in s, latency in µs)
Sent = tuple[int, int, float, int]
Found = list[dict[str, Any]]


@pytest.fixture
def slowest(client: Client) -> Callable[..., Found]:
    """``slowest("name", messages, first, measure=(from_s, to_s))``."""

    def get(run_id: str, sent: list[Sent], first: int, measure: tuple[float, float] | None) -> Found:
        rows = []
        for partition, offset, due_s, us in sent:
            due = START_US + round(due_s * 1_000_000)
            rows.append([run_id, 0, 0, 0, 0, "t", partition, offset, due, due + us, 100])
        client.insert("deliveries", rows, column_names=COLUMNS)
        marks = [("warmup", -1.0)]
        if measure:
            marks += [("measure", measure[0]), ("drain", measure[1])]
        client.insert(
            "run_events",
            [[run_id, 0, START_US + round(at * 1_000_000), "phase", name, ""] for name, at in marks],
        )
        return ask(client, "slowest_messages", run_id=run_id, first=str(first))

    return get


def test_a_phase_within_a_second(slowest: Callable[..., Found]) -> None:
    """Slower ones of the same second, due before the phase and after it, do not push others out."""
    before = [(0, n, 0.1 + n / 100, 900_000) for n in range(5)]
    inside = [(1, n, 0.3 + n / 100, 1_000 + n) for n in range(10)]
    after = [(2, n, 0.8 + n / 100, 900_000) for n in range(5)]
    rows = slowest("edge-brief", before + inside + after, 3, (0.25, 0.7))
    assert [row["end_to_end_us"] for row in rows] == [1_009, 1_008, 1_007]


def test_the_parts_of_seconds_at_both_ends(slowest: Callable[..., Found]) -> None:
    """The intended sends of the slowest are in the parts of a second that begin and end the phase."""
    middle = [(0, n, 1.0 + n / 10, 5_000 + n) for n in range(30)]
    ends = [(1, 0, 0.6, 80_000), (1, 1, 4.2, 90_000)]
    outside = [(2, 0, 0.4, 700_000), (2, 1, 4.6, 700_000)]
    rows = slowest("edge-ends", middle + ends + outside, 3, (0.5, 4.5))
    assert [row["end_to_end_us"] for row in rows] == [90_000, 80_000, 5_029]


def test_of_equals_the_first_by_place(slowest: Callable[..., Found]) -> None:
    sent = [(n % 3, n, n * 1.5, 20_000) for n in range(30)]
    rows = slowest("edge-equal", sent, 4, (0, 60))
    assert [(row["partition"], row["offset"]) for row in rows] == [(0, 0), (0, 3), (0, 6), (0, 9)]


def test_neighbours_are_those_received_within_ten_seconds(slowest: Callable[..., Found]) -> None:
    sent = [(0, 0, 1, 4_000), (0, 1, 2, 50_000), (0, 2, 9, 6_000), (0, 3, 30, 3_000)]
    (row,) = slowest("edge-near", sent, 1, (0, 60))
    assert (row["offset"], row["near_min_us"], row["near_max_us"]) == (1, 4_000, 50_000)


def test_clocks_that_differ(slowest: Callable[..., Found]) -> None:
    """All were received before their intended send: the least early one is the slowest."""
    sent = [(0, n, 1 + n, -1_000 * (n + 1)) for n in range(20)]
    rows = slowest("edge-early", sent, 2, (0, 60))
    assert [row["end_to_end_us"] for row in rows] == [-1_000, -2_000]


@pytest.mark.parametrize("measure", [None, (0.0, 0.0)])
def test_no_measure_phase(slowest: Callable[..., Found], measure: tuple[float, float] | None) -> None:
    name = "edge-none" if measure is None else "edge-empty"
    assert slowest(name, [(0, 0, 1, 1_000)], 5, measure) == []
