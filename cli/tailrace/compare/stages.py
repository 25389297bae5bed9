# SPDX-License-Identifier: Apache-2.0
"""Compares where publish latency was spent, stage by stage, where every run has request rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailrace.breakdown import rollup
from tailrace.breakdown.parts import PARTS, WHOLE
from tailrace.explain.explanation import window
from tailrace.queries.ask import RunReader, moment

NUMBERS = ("mean_us", "p99_us")
Times = Mapping[str, Mapping[str, float]]
"""Stage → mean_us and p99_us."""


@dataclass(frozen=True)
class StageRow:
    """One number of one stage, in µs; of repeats, their mean. It has no interval."""

    stage: str
    number: str
    baseline: float
    value: float

    @property
    def difference(self) -> float:
        return self.value - self.baseline


def read(readers: Sequence[RunReader]) -> Times | None:
    """The mean of the runs; None unless each has request rows."""
    found = [_times(reader) for reader in readers if rollup.ensure(reader.client, reader.run_id)]
    if len(found) < len(readers) or not all(WHOLE in times for times in found):
        return None
    stages = [stage for stage in (*PARTS, WHOLE) if any(stage in times for times in found)]
    return {
        stage: {n: sum(times.get(stage, {}).get(n, 0) for times in found) / len(found) for n in NUMBERS}
        for stage in stages
    }


def rows(baseline: Times | None, other: Times | None) -> list[StageRow]:
    """The stages of either side in their order, the whole latency last; none unless both were measured."""
    if baseline is None or other is None:
        return []
    return [
        StageRow(stage, number, baseline.get(stage, {}).get(number, 0), other.get(stage, {}).get(number, 0))
        for stage in (*PARTS, WHOLE)
        if stage in baseline or stage in other
        for number in NUMBERS
    ]


def _times(reader: RunReader) -> Times:
    start, end = window(reader)
    found = reader.ask("stages", since=moment(start), to=moment(end - 1))
    return {row["stage"]: {number: float(row[number]) for number in NUMBERS} for row in found}
