# SPDX-License-Identifier: Apache-2.0
"""Bootstrap: draws the blocks of a run with replacement, many times.

Each draw has as many blocks as the run, and gives percentiles and rates of its own. The spread of the
draws is the uncertainty within the run. It excludes differences between runs, such as a warmer drive
or another placement of partitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailrace.compare.blocks import Blocks, Counts, quantiles

PERCENTILES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
DRAWS = 4_000
# Draws computed at once, to bound memory.
AT_ONCE = 250


@dataclass(frozen=True)
class Draws:
    """``levels``: stage → draws × percentiles, µs; ``rates``: name → draws, per second.

    Row 0 is the run itself.
    """

    blocks: Blocks
    levels: Mapping[str, Counts]
    rates: Mapping[str, Counts]


def draw(blocks: Blocks, seed: int, draws: int = DRAWS) -> Draws:
    """The run itself, then ``draws`` draws; the same random seed repeats them."""
    number = blocks.number
    random = np.random.default_rng(seed)
    times = random.multinomial(number, np.full(number, 1 / number), size=draws)
    weights = np.vstack([np.ones((1, number)), times.astype(np.float64)])
    seconds = weights @ blocks.seconds
    return Draws(
        blocks,
        {stage: _levels(weights, each.values, each.counts) for stage, each in blocks.stages.items()},
        {name: weights @ each / np.maximum(seconds, 1) for name, each in blocks.rates.items()},
    )


def _levels(weights: Counts, values: NDArray[np.int64], counts: Counts) -> Counts:
    parts = [
        quantiles(values, weights[at : at + AT_ONCE] @ counts, PERCENTILES) for at in range(0, len(weights), AT_ONCE)
    ]
    return np.vstack(parts)


def interval(differences: Counts, outside: float) -> tuple[float, float]:
    """The middle of the draws, without the share ``outside``, half of it at either end."""
    low, high = np.quantile(differences, [outside / 2, 1 - outside / 2])
    return float(low), float(high)
