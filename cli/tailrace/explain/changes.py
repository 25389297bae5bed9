# SPDX-License-Identifier: Apache-2.0
"""Steps and trends in one series of points; ruptures finds where, this judges what.

Everything in logarithms: a drive that takes twice as long is as much of a change at 0.1 ms as at
10 ms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import ruptures
from numpy.typing import NDArray
from scipy.stats import kendalltau, theilslopes

Values = NDArray[np.float64]

# A step: from one level to another that lasts, within a few points.
STEP_RATIO = 1.2
# In spreads of the points beside it.
STEP_SPREADS = 4
# Points beside a step that are compared, and the fewest of a level.
BESIDE = 20
# So many points off may the place of a step be.
NEAR = 3
# What one more level costs, in noise: high, because points resemble their neighbours.
PENALTY = 12
# A trend: monotone over the whole run, as a day's rhythm is not.
TREND_RATIO = 1.2
TREND_TAU = 0.75
TREND_POINTS = 30


@dataclass(frozen=True)
class Change:
    """``kind``: step or trend; ``at``: index of the first point of the new level, of a trend 0."""

    kind: str
    at: int
    before: float
    after: float


def changes(values: Sequence[float], floor: float, places: Sequence[int] | None = None) -> list[Change]:
    """Steps in order, then the trend if there is one. ``floor`` is added before the logarithm.

    ``places``: the number of each value's point, of a series in which points are missing.
    """
    if len(values) < 2 * BESIDE:
        return []
    logs = np.log(np.maximum(np.asarray(values, dtype=float), 0) + floor)
    known = np.arange(len(values)) if places is None else np.asarray(places)
    found = _steps(logs, known)
    level = logs.copy()
    for at, jump in found:
        level[at:] -= jump
    told = [Change("step", at, *_levels(logs, at, floor)) for at, _ in found]
    trend = _trend(level)
    if trend is not None:
        base = math.exp(float(np.median(level[: max(1, len(level) // 20)]))) - floor
        told.append(Change("trend", 0, base, (base + floor) * math.exp(trend) - floor))
    return told


def _steps(logs: Values, places: NDArray[np.int64]) -> list[tuple[int, float]]:
    """(index, jump) of each step; neighbours in the same direction are one."""
    smooth = _smooth(logs)
    noise = max(_noise(logs), 0.01)
    model = ruptures.KernelCPD(kernel="linear", min_size=BESIDE // 2)
    points = (smooth / noise).reshape(-1, 1)
    ends = model.fit(points).predict(pen=PENALTY * math.log(len(logs)))
    steps: list[tuple[int, float]] = []
    for at in ends[:-1]:
        left, right = logs[max(0, at - BESIDE) : at], logs[at : at + BESIDE]
        if min(len(left), len(right)) < BESIDE:
            # At the ends of the run a minute of something else would be half of a level.
            continue
        jump = float(np.median(right) - np.median(left))
        spread = 1.4826 * float(np.median(np.abs(np.concatenate([left - np.median(left), right - np.median(right)]))))
        # The spread of a median of twenty points is a quarter of that of one.
        least = max(math.log(STEP_RATIO), STEP_SPREADS * spread / 4)
        # Also without what both sides rise by themselves: the steepest part of a rhythm is no step.
        # What nobody measured rises as they do.
        drift = _drift(logs, at) * (1 + _missing(places, at) / BESIDE)
        if min(abs(jump), abs(jump - drift)) < least:
            continue
        if steps and at - steps[-1][0] < BESIDE and steps[-1][1] * jump > 0:
            # The one beside it has some of both levels in its twenty points.
            steps[-1] = max(steps[-1], (int(at), jump), key=lambda step: abs(step[1]))
        else:
            steps.append((int(at), jump))
    return steps


def _missing(places: NDArray[np.int64], at: int) -> int:
    """Points without a value that the step may lie in."""
    near = places[max(0, at - NEAR - 1) : at + NEAR + 1]
    return int(near[-1] - near[0]) - (len(near) - 1)


def _drift(logs: Values, at: int) -> float:
    """By how much both sides of a step rise within ``BESIDE`` points without it, on average."""
    sides = (logs[max(0, at - 3 * BESIDE) : at], logs[at : at + 3 * BESIDE])
    slopes = [
        (np.median(side[-BESIDE:]) - np.median(side[:BESIDE])) / (len(side) - BESIDE)
        for side in sides
        if len(side) >= 2 * BESIDE
    ]
    return BESIDE * float(np.mean(slopes)) if slopes else 0.0


def _smooth(logs: Values) -> Values:
    """Medians of five points: bursts go, steps stay where they are."""
    padded = np.pad(logs, 2, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)


def _noise(logs: Values) -> float:
    """Spread from one point to the next, which neither steps nor drifts widen."""
    return 1.4826 * float(np.median(np.abs(np.diff(logs)))) / math.sqrt(2)


def _levels(logs: Values, at: int, floor: float) -> tuple[float, float]:
    left, right = logs[max(0, at - BESIDE) : at], logs[at : at + BESIDE]
    return (
        math.exp(float(np.median(left))) - floor,
        math.exp(float(np.median(right))) - floor,
    )


def _trend(level: Values) -> float | None:
    """Logarithm of the growth over the whole series; None where it is no trend."""
    parts = np.array_split(level, TREND_POINTS)
    medians = np.array([np.median(part) for part in parts])
    slope = float(theilslopes(medians)[0]) * (len(medians) - 1)
    tau = float(kendalltau(np.arange(len(medians)), medians)[0])
    if abs(slope) < math.log(TREND_RATIO) or not abs(tau) >= TREND_TAU:
        return None
    return slope


def turning_point(values: Sequence[float], floor: float) -> int:
    """Index at which a series that has one step takes it."""
    logs = _smooth(np.log(np.maximum(np.asarray(values, dtype=float), 0) + floor))
    model = ruptures.KernelCPD(kernel="linear", min_size=2)
    return int(model.fit(logs.reshape(-1, 1)).predict(n_bkps=1)[0])
