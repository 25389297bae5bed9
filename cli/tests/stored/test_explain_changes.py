# SPDX-License-Identifier: Apache-2.0
"""Steps and trends in series of points: 36 hours of minutes."""

import math
import random
from collections.abc import Callable

import pytest

from tailrace.explain.changes import Change, changes, turning_point

POINTS = 36 * 60
SEEDS = range(6)


def points(level: Callable[[int], float], seed: int, noise: float = 0.1) -> list[float]:
    """Values around ``level(minute)``, each minute correlated with the one before."""
    dice = random.Random(seed)
    values, drawn = [], 0.0
    for minute in range(POINTS):
        drawn = 0.3 * drawn + dice.gauss(0, noise)
        values.append(level(minute) * math.exp(drawn))
    return values


def found(level: Callable[[int], float], seed: int, noise: float = 0.1) -> list[Change]:
    return changes(points(level, seed, noise), floor=0.05)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.03, 0.1, 0.3])
def test_noise_is_no_change(seed: int, noise: float) -> None:
    assert found(lambda _: 20, seed, noise) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ratio", [0.5, 1.5, 3])
def test_a_step(seed: int, ratio: float) -> None:
    (step,) = found(lambda minute: 20 * ratio if minute >= 720 else 20, seed)
    assert step.kind == "step"
    assert step.at == pytest.approx(720, abs=3)
    assert step.after / step.before == pytest.approx(ratio, rel=0.15)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slowdown_that_ends_is_two_steps(seed: int) -> None:
    up, down = found(lambda minute: 60 if 720 <= minute < 1200 else 20, seed)
    assert (up.at, down.at) == (pytest.approx(720, abs=3), pytest.approx(1200, abs=3))
    assert up.after > up.before
    assert down.after < down.before


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ratio", [0.6, 1.4, 2.5])
def test_a_drift_is_a_trend(seed: int, ratio: float) -> None:
    (trend,) = found(lambda minute: 20 * ratio ** (minute / POINTS), seed)
    assert trend.kind == "trend"
    assert trend.after / trend.before == pytest.approx(ratio, rel=0.15)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("swing", [0.1, 0.3, 0.5])
def test_a_daily_cycle_is_no_change(seed: int, swing: float) -> None:
    assert found(lambda minute: 20 * (1 + swing * math.sin(minute / 1440 * 2 * math.pi)), seed) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_short_stalls_are_no_change(seed: int) -> None:
    assert found(lambda minute: 900 if minute % 500 in (100, 101, 102) else 20, seed) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_over_a_drift_is_both(seed: int) -> None:
    step, trend = found(lambda minute: (40 if minute >= 700 else 20) * 1.6 ** (minute / POINTS), seed)
    assert (step.kind, trend.kind) == ("step", "trend")
    assert step.at == pytest.approx(700, abs=3)
    assert trend.after / trend.before == pytest.approx(1.6, rel=0.2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_signal_that_begins_is_a_step(seed: int) -> None:
    """Retention: no discards, then some."""
    dice = random.Random(seed)
    values = [0.0 if n < 1230 else 20 + dice.random() for n in range(POINTS)]
    (step,) = changes(values, floor=1.0)
    assert (step.kind, step.before) == ("step", 0)
    assert step.at == pytest.approx(1230, abs=2)


def test_too_few_points_have_no_changes() -> None:
    assert changes([1.0] * 10 + [9.0] * 10, floor=0.05) == []


def test_the_turning_point() -> None:
    dice = random.Random(4)
    values = [(1 if n < 640 else 2) * dice.uniform(0.8, 1.2) for n in range(1200)]
    assert turning_point(values, 0.05) == pytest.approx(640, abs=2)


def test_a_disturbed_minute_at_the_start_is_no_step() -> None:
    dice = random.Random(4)
    values = [(9 if n < 7 else 1) * dice.uniform(0.9, 1.1) for n in range(360)]
    assert changes(values, floor=0.05) == []
