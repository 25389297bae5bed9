# SPDX-License-Identifier: Apache-2.0
"""Queries that judge a curve: the knee of a ramp, steps over time, two runs against each other."""

import random
import statistics
from collections import Counter
from collections.abc import Callable

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, nearest_rank, second
from lab.simulated.named_query import ask
from lab.simulated.traces import START_US, US, Trace

STEP_S = 5


def ramp(run_id: str, rates: list[int], latency_us: Callable[[int], int]) -> Trace:
    """``STEP_S`` seconds at each rate; all messages of a step take ``latency_us(rate)``."""
    messages = []
    for step, rate in enumerate(rates):
        start = START_US + step * STEP_S * US
        due = [start + n * US // rate for n in range(rate * STEP_S)]
        messages += [(at, latency_us(rate)) for at in due]
    return Trace(run_id, messages)


def test_the_knee_of_a_ramp(client: Client) -> None:
    rates = list(range(20, 220, 20))
    # Flat to 140 a second, then ten times as slow with each step.
    trace = ramp("ramp", rates, lambda rate: int(1000 * 10 ** max(0, (rate - 140) / 20)))
    trace.insert(client)
    rows = ask(client, "ramp_knee", run_id=trace.run_id, step_s=str(STEP_S))
    assert [row["due_per_s"] for row in rows] == rates
    assert [second({"time": row["start_time"]}) for row in rows] == [STEP_S * n for n in range(len(rates))]
    for row, rate in zip(rows, rates, strict=True):
        expected = int(1000 * 10 ** max(0, (rate - 140) / 20))
        assert row["latency_us"] == pytest.approx(expected, rel=BUCKET_ERROR)
        # Flat to (140 - 20) / 180 of the rates, the height being three powers of ten.
        bend = (rate - 20) / 180 - max(0, (rate - 140) / 60)
        assert row["bend"] == pytest.approx(bend, abs=0.005)
    assert [row["due_per_s"] for row in rows if row["knee"]] == [140]


@pytest.mark.parametrize(
    ("run_id", "rates", "latency_us"),
    [
        ("flat", [20, 40, 60, 80], lambda rate: 1000),
        ("steady", [50, 50, 50, 50], lambda rate: 1000),
        ("even", [20, 40, 60, 80], lambda rate: int(1000 * 2 ** (rate / 20))),
    ],
)
def test_no_knee_where_nothing_bends(
    client: Client, run_id: str, rates: list[int], latency_us: Callable[[int], int]
) -> None:
    trace = ramp(run_id, rates, latency_us)
    trace.insert(client)
    rows = ask(client, "ramp_knee", run_id=trace.run_id, step_s=str(STEP_S))
    assert len(rows) == 4
    assert [row["knee"] for row in rows] == [0] * 4


def constant(run_id: str, rates: list[int], latency_us: Callable[[int], int]) -> Trace:
    """One second at each rate, begun 0.9 s after a full second; ``latency_us`` of the second."""
    begun = START_US + 900_000
    messages = [(begun + s * US + n * US // rate, latency_us(s)) for s, rate in enumerate(rates) for n in range(rate)]
    return Trace(run_id, messages, begun, begun + len(rates) * US)


def test_steps_that_are_not_whole_are_left_out(client: Client) -> None:
    # 0.1 s, three steps, 2.9 s.
    trace = constant("partial", [50] * 18, lambda s: 9000 if s < 5 else 1000 if s < 12 else 900)
    trace.insert(client)
    rows = ask(client, "ramp_knee", run_id=trace.run_id, step_s=str(STEP_S))
    assert [second({"time": row["start_time"]}) for row in rows] == [1, 6, 11]
    assert [(row["seconds"], row["due_per_s"]) for row in rows] == [(STEP_S, 50)] * 3
    assert [row["knee"] for row in rows] == [0] * 3


@pytest.mark.parametrize(
    ("run_id", "rates", "least_rise", "knees"),
    [
        # As much as the rate of a steady load sways.
        ("sways", [48] * 6 + [50] * 5 + [52] * 5, "0.2", 0),
        ("sways-little", [48] * 6 + [50] * 5 + [52] * 5, "0.05", 1),
        ("breaks-down", [60] * 6 + [50] * 5 + [30] * 5, "0.2", 0),
    ],
)
def test_a_knee_needs_a_rate_that_rises(
    client: Client, run_id: str, rates: list[int], least_rise: str, knees: int
) -> None:
    trace = constant(run_id, rates, lambda s: 1000 if s < 11 else 4000)
    trace.insert(client)
    given = {"step_s": str(STEP_S), "least_rise": least_rise}
    rows = ask(client, "ramp_knee", run_id=trace.run_id, **given)
    assert len(rows) == 3
    assert sum(row["knee"] for row in rows) == knees


def levels(run_id: str, minutes: int, level: Callable[[int], float]) -> Trace:
    """Six messages a second for ``minutes``; point n (10 s) lies around ``level(n)`` µs."""
    dice = random.Random(3)
    return Trace(
        run_id,
        [(START_US + n * US // 6, int(level(n // 60) * dice.uniform(0.9, 1.1))) for n in range(minutes * 360)],
    )


def test_steps_are_found_and_bursts_are_not(client: Client) -> None:
    def level(point: int) -> float:
        burst = 10 if 75 <= point < 78 else 1
        return burst * (2000 if point < 30 else 3000 if point < 100 else 1500)

    trace = levels("steps", 24, level)
    trace.insert(client)
    asked = {"percentile": "50", "point_s": "10", "around": "12"}
    rows = ask(client, "latency_steps", run_id=trace.run_id, **asked)
    assert [second(row) for row in rows] == [300, 1000]
    us = {n: [m for at, m in trace.messages if (at - START_US) // (10 * US) == n] for n in range(144)}
    for row, at in zip(rows, (30, 100), strict=True):
        medians = [nearest_rank(us[n], 50) for n in range(at - 12, at + 13)]
        # The upper one of two middle values, as the engine takes it.
        before, after = statistics.median_high(medians[:12]), statistics.median_high(medians[12:])
        assert row["before_us"] == pytest.approx(before, rel=BUCKET_ERROR)
        assert row["after_us"] == pytest.approx(after, rel=BUCKET_ERROR)
        assert row["ratio"] == pytest.approx(after / before, rel=3 * BUCKET_ERROR)


def test_a_level_run_has_no_steps(client: Client) -> None:
    trace = levels("level", 10, lambda _point: 2000)
    trace.insert(client)
    asked = {"point_s": "10", "around": "12"}
    assert ask(client, "latency_steps", run_id=trace.run_id, **asked) == []


def bursty(run_id: str, seed: int, factor: float, seconds: int = 120) -> Trace:
    """Twenty messages a second; a second as a whole is fast or slow, as in a real system."""
    dice = random.Random(seed)
    messages = []
    for s in range(seconds):
        slow = dice.lognormvariate(0, 0.25)
        for n in range(20):
            us = int(factor * slow * dice.lognormvariate(8, 0.3))
            messages.append((START_US + s * US + n * 50_000, us))
    return Trace(run_id, messages)


def bootstrap(run: Trace, baseline: Trace, percent: float, block_s: int) -> tuple[float, float]:
    """Middle 95 % of the differences when blocks of seconds are drawn with replacement."""
    dice = random.Random(99)
    sides = []
    for trace in (run, baseline):
        blocks: dict[int, list[int]] = {}
        for due, us in trace.messages:
            blocks.setdefault((due - START_US) // (block_s * US), []).append(us)
        sides.append(list(blocks.values()))
    draws = []
    for _ in range(400):
        drawn = [[us for b in dice.choices(side, k=len(side)) for us in b] for side in sides]
        draws.append(nearest_rank(drawn[0], percent) - nearest_rank(drawn[1], percent))
    cuts = statistics.quantiles(draws, n=40, method="inclusive")
    return cuts[0], cuts[-1]


def test_ab_difference_agrees_with_a_bootstrap_in_python(client: Client) -> None:
    run, baseline = bursty("ab-run", 1, 1.25), bursty("ab-base", 2, 1)
    run.insert(client)
    baseline.insert(client)
    given = {"run_id": run.run_id, "baseline": baseline.run_id, "block_s": "3"}
    rows = {row["percentile"]: row for row in ask(client, "ab_difference", **given)}
    assert list(rows) == [50, 90, 95, 99, 99.9, 99.99]
    for percent in (50, 90, 95, 99):
        row = rows[percent]
        was, now = (nearest_rank([us for _, us in t.messages], percent) for t in (baseline, run))
        assert row["baseline_us"] == pytest.approx(was, rel=BUCKET_ERROR)
        assert row["run_us"] == pytest.approx(now, rel=BUCKET_ERROR)
        assert row["difference_us"] == row["run_us"] - row["baseline_us"]
        assert row["difference_percent"] == pytest.approx(100 * row["difference_us"] / row["baseline_us"])
        assert row["blocks"] == 80
        low, high = bootstrap(run, baseline, percent, 3)
        # Two bootstraps of other dice and draws: their ends lie within a fifth of the width.
        near = (high - low) / 5 + 0.008 * now
        assert row["low_us"] == pytest.approx(low, abs=near)
        assert row["high_us"] == pytest.approx(high, abs=near)
        assert row["low_us"] <= row["difference_us"] <= row["high_us"]
    assert rows[50]["distinct"] == 1
    assert ask(client, "ab_difference", **given) == list(rows.values())
    other = ask(client, "ab_difference", **given, seed="7")
    assert other[0]["low_us"] != rows[50]["low_us"]
    assert other[0]["difference_us"] == rows[50]["difference_us"]


def test_runs_of_one_kind_are_seldom_distinct(client: Client) -> None:
    traces = [bursty(f"ab-same-{seed}", 100 + seed, 1, seconds=60) for seed in range(12)]
    for trace in traces:
        trace.insert(client)
    verdicts = Counter(
        ask(client, "ab_difference", run_id=a.run_id, baseline=b.run_id, block_s="1")[0]["distinct"]
        for a, b in zip(traces[::2], traces[1::2], strict=True)
    )
    # Each of six is distinct by chance once in twenty; three or more would be once in 500.
    assert verdicts[1] <= 2
