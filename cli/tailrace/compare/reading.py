# SPDX-License-Identifier: Apache-2.0
"""Reads the runs to compare: their rows, and their measure phases as blocks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailrace.compare.blocks import MOST, Blocks, Histograms
from tailrace.errors import BadInput
from tailrace.page import conditions
from tailrace.page.notices import Notice, Rate, run_notices, target
from tailrace.queries.ask import RunReader, json_object
from tailrace.stages import COMPARED

Row = Mapping[str, Any]
RATES = {"acked": "acked_per_s", "received": "received_per_s"}


@dataclass(frozen=True)
class Run:
    """One run: its rows of ``run_summary_rollup`` and ``run_manifest``, with their JSON parsed.

    ``start_s``: of the measure phase, seconds since 1970; ``notices``: the warnings of its report.
    """

    run_id: str
    summary: Row
    stored: Row
    manifest: Row
    audit: Row
    start_s: float
    notices: Sequence[Notice]

    @property
    def verdict(self) -> str:
        """pass, fail, or empty for a run that was not audited."""
        return str(self.audit.get("verdict", ""))


def run(reader: RunReader) -> Run:
    """The run's rows. Raises BadInput if it has no measure phase to compare."""
    (stored,) = reader.ask("run_manifest")
    (summary,) = reader.ask("run_summary_rollup")
    if not summary["measure_s"] or not (measure := _measure(reader))["duration_s"]:
        raise BadInput(f"run {reader.run_id} has no complete measure phase to compare")
    manifest = json_object(stored["manifest"])
    rate = Rate(summary["acked_per_s"], target(manifest), summary["acked_bytes_per_s"])
    percentiles = {row["stage"]: row for row in reader.ask("latency_percentiles_rollup")}
    return Run(
        reader.run_id,
        summary,
        stored,
        manifest,
        json_object(stored["audit"]),
        measure["start_time"].timestamp(),
        run_notices(summary, rate, percentiles, conditions.read(reader.ask, manifest)),
    )


def _measure(reader: RunReader) -> Row:
    (measure,) = [row for row in reader.ask("phases") if row["phase"] == "measure"]
    return measure


def read(reader: RunReader) -> Blocks:
    """The finest blocks of the measure phase: a second each, longer in runs of hours.

    Raises BadInput if no whole second of it is stored.
    """
    measure = _measure(reader)
    first = -int(-measure["start_time"].timestamp() // 1)
    seconds = int(measure["end_time"].timestamp()) - first
    if seconds < 1:
        raise BadInput(f"run {reader.run_id}: its measure phase has no whole second to compare")
    length = -(-seconds // MOST)
    number = max(1, seconds // length)
    rows = reader.ask("latency_blocks", block_s=length)
    stages = {
        stage: found
        for stage in COMPARED
        if (found := _histograms([row for row in rows if row["stage"] == stage], number))
    }
    if not stages:
        raise BadInput(f"run {reader.run_id}: no message of its measure phase is stored")
    places = np.minimum(np.arange(seconds) // length, number - 1)
    rates = {name: np.zeros(number) for name in RATES}
    for row in reader.ask("throughput_per_second"):
        at = int(row["time"].timestamp()) - first
        if 0 <= at < seconds:
            for name, column in RATES.items():
                rates[name][places[at]] += row[column]
    counted = np.bincount(places, minlength=number).astype(np.float64)
    return Blocks(length, stages, rates, counted)


def _histograms(rows: Iterable[Row], number: int) -> Histograms | None:
    found = list(rows)
    if not found:
        return None
    values, columns = np.unique([row["value_us"] for row in found], return_inverse=True)
    counts = np.zeros((number, len(values)))
    np.add.at(counts, ([row["block"] for row in found], columns), [row["events"] for row in found])
    return Histograms(values.astype(np.int64), counts)
