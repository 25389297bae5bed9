# SPDX-License-Identifier: Apache-2.0
"""What other runs like this one would have shown: its blocks drawn anew, many times.

As many blocks as there are, with replacement, each draw a run that might have been; of every draw
the percentiles and rates. The spread of the draws is the uncertainty of the run itself. It knows
nothing of what differs from one run to the next: a warmer drive, another placement of partitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailrace.compare.blocks import Blocks, Counts, quantiles

PERCENTILES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
DRAWS = 4_000
# Draws that are worked out at once: memory, not meaning.
AT_ONCE = 250


@dataclass(frozen=True)
class Drawn:
    """``levels``: stage → draws × percentiles, µs; ``rates``: name → draws, per second.

    Row 0 is the run as it was.
    """

    blocks: Blocks
    levels: Mapping[str, Counts]
    rates: Mapping[str, Counts]


def draw(blocks: Blocks, seed: int, draws: int = DRAWS) -> Drawn:
    """The run as it was, then ``draws`` draws; the same seed draws the same."""
    number = blocks.number
    dice = np.random.default_rng(seed)
    times = dice.multinomial(number, np.full(number, 1 / number), size=draws)
    weights = np.vstack([np.ones((1, number)), times.astype(np.float64)])
    seconds = weights @ blocks.seconds
    return Drawn(
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
    """The middle of the draws, with the share ``outside`` left out, half of it on either side."""
    low, high = np.quantile(differences, [outside / 2, 1 - outside / 2])
    return float(low), float(high)
