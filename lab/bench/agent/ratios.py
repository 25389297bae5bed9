# SPDX-License-Identifier: Apache-2.0
"""The ratio of paired measurements, with its interval. Pure."""

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 10_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """``middle`` is the geometric mean of the pairs' ratios; 95 % of the resamples are between the other two."""

    middle: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.middle:.3f} [{self.least:.3f}, {self.most:.3f}]"


def paired(measured: Sequence[float], base: Sequence[float]) -> Ratio:
    """Of what was measured in pairs, at the same place of both. The bootstrap draws pairs."""
    logs = [math.log(one / other) for one, other in zip(measured, base, strict=True)]
    draw = random.Random(42)
    means = sorted(statistics.fmean(draw.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    tail = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    return Ratio(*(math.exp(each) for each in (statistics.fmean(logs), means[tail], means[-tail - 1])))
