# SPDX-License-Identifier: Apache-2.0
"""The differences of runs, or of repeats of runs, against the first one."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.compare import reading, settings
from tailrace.compare.blocks import Blocks, independent
from tailrace.compare.bootstrap import DRAWS, Drawn, draw
from tailrace.compare.reading import Run
from tailrace.compare.rows import HIGHER, LOWER, Row, compared, of_draws, of_repeats
from tailrace.errors import BadInput
from tailrace.explain.reading import Asker

# Chance that a table of runs alike shows any difference at all.
CHANCE = 0.05
SEED = 42


@dataclass(frozen=True)
class Side:
    """One run, or several repeats of it."""

    runs: Sequence[Run]
    drawn: Sequence[Drawn]

    @property
    def name(self) -> str:
        return ",".join(run.run_id for run in self.runs)


@dataclass(frozen=True)
class Against:
    """A side against the baseline. ``rows``: rates, then latencies by percentile."""

    side: Side
    rows: Sequence[Row]

    @property
    def differ(self) -> bool:
        return any(row.verdict in (HIGHER, LOWER) for row in self.rows)


@dataclass(frozen=True)
class Comparison:
    """``confidence``: of each single interval, so that the whole table is wrong once in 20."""

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
        """Every run with the blocks that were drawn of it."""
        return [(run, drawn.blocks) for side in self.sides for run, drawn in zip(side.runs, side.drawn, strict=True)]

    @property
    def repeated(self) -> bool:
        return len(self.baseline.runs) > 1


def compare(sides: Sequence[Sequence[Asker]], seed: int, even_if_failed: bool) -> Comparison:
    """Compare all sides with the first one.

    Raises BadInput for a run without a measure phase, for one whose audit failed unless
    ``even_if_failed``, and where one side is a single run and another is repeats.
    """
    if len({len(side) > 1 for side in sides}) > 1:
        raise BadInput("one side is a single run, another is repeats; give repeats of each")
    read = [[reading.run(asker) for asker in side] for side in sides]
    failed = [run.run_id for side in read for run in side if run.verdict == "fail"]
    if failed and not even_if_failed:
        raise BadInput(
            f"the audit of {', '.join(failed)} failed, so its numbers may be wrong; see tailrace"
            f" audit {failed[0]}, or give --even-if-failed"
        )
    made = []
    for number, (runs, side) in enumerate(zip(read, sides, strict=True)):
        # Repeats speak for themselves: each is one observation, and nothing of it is drawn.
        draws = 0 if len(side) > 1 else DRAWS
        drawn = [draw(independent(reading.read(asker)), seed + number, draws) for asker in side]
        made.append(Side(runs, drawn))
    baseline, *others = made
    tested = sum(len(list(compared([*baseline.drawn, *other.drawn]))) for other in others)
    outside = CHANCE / max(1, tested)
    return Comparison(
        baseline,
        [Against(other, list(_rows(baseline, other, outside))) for other in others],
        settings.differences([run for side in read for run in side]),
        1 - outside,
        seed,
    )


def _rows(baseline: Side, other: Side, outside: float) -> Sequence[Row]:
    if len(baseline.runs) > 1:
        return list(of_repeats(baseline.drawn, other.drawn, outside))
    return list(of_draws(baseline.drawn[0], other.drawn[0], outside))
