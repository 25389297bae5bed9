# SPDX-License-Identifier: Apache-2.0
"""One difference: its value, its interval, its verdict."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tailrace.compare.blocks import FEWEST, Blocks, Counts
from tailrace.compare.bootstrap import PERCENTILES, Drawn, interval
from tailrace.compare.reading import RATES, STAGES

# Messages a percentile needs above it, in either run.
FEWEST_ABOVE = 10
# Two repeats leave one degree of freedom: their interval says nothing about anything.
FEWEST_REPEATS = 3
# Of either value: what a rollup bucket, and a second's edge, cannot tell apart.
RESOLUTION = {"latency": 0.004, "rate": 0.0005}
# Of latencies near nothing: whole microseconds are stored.
FINEST_US = 2
HIGHER, LOWER, NONE = "higher", "lower", "no difference shown"
FEW, SHORT, LONE = "too few messages", "too short to tell", "too few repeats"


@dataclass(frozen=True)
class Row:
    """One difference. Latencies in µs, rates per second; where there is no interval, low and high
    are None, and high alone where no number is as high.

    ``percentile`` is a share, None of a rate. ``percent``: difference and interval as shares of
    the baseline's value, times 100.
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


def compared(runs: Sequence[Drawn]) -> Iterator[tuple[str, float | None]]:
    """(what, percentile) of all that every one of the runs has."""
    for name in RATES:
        yield name, None
    for stage in STAGES:
        if all(stage in each.levels for each in runs):
            for share in PERCENTILES:
                yield stage, share


def pairs(baseline: Drawn, other: Drawn) -> Iterator[tuple[str, float | None, Counts, Counts]]:
    """(what, percentile, the baseline's draws, the run's) of all that is compared."""
    for what, share in compared([baseline, other]):
        ours, theirs = (_draws(each, what, share) for each in (baseline, other))
        yield what, share, ours, theirs


def of_draws(baseline: Drawn, other: Drawn, outside: float) -> Iterator[Row]:
    """A run against a run: the draws of each tell how it swayed."""
    short = min(baseline.blocks.number, other.blocks.number) < FEWEST
    for what, share, ours, theirs in pairs(baseline, other):
        before, after = float(ours[0]), float(theirs[0])
        if short or _few([baseline, other], what, share):
            yield Row(what, share, before, after, None, None, SHORT if short else FEW)
            continue
        low, high = interval(theirs[1:] - ours[1:], outside)
        # What is left of likeness hides in the draws; both runs' share of it is taken as the worse.
        wider = max(baseline.blocks.widening, other.blocks.widening)
        low, high = (after - before + wider * (end - (after - before)) for end in (low, high))
        # The draws straddle the runs as they were; where they do not, trust is misplaced.
        low, high = min(low, after - before), max(high, after - before)
        yield _judged(what, share, before, after, low, high)


def of_repeats(baseline: Sequence[Drawn], others: Sequence[Drawn], outside: float) -> Iterator[Row]:
    """Repeats against repeats: what differs from one run to the next is in the runs themselves.

    Welch's interval; of latencies for the logarithms, so the values are geometric means.
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
            # Beyond what a number holds it is infinite, and so is told.
            with np.errstate(over="ignore"):
                low, high = (before * float(np.expm1(end)) for end in (low, high))
        yield _judged(what, share, before, after, low, high)


def _values(side: Sequence[Drawn], what: str, share: float | None) -> Counts:
    return np.array([_draws(each, what, share)[0] for each in side])


def _draws(run: Drawn, what: str, share: float | None) -> Counts:
    """The run as it was, then its draws."""
    return run.rates[what] if share is None else run.levels[what][:, PERCENTILES.index(share)]


def _welch(ours: Counts, theirs: Counts, outside: float) -> tuple[float, float]:
    if np.ptp(ours) == 0 and np.ptp(theirs) == 0:
        return float(theirs[0] - ours[0]), float(theirs[0] - ours[0])
    # It takes longer to import than to ask, and only repeats need it.
    from scipy.stats import ttest_ind

    # A side whose repeats are all alike, as of a rate that is kept, is no cause for a warning.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = ttest_ind(theirs, ours, equal_var=False).confidence_interval(1 - outside)
    return float(found.low), float(found.high)


def _judged(what: str, share: float | None, before: float, after: float, low: float, high: float) -> Row:
    within = RESOLUTION["rate" if share is None else "latency"] * (before + after)
    if share is not None:
        within = max(within, FINEST_US)
    verdict = HIGHER if low > within else LOWER if high < -within else NONE
    # Neither a latency nor a rate falls by more than all of it, whatever the arithmetic says.
    ends = [end if np.isfinite(end) else None for end in (max(low, -before), high)]
    return Row(what, share, before, after, ends[0], ends[1], verdict)


def _few(runs: Sequence[Drawn], what: str, share: float | None) -> bool:
    return share is not None and any(_above(each.blocks, what, share) < FEWEST_ABOVE for each in runs)


def _above(blocks: Blocks, stage: str, share: float) -> float:
    return float(np.sum(blocks.stages[stage].counts)) * (1 - share) + 1e-6
