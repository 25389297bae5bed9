# SPDX-License-Identifier: Apache-2.0
"""The statistics of ``tailrace compare``, on numbers alone."""

import numpy as np
import pytest

from tailrace.compare.blocks import (
    FEWEST,
    Blocks,
    Histograms,
    correlation,
    grouped,
    independent,
    quantiles,
)
from tailrace.compare.bootstrap import PERCENTILES, draw, interval


def swaying(seed: int, memory: float, blocks: int = 400, messages: int = 60) -> Blocks:
    """Blocks of a second, correlated with the one before; latencies around 2 ms."""
    dice = np.random.default_rng(seed)
    levels = np.zeros(blocks)
    for n in range(1, blocks):
        levels[n] = memory * levels[n - 1] + dice.normal(0, 0.2 * (1 - memory**2) ** 0.5)
    us = np.exp(7.6 + levels[:, None] + dice.normal(0, 0.5, (blocks, messages)))
    # Two per cent wide, to save memory.
    cells = np.round(np.log(us) * 50).astype(int)
    values = np.arange(cells.min(), cells.max() + 1)
    counts = np.zeros((blocks, len(values)))
    np.add.at(counts, (np.arange(blocks)[:, None], cells - values[0]), 1)
    known = np.rint(np.exp(values / 50)).astype(np.int64)
    return Blocks(
        1,
        {"publish": Histograms(known, counts)},
        {"acked": counts.sum(axis=1)},
        np.ones(blocks),
    )


def test_quantiles_are_nearest_rank() -> None:
    values = np.array([10, 20, 30, 40])
    counts = np.array([[1.0, 1, 1, 1], [98, 0, 1, 1], [0, 0, 0, 5]])
    found = quantiles(values, counts, (0.5, 0.98, 0.99, 1.0))
    assert found.tolist() == [[20, 40, 40, 40], [10, 10, 30, 40], [40, 40, 40, 40]]


def test_the_remainder_joins_the_last_block() -> None:
    assert grouped(np.array([1.0, 2, 3, 4, 5]), 2).tolist() == [3, 12]
    assert grouped(np.array([1.0]), 2).tolist() == [1]


def test_correlation_is_with_the_next_value() -> None:
    assert correlation(np.array([1.0, 1, 1, 1])) == 0
    assert correlation(np.array([1.0, -1] * 50)) == pytest.approx(-1, abs=0.02)
    assert correlation(np.arange(100.0)) > 0.9


@pytest.mark.parametrize(("memory", "least", "most"), [(0.0, 1, 2), (0.8, 4, 16), (0.95, 8, 20)])
def test_blocks_grow_with_the_memory_of_the_system(memory: float, least: int, most: int) -> None:
    lengths = [independent(swaying(seed, memory)).length_s for seed in range(8)]
    assert least <= float(np.median(lengths)) <= most


def test_a_drift_is_never_independent() -> None:
    blocks = swaying(1, 0.0)
    each = blocks.stages["publish"]
    half = len(each.counts) // 2
    # The second half is tenfold: at no block length is that chance.
    shifted = np.hstack([each.counts, np.zeros((len(each.counts), 120))])
    shifted[half:] = np.roll(shifted[half:], 115, axis=1)
    values = np.concatenate([each.values, np.rint(each.values[-1] * 1.02 ** np.arange(1, 121))])
    drifting = Blocks(
        1,
        {"publish": Histograms(values.astype(np.int64), shifted)},
        blocks.rates,
        blocks.seconds,
    )
    found = independent(drifting)
    assert found.correlation > 0.8
    assert found.widening > 3
    assert FEWEST <= found.number < 2 * FEWEST


def differences(pairs: int, memory: float, grown: bool) -> float:
    """Share of pairs of runs alike whose 95 % interval of p50 excludes 0."""
    wrong = 0
    for seed in range(pairs):
        sides = [swaying(2 * seed + side, memory) for side in (0, 1)]
        drawn = [draw(independent(side) if grown else side, 7 + n, draws=400) for n, side in enumerate(sides)]
        place = PERCENTILES.index(0.5)
        levels = [each.levels["publish"][:, place] for each in drawn]
        low, high = interval(levels[1][1:] - levels[0][1:], 0.05)
        wrong += low > 0 or high < 0
    return wrong / pairs


def test_runs_alike_differ_as_rarely_as_promised() -> None:
    # The target is 5 %; of 80 pairs up to one in eight is chance. Single seconds of a correlated
    # system would be wrong half of the time, which is why blocks are used.
    assert differences(80, 0.8, grown=True) <= 0.125
    assert differences(80, 0.8, grown=False) >= 0.25


def test_the_same_seed_draws_the_same() -> None:
    blocks = swaying(3, 0.5)
    first, again, other = (draw(blocks, seed, draws=50) for seed in (1, 1, 2))
    assert (first.levels["publish"] == again.levels["publish"]).all()
    assert (first.levels["publish"] != other.levels["publish"]).any()
    assert first.rates["acked"][0] == 60
