# SPDX-License-Identifier: Apache-2.0
"""One difference: its value, its interval, its verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tailrace.compare.blocks import FEWEST, Blocks, Counts
from tailrace.compare.bootstrap import PERCENTILES, Drawn, interval
from tailrace.compare.reading import RATES, STAGES

# Messages a percentile needs above it, in either run.
FEWEST_ABOVE = 10
# Of either value: what a rollup bucket, and a second's edge, cannot tell apart.
RESOLUTION = {"latency": 0.004, "rate": 0.0005}
HIGHER, LOWER, NONE = "higher", "lower", "no difference shown"
FEW, SHORT = "too few messages", "too short to tell"


@dataclass(frozen=True)
class Row:
    """One difference. Latencies in µs, rates per second; without draws low and high are None.

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


def pairs(baseline: Drawn, other: Drawn) -> Iterator[tuple[str, float | None, Counts, Counts]]:
    """(what, percentile, the baseline's draws, the run's) of all that is compared."""
    for name in RATES:
        yield name, None, baseline.rates[name], other.rates[name]
    for stage in STAGES:
        if stage in baseline.levels and stage in other.levels:
            for n, share in enumerate(PERCENTILES):
                ours, theirs = (each.levels[stage][:, n] for each in (baseline, other))
                yield stage, share, ours, theirs


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
    for what, share, _, _ in pairs(baseline[0], others[0]):
        ours, theirs = (_values(side, what, share) for side in (baseline, others))
        if share is None:
            before, after = float(np.mean(ours)), float(np.mean(theirs))
            low, high = _welch(ours, theirs, outside)
        else:
            logs, others_logs = (np.log(np.maximum(values, 1)) for values in (ours, theirs))
            before, after = float(np.exp(np.mean(logs))), float(np.exp(np.mean(others_logs)))
            low, high = (before * (np.exp(end) - 1) for end in _welch(logs, others_logs, outside))
        if _few([*baseline, *others], what, share):
            yield Row(what, share, before, after, None, None, FEW)
        else:
            yield _judged(what, share, before, after, float(low), float(high))


def _values(side: Sequence[Drawn], what: str, share: float | None) -> Counts:
    if share is None:
        return np.array([each.rates[what][0] for each in side])
    place = PERCENTILES.index(share)
    return np.array([each.levels[what][0, place] for each in side])


def _welch(ours: Counts, theirs: Counts, outside: float) -> tuple[float, float]:
    if np.ptp(ours) == 0 and np.ptp(theirs) == 0:
        return float(theirs[0] - ours[0]), float(theirs[0] - ours[0])
    # It takes longer to import than to ask, and only repeats need it.
    from scipy.stats import ttest_ind

    found = ttest_ind(theirs, ours, equal_var=False).confidence_interval(1 - outside)
    return float(found.low), float(found.high)


def _judged(
    what: str, share: float | None, before: float, after: float, low: float, high: float
) -> Row:
    within = RESOLUTION["rate" if share is None else "latency"] * (before + after)
    verdict = HIGHER if low > within else LOWER if high < -within else NONE
    return Row(what, share, before, after, low, high, verdict)


def _few(runs: Sequence[Drawn], what: str, share: float | None) -> bool:
    return share is not None and any(
        _above(each.blocks, what, share) < FEWEST_ABOVE for each in runs
    )


def _above(blocks: Blocks, stage: str, share: float) -> float:
    return float(np.sum(blocks.stages[stage].counts)) * (1 - share) + 1e-6
