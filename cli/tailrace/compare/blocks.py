# SPDX-License-Identifier: Apache-2.0
"""A run's measure phase cut into blocks of seconds, and how long those must be.

Messages of one second share their fate, and so do seconds: a flush that stalls, a log that rolls.
Whoever draws single messages, or single seconds, sees far more evidence than there is. Blocks are
therefore made longer until one says little about the next.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]

# Fewer blocks than this say nothing about how much the next ones would differ.
FEWEST = 20
# Of the finest blocks; more only cost time.
MOST = 1_000
# A correlation above this is a drift, of which a run shows one; no widening makes that right.
MOST_LIKE = 0.9
# The percentiles whose likeness from block to block decides how long blocks are.
WATCHED = (0.5, 0.99)


@dataclass(frozen=True)
class Histograms:
    """One latency by block: ``values`` in µs, ascending; ``counts`` by block and value."""

    values: NDArray[np.int64]
    counts: Counts

    def coarser(self, factor: int) -> "Histograms":
        return Histograms(self.values, together(self.counts, factor))


@dataclass(frozen=True)
class Blocks:
    """``stages`` and ``rates`` have one row per block of ``length_s`` seconds.

    ``rates``: events counted in the block, and ``seconds`` how many seconds it counts.
    ``likeness``: correlation of a block with the next one that is left where longer blocks would
    be too few; else 0.
    """

    length_s: int
    stages: Mapping[str, Histograms]
    rates: Mapping[str, Counts]
    seconds: Counts
    likeness: float = 0.0

    @property
    def number(self) -> int:
        return len(self.seconds)

    @property
    def widening(self) -> float:
        """By how much likeness makes an interval of independent blocks too narrow: blocks whose
        neighbours correlate by r tell as much as (1 − r) / (1 + r) of their number."""
        left = min(self.likeness, MOST_LIKE)
        return float(((1 + left) / (1 - left)) ** 0.5)

    def coarser(self, factor: int) -> "Blocks":
        """Blocks of ``factor`` of these; what is left over joins the last one."""
        return Blocks(
            self.length_s * factor,
            {stage: each.coarser(factor) for stage, each in self.stages.items()},
            {name: together(each, factor) for name, each in self.rates.items()},
            together(self.seconds, factor),
        )


def together(rows: Counts, factor: int) -> Counts:
    """Sums of ``factor`` rows each; those left over belong to the last sum."""
    number = max(1, len(rows) // factor)
    starts = np.arange(number) * factor
    return np.asarray(np.add.reduceat(rows, starts, axis=0), dtype=np.float64)


def independent(blocks: Blocks) -> Blocks:
    """Blocks as long as it takes for neighbours not to resemble each other, doubled step by step.

    The likeness is the correlation of a block's logarithmic p50 and p99 with the next one's;
    within two standard errors it is none.
    """
    while left := _likeness(blocks):
        if blocks.number < 2 * FEWEST:
            return replace(blocks, likeness=left)
        blocks = blocks.coarser(2)
    return blocks


def _likeness(blocks: Blocks) -> float:
    """The greatest of all that are more than chance; 0 when none is."""
    found = [
        (likeness(series), 2 / len(series) ** 0.5)
        for each in blocks.stages.values()
        for series in _series(each)
        if len(series) >= 4
    ]
    return max((value for value, chance in found if value > chance), default=0.0)


def _series(each: Histograms) -> list[Counts]:
    filled = each.counts[each.counts.sum(axis=1) > 0]
    levels = quantiles(each.values, filled, WATCHED)
    return [np.log(np.maximum(levels[:, n], 1)) for n in range(len(WATCHED))]


def likeness(series: Counts) -> float:
    """Correlation of each value with the next; 0 where nothing varies."""
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
