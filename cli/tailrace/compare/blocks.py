# SPDX-License-Identifier: Apache-2.0
"""The measure phase as blocks of seconds that are long enough to be independent.

Neighbouring messages and seconds share disturbances, such as a stalled flush. Drawing single messages or
seconds would overstate the evidence. Blocks are doubled until neighbouring blocks are uncorrelated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]

# The least number of blocks for an estimate of their spread.
FEWEST = 20
# The largest number of blocks; more would only cost time.
MOST = 1_000
# A correlation above this is a drift. A run contains it once, so no widening corrects for it.
MOST_CORRELATED = 0.9
# The percentiles whose correlation between neighbouring blocks decides the length of blocks.
WATCHED = (0.5, 0.99)


@dataclass(frozen=True)
class Histograms:
    """One latency by block: ``values`` in µs, ascending; ``counts`` by block and value."""

    values: NDArray[np.int64]
    counts: Counts

    def coarser(self, factor: int) -> "Histograms":
        return Histograms(self.values, grouped(self.counts, factor))


@dataclass(frozen=True)
class Blocks:
    """``stages`` and ``rates`` have one row per block of ``length_s`` seconds.

    ``rates``: events in each block; ``seconds``: the seconds in each block. ``correlation``: of
    neighbouring blocks, if longer blocks would be too few; else 0.
    """

    length_s: int
    stages: Mapping[str, Histograms]
    rates: Mapping[str, Counts]
    seconds: Counts
    correlation: float = 0.0

    @property
    def number(self) -> int:
        return len(self.seconds)

    @property
    def widening(self) -> float:
        """The factor by which correlation makes an interval too narrow: blocks whose neighbours
        correlate by r count as (1 − r) / (1 + r) of their number."""
        r = min(self.correlation, MOST_CORRELATED)
        return float(((1 + r) / (1 - r)) ** 0.5)

    def coarser(self, factor: int) -> "Blocks":
        """Blocks of ``factor`` of these; the last one includes the remainder."""
        return Blocks(
            self.length_s * factor,
            {stage: each.coarser(factor) for stage, each in self.stages.items()},
            {name: grouped(each, factor) for name, each in self.rates.items()},
            grouped(self.seconds, factor),
        )


def grouped(rows: Counts, factor: int) -> Counts:
    """Sums of ``factor`` rows each; the last sum includes the remainder."""
    number = max(1, len(rows) // factor)
    starts = np.arange(number) * factor
    return np.asarray(np.add.reduceat(rows, starts, axis=0), dtype=np.float64)


def independent(blocks: Blocks) -> Blocks:
    """Blocks doubled in length until neighbours are uncorrelated.

    Neighbouring blocks correlate if their logarithmic p50 or p99 do by more than two standard errors.
    """
    while found := _greatest_correlation(blocks):
        if blocks.number < 2 * FEWEST:
            return replace(blocks, correlation=found)
        blocks = blocks.coarser(2)
    return blocks


def _greatest_correlation(blocks: Blocks) -> float:
    """The greatest significant correlation of neighbouring blocks; 0 if there is none."""
    found = [
        (correlation(series), 2 / len(series) ** 0.5)
        for each in blocks.stages.values()
        for series in _series(each)
        if len(series) >= 4
    ]
    return max((value for value, chance in found if value > chance), default=0.0)


def _series(each: Histograms) -> list[Counts]:
    filled = each.counts[each.counts.sum(axis=1) > 0]
    levels = quantiles(each.values, filled, WATCHED)
    return [np.log(np.maximum(levels[:, n], 1)) for n in range(len(WATCHED))]


def correlation(series: Counts) -> float:
    """Correlation of each value with the next; 0 if nothing varies."""
    centred = series - series.mean()
    total = float(centred @ centred)
    return float(centred[:-1] @ centred[1:]) / total if total > 0 else 0.0


def quantiles(values: NDArray[np.int64], counts: Counts, shares: tuple[float, ...]) -> Counts:
    """Nearest-rank quantiles of each row of ``counts``; rows × shares, in the unit of values."""
    sums = np.cumsum(counts, axis=1)
    totals = sums[:, -1]
    found = np.empty((len(counts), len(shares)))
    for n, share in enumerate(shares):
        ranks = np.maximum(1, np.ceil(totals * share - 1e-6))
        places = np.sum(sums < ranks[:, None] - 0.5, axis=1)
        found[:, n] = values[np.minimum(places, len(values) - 1)]
    return found
