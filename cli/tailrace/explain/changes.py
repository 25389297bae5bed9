# SPDX-License-Identifier: Apache-2.0
"""Steps and trends in one series of points. ruptures finds candidates; this module tests them.

All arithmetic is on logarithms: twice the latency is the same change at 0.1 ms as at 10 ms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import ruptures
from numpy.typing import NDArray
from scipy.stats import kendalltau, theilslopes

Values = NDArray[np.float64]

# A step goes from one level to another within a few points. Its least ratio, and its least height in
# spreads of the points on either side.
STEP_RATIO = 1.2
STEP_SPREADS = 4
# Points compared on either side of a step; also the fewest points of a level.
BESIDE = 20
# By how many points the index of a step may be wrong.
NEAR = 3
# Penalty for each added level, in units of noise: high, because neighbouring points are correlated.
PENALTY = 12
# A trend is monotone over the whole run, which excludes daily cycles.
TREND_RATIO = 1.2
TREND_TAU = 0.75
TREND_POINTS = 30


@dataclass(frozen=True)
class Change:
    """``kind``: step or trend; ``at``: index of a step's first point on the new level, 0 for a trend."""

    kind: str
    at: int
    before: float
    after: float


def changes(values: Sequence[float], floor: float, places: Sequence[int] | None = None) -> list[Change]:
    """Steps in order, then the trend, if any. ``floor`` is added before the logarithm.

    ``places``: the point number of each value, for a series with missing points.
    """
    if len(values) < 2 * BESIDE:
        return []
    logs = np.log(np.maximum(np.asarray(values, dtype=float), 0) + floor)
    known = np.arange(len(values)) if places is None else np.asarray(places)
    found = _steps(logs, known)
    level = logs.copy()
    for at, jump in found:
        level[at:] -= jump
    result = [Change("step", at, *_levels(logs, at, floor)) for at, _ in found]
    trend = _trend(level)
    if trend is not None:
        base = math.exp(float(np.median(level[: max(1, len(level) // 20)]))) - floor
        result.append(Change("trend", 0, base, (base + floor) * math.exp(trend) - floor))
    return result


def _steps(logs: Values, places: NDArray[np.int64]) -> list[tuple[int, float]]:
    """(index, jump) of each step. Neighbouring steps in the same direction count as one."""
    smooth = _smooth(logs)
    noise = max(_noise(logs), 0.01)
    model = ruptures.KernelCPD(kernel="linear", min_size=BESIDE // 2)
    points = (smooth / noise).reshape(-1, 1)
    ends = model.fit(points).predict(pen=PENALTY * math.log(len(logs)))
    steps: list[tuple[int, float]] = []
    for at in ends[:-1]:
        left, right = logs[max(0, at - BESIDE) : at], logs[at : at + BESIDE]
        if min(len(left), len(right)) < BESIDE:
            # Near the ends of the run, a short disturbance would be half of a level.
            continue
        jump = float(np.median(right) - np.median(left))
        spread = 1.4826 * float(np.median(np.abs(np.concatenate([left - np.median(left), right - np.median(right)]))))
        # A median of twenty points has a quarter of the spread of one point.
        least = max(math.log(STEP_RATIO), STEP_SPREADS * spread / 4)
        # The jump must remain without the slope of both sides: the steepest part of a cycle is no
        # step. Missing points are assumed to follow that slope.
        drift = _drift(logs, at) * (1 + _missing(places, at) / BESIDE)
        if min(abs(jump), abs(jump - drift)) < least:
            continue
        if steps and at - steps[-1][0] < BESIDE and steps[-1][1] * jump > 0:
            # The weaker neighbour has points of both levels among its twenty.
            steps[-1] = max(steps[-1], (int(at), jump), key=lambda step: abs(step[1]))
        else:
            steps.append((int(at), jump))
    return steps


def _missing(places: NDArray[np.int64], at: int) -> int:
    """Points without a value that the step may lie in."""
    near = places[max(0, at - NEAR - 1) : at + NEAR + 1]
    return int(near[-1] - near[0]) - (len(near) - 1)


def _drift(logs: Values, at: int) -> float:
    """The mean rise of both sides of a step within ``BESIDE`` points, apart from the step."""
    sides = (logs[max(0, at - 3 * BESIDE) : at], logs[at : at + 3 * BESIDE])
    slopes = [
        (np.median(side[-BESIDE:]) - np.median(side[:BESIDE])) / (len(side) - BESIDE)
        for side in sides
        if len(side) >= 2 * BESIDE
    ]
    return BESIDE * float(np.mean(slopes)) if slopes else 0.0


def _smooth(logs: Values) -> Values:
    """Medians of five points, which remove bursts and keep steps in place."""
    padded = np.pad(logs, 2, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)


def _noise(logs: Values) -> float:
    """Spread between neighbouring points; steps and drifts do not widen it."""
    return 1.4826 * float(np.median(np.abs(np.diff(logs)))) / math.sqrt(2)


def _levels(logs: Values, at: int, floor: float) -> tuple[float, float]:
    left, right = logs[max(0, at - BESIDE) : at], logs[at : at + BESIDE]
    return (math.exp(float(np.median(left))) - floor, math.exp(float(np.median(right))) - floor)


def _trend(level: Values) -> float | None:
    """Logarithm of the growth over the whole series; None if there is no trend."""
    parts = np.array_split(level, TREND_POINTS)
    medians = np.array([np.median(part) for part in parts])
    slope = float(theilslopes(medians)[0]) * (len(medians) - 1)
    tau = float(kendalltau(np.arange(len(medians)), medians)[0])
    if abs(slope) < math.log(TREND_RATIO) or not abs(tau) >= TREND_TAU:
        return None
    return slope


def turning_point(values: Sequence[float], floor: float) -> int:
    """Index of the step in a series with one step."""
    logs = _smooth(np.log(np.maximum(np.asarray(values, dtype=float), 0) + floor))
    model = ruptures.KernelCPD(kernel="linear", min_size=2)
    return int(model.fit(logs.reshape(-1, 1)).predict(n_bkps=1)[0])
