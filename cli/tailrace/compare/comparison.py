# SPDX-License-Identifier: Apache-2.0
"""The differences of runs against the first one, each with an interval and a verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tailrace.compare import reading, settings
from tailrace.compare.blocks import FEWEST, Blocks, Counts, independent
from tailrace.compare.bootstrap import PERCENTILES, Drawn, draw, interval
from tailrace.compare.reading import RATES, STAGES, Run
from tailrace.errors import BadInput
from tailrace.explain.reading import Asker

# Messages a percentile needs above it, in either run.
FEWEST_ABOVE = 10
# Of either value: what a rollup bucket, and a second's edge, cannot tell apart.
RESOLUTION = {"latency": 0.004, "rate": 0.0005}
# Chance that a table of runs alike shows any difference at all.
CHANCE = 0.05

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


@dataclass(frozen=True)
class Against:
    """A run against the baseline. ``rows``: rates, then latencies by percentile."""

    run: Run
    blocks: Blocks
    rows: Sequence[Row]

    @property
    def differ(self) -> bool:
        return any(row.verdict in (HIGHER, LOWER) for row in self.rows)


@dataclass(frozen=True)
class Comparison:
    """``confidence``: of each single interval, so that the whole table is wrong once in 20."""

    baseline: Run
    blocks: Blocks
    others: Sequence[Against]
    settings: Sequence[settings.Difference]
    confidence: float
    seed: int

    @property
    def runs(self) -> list[Run]:
        return [self.baseline, *(each.run for each in self.others)]


def compare(askers: Sequence[Asker], seed: int, even_if_failed: bool) -> Comparison:
    """Compare all runs with the first one.

    Raises BadInput for a run without a measure phase, and for one whose audit failed unless
    ``even_if_failed``.
    """
    runs = [reading.run(asker) for asker in askers]
    failed = [run.run_id for run in runs if run.verdict == "fail"]
    if failed and not even_if_failed:
        raise BadInput(
            f"the audit of {', '.join(failed)} failed, so its numbers may be wrong; see tailrace"
            f" audit {failed[0]}, or give --even-if-failed"
        )
    drawn = [
        draw(independent(reading.read(asker)), seed + number) for number, asker in enumerate(askers)
    ]
    tested = sum(len(list(_pairs(drawn[0], other))) for other in drawn[1:])
    outside = CHANCE / max(1, tested)
    others = [
        Against(run, other.blocks, list(_rows(drawn[0], other, outside)))
        for run, other in zip(runs[1:], drawn[1:], strict=True)
    ]
    told = settings.differences(runs)
    return Comparison(runs[0], drawn[0].blocks, others, told, 1 - outside, seed)


def _pairs(baseline: Drawn, other: Drawn) -> Iterator[tuple[str, float | None, Counts, Counts]]:
    """(what, percentile, the baseline's draws, the run's) of all that is compared."""
    for name in RATES:
        yield name, None, baseline.rates[name], other.rates[name]
    for stage in STAGES:
        if stage in baseline.levels and stage in other.levels:
            for n, share in enumerate(PERCENTILES):
                ours, theirs = (each.levels[stage][:, n] for each in (baseline, other))
                yield stage, share, ours, theirs


def _rows(baseline: Drawn, other: Drawn, outside: float) -> Iterator[Row]:
    short = min(baseline.blocks.number, other.blocks.number) < FEWEST
    for what, share, ours, theirs in _pairs(baseline, other):
        before, after = float(ours[0]), float(theirs[0])
        few = share is not None and min(
            _above(each.blocks, what, share) for each in (baseline, other)
        ) < FEWEST_ABOVE  # fmt: skip
        if short or few:
            yield Row(what, share, before, after, None, None, SHORT if short else FEW)
            continue
        low, high = interval(theirs[1:] - ours[1:], outside)
        # What is left of likeness hides in the draws; both runs' share of it is taken as the worse.
        wider = max(baseline.blocks.widening, other.blocks.widening)
        low, high = (after - before + wider * (end - (after - before)) for end in (low, high))
        within = RESOLUTION["rate" if share is None else "latency"] * (before + after)
        # The draws straddle the runs as they were; where they do not, trust is misplaced.
        low, high = min(low, after - before), max(high, after - before)
        verdict = HIGHER if low > within else LOWER if high < -within else NONE
        yield Row(what, share, before, after, low, high, verdict)


def _above(blocks: Blocks, stage: str, share: float) -> float:
    return float(np.sum(blocks.stages[stage].counts)) * (1 - share) + 1e-6
