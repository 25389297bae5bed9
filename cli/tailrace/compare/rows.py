# SPDX-License-Identifier: Apache-2.0
"""The rows of a comparison: a difference with its interval and verdict."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tailrace.compare.blocks import FEWEST, Blocks, Counts
from tailrace.compare.bootstrap import PERCENTILES, Draws, interval
from tailrace.compare.reading import RATES
from tailrace.stages import COMPARED

# The least number of messages above a percentile, in either run.
FEWEST_ABOVE = 10
# Two repeats leave one degree of freedom, which makes their interval useless.
FEWEST_REPEATS = 3
# The relative error of either value, from a rollup bucket or the edge of a second.
RESOLUTION = {"latency": 0.004, "rate": 0.0005}
# The absolute error of latencies, which are stored in whole microseconds.
FINEST_US = 2
HIGHER, LOWER, NO_DIFFERENCE = "higher", "lower", "no difference shown"
FEW, SHORT, LONE = "too few messages", "too short to tell", "too few repeats"


@dataclass(frozen=True)
class Row:
    """One difference. Latencies in µs, rates per second. Without an interval, ``low`` and ``high`` are
    None; ``high`` alone is None if it is infinite.

    ``percentile`` is a share, None for a rate. ``percent`` is relative to the baseline's value.
    """

    what: str
    percentile: float | None
    baseline: float
    value: float
    low: float | None
    high: float | None
    verdict: str

    @property
    def difference(self) -> float:
        return self.value - self.baseline

    def percent(self, difference: float) -> float | None:
        return 100 * difference / self.baseline if self.baseline else None


def compared(runs: Sequence[Draws]) -> Iterator[tuple[str, float | None]]:
    """(what, percentile) of everything that all of the runs have."""
    for name in RATES:
        yield name, None
    for stage in COMPARED:
        if all(stage in each.levels for each in runs):
            for share in PERCENTILES:
                yield stage, share


def pairs(baseline: Draws, other: Draws) -> Iterator[tuple[str, float | None, Counts, Counts]]:
    """(what, percentile, the baseline's draws, the run's draws) of everything compared."""
    for what, share in compared([baseline, other]):
        ours, theirs = (_draws(each, what, share) for each in (baseline, other))
        yield what, share, ours, theirs


def compare_draws(baseline: Draws, other: Draws, outside: float) -> Iterator[Row]:
    """Compares two runs; the draws of each give its uncertainty."""
    short = min(baseline.blocks.number, other.blocks.number) < FEWEST
    for what, share, ours, theirs in pairs(baseline, other):
        before, after = float(ours[0]), float(theirs[0])
        if short or _few([baseline, other], what, share):
            yield Row(what, share, before, after, None, None, SHORT if short else FEW)
            continue
        low, high = interval(theirs[1:] - ours[1:], outside)
        # Correlated blocks make draws too narrow; the wider correction of the two runs applies.
        wider = max(baseline.blocks.widening, other.blocks.widening)
        low, high = (after - before + wider * (end - (after - before)) for end in (low, high))
        # The interval always contains the observed difference.
        low, high = min(low, after - before), max(high, after - before)
        yield _judged(what, share, before, after, low, high)


def compare_repeats(baseline: Sequence[Draws], others: Sequence[Draws], outside: float) -> Iterator[Row]:
    """Compares repeats with repeats, whose values include the differences between runs.

    Uses Welch's interval; for latencies of their logarithms, so the values are geometric means.
    """
    lone = min(len(baseline), len(others)) < FEWEST_REPEATS
    for what, share in compared([*baseline, *others]):
        ours, theirs = (_values(side, what, share) for side in (baseline, others))
        logs = share is not None
        if logs:
            ours, theirs = (np.log(np.maximum(values, 1)) for values in (ours, theirs))
        before, after = float(np.mean(ours)), float(np.mean(theirs))
        if logs:
            before, after = float(np.exp(before)), float(np.exp(after))
        if lone or _few([*baseline, *others], what, share):
            yield Row(what, share, before, after, None, None, LONE if lone else FEW)
            continue
        low, high = _welch(ours, theirs, outside)
        if logs:
            # A bound too large for a float becomes infinite.
            with np.errstate(over="ignore"):
                low, high = (before * float(np.expm1(end)) for end in (low, high))
        yield _judged(what, share, before, after, low, high)


def _values(side: Sequence[Draws], what: str, share: float | None) -> Counts:
    return np.array([_draws(each, what, share)[0] for each in side])


def _draws(run: Draws, what: str, share: float | None) -> Counts:
    """The value of the run itself, then of its draws."""
    return run.rates[what] if share is None else run.levels[what][:, PERCENTILES.index(share)]


def _welch(ours: Counts, theirs: Counts, outside: float) -> tuple[float, float]:
    if np.ptp(ours) == 0 and np.ptp(theirs) == 0:
        return float(theirs[0] - ours[0]), float(theirs[0] - ours[0])
    # scipy is slow to import, and only repeats need it.
    from scipy.stats import ttest_ind

    # scipy warns if all repeats of a side are equal, as for a rate at its target.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = ttest_ind(theirs, ours, equal_var=False).confidence_interval(1 - outside)
    return float(found.low), float(found.high)


def _judged(what: str, share: float | None, before: float, after: float, low: float, high: float) -> Row:
    within = RESOLUTION["rate" if share is None else "latency"] * (before + after)
    if share is not None:
        within = max(within, FINEST_US)
    verdict = HIGHER if low > within else LOWER if high < -within else NO_DIFFERENCE
    # Neither a latency nor a rate can fall by more than 100 %.
    ends = [end if np.isfinite(end) else None for end in (max(low, -before), high)]
    return Row(what, share, before, after, ends[0], ends[1], verdict)


def _few(runs: Sequence[Draws], what: str, share: float | None) -> bool:
    return share is not None and any(_above(each.blocks, what, share) < FEWEST_ABOVE for each in runs)


def _above(blocks: Blocks, stage: str, share: float) -> float:
    return float(np.sum(blocks.stages[stage].counts)) * (1 - share) + 1e-6
