# SPDX-License-Identifier: Apache-2.0
"""Compares runs, or repeats of runs, with the first one."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.compare import reading, settings
from tailrace.compare import stages as spent
from tailrace.compare.blocks import Blocks, independent
from tailrace.compare.bootstrap import DRAWS, Draws, draw
from tailrace.compare.reading import Run
from tailrace.compare.rows import HIGHER, LOWER, Row, compare_draws, compare_repeats, compared
from tailrace.errors import BadInput
from tailrace.queries.ask import RunReader

# The chance that the comparison of equal runs shows any difference.
CHANCE = 0.05
SEED = 42


@dataclass(frozen=True)
class Side:
    """One run, or several repeats of it."""

    runs: Sequence[Run]
    draws: Sequence[Draws]

    @property
    def name(self) -> str:
        return ",".join(run.run_id for run in self.runs)


@dataclass(frozen=True)
class Against:
    """A side compared with the baseline. ``rows``: rates, then latencies by percentile."""

    side: Side
    rows: Sequence[Row]
    stages: Sequence[spent.StageRow] = ()

    @property
    def differ(self) -> bool:
        return any(row.verdict in (HIGHER, LOWER) for row in self.rows)


@dataclass(frozen=True)
class Comparison:
    """``confidence``: of each interval, so that all intervals together have 95 %."""

    baseline: Side
    others: Sequence[Against]
    settings: Sequence[settings.Difference]
    confidence: float
    seed: int

    @property
    def sides(self) -> list[Side]:
        return [self.baseline, *(each.side for each in self.others)]

    @property
    def runs(self) -> list[Run]:
        return [run for side in self.sides for run in side.runs]

    @property
    def blocks(self) -> list[tuple[Run, Blocks]]:
        """Every run with its blocks."""
        return [(run, draws.blocks) for side in self.sides for run, draws in zip(side.runs, side.draws, strict=True)]

    @property
    def repeated(self) -> bool:
        return len(self.baseline.runs) > 1


def compare(sides: Sequence[Sequence[RunReader]], seed: int, even_if_failed: bool) -> Comparison:
    """Compare all sides with the first one.

    Raises BadInput for a run without a measure phase, for a run whose audit failed unless
    ``even_if_failed``, and if one side is a single run and another is repeats.
    """
    if len({len(side) > 1 for side in sides}) > 1:
        raise BadInput("one side is a single run, another is repeats; give repeats of each")
    read = [[reading.run(reader) for reader in side] for side in sides]
    failed = [run.run_id for side in read for run in side if run.verdict == "fail"]
    if failed and not even_if_failed:
        raise BadInput(
            f"the audit of {', '.join(failed)} failed, so its numbers may be wrong; see tailrace"
            f" audit {failed[0]}, or give --even-if-failed"
        )
    compared_sides = []
    for number, (runs, side) in enumerate(zip(read, sides, strict=True)):
        # Each repeat is one observation, so it needs no draws.
        count = 0 if len(side) > 1 else DRAWS
        draws = [draw(independent(reading.read(reader)), seed + number, count) for reader in side]
        compared_sides.append(Side(runs, draws))
    baseline, *others = compared_sides
    tested = sum(len(list(compared([*baseline.draws, *other.draws]))) for other in others)
    outside = CHANCE / max(1, tested)
    times = [spent.read(side) for side in sides]
    return Comparison(
        baseline,
        [
            Against(other, list(_rows(baseline, other, outside)), spent.rows(times[0], each))
            for other, each in zip(others, times[1:], strict=True)
        ],
        settings.differences([run for side in read for run in side]),
        1 - outside,
        seed,
    )


def _rows(baseline: Side, other: Side, outside: float) -> Sequence[Row]:
    if len(baseline.runs) > 1:
        return list(compare_repeats(baseline.draws, other.draws, outside))
    return list(compare_draws(baseline.draws[0], other.draws[0], outside))
