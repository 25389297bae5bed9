# SPDX-License-Identifier: Apache-2.0
"""Whether a series moves: the same test that the load generator ends a warm-up by (docs/METHODOLOGY.md)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt
from statistics import median

# A trend this far from 0 occurs by chance in 1 of 100 series without one.
SIGNIFICANT_Z = 2.576
# Fewer values cannot show a trend of that significance with any certainty.
FEWEST = 10


@dataclass(frozen=True)
class Trend:
    """``z`` of the Mann–Kendall test, and the medians of the series' first and second half."""

    z: float
    first: float
    second: float

    @property
    def change(self) -> float:
        """From the first half to the second, as a share of the first."""
        if self.first:
            return (self.second - self.first) / self.first
        return inf if self.second else 0.0

    def moves(self, share: float) -> bool:
        """Whether the trend is significant and changes the median by more than ``share``."""
        return abs(self.z) > SIGNIFICANT_Z and abs(self.change) > share


def trend(values: Sequence[float]) -> Trend:
    """Mann–Kendall with the variance of ties; of two values or more."""
    n = len(values)
    s = sum((later > earlier) - (later < earlier) for at, later in enumerate(values) for earlier in values[:at])
    ties = sum(t * (t - 1) * (2 * t + 5) for t in Counter(values).values())
    variance = (n * (n - 1) * (2 * n + 5) - ties) / 18
    z = (s - copysign(1, s)) / sqrt(variance) if s and variance > 0 else 0.0
    return Trend(z, median(values[: n // 2]), median(values[(n + 1) // 2 :]))
