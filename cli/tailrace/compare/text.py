# SPDX-License-Identifier: Apache-2.0
"""A comparison as text for a terminal."""

from collections.abc import Iterator
from typing import Any, TextIO

from tailrace.compare.comparison import Comparison
from tailrace.compare.reading import Run
from tailrace.compare.rows import FEWEST_REPEATS, LONE, Row
from tailrace.compare.stages import StageRow
from tailrace.page.notices import Notice
from tailrace.queries.render import show as show_table
from tailrace.stages import LABELS

RATES = {"acked": "acknowledged", "received": "received"}
# Bounds of intervals above this are shown as ``BEYOND``, per cent.
FAR = 1_000
BEYOND = f"> +{FAR} %"


def show(comparison: Comparison, out: TextIO) -> None:
    """Write runs, what makes their numbers doubtful, settings, a table for each run but the first, and notes."""
    for run in comparison.runs:
        out.write(f"{line(run)}\n")
    for run_id, notice in cautions(comparison):
        out.write(f"{'' if notice.kind == 'info' else '! '}{run_id}: {notice.title} {notice.text}\n")
    out.write("\n")
    names = [run.run_id for run in comparison.runs]
    if comparison.settings:
        out.write("settings that differ\n")
        rows = [[each.name, *each.values] for each in comparison.settings]
        show_table(["setting", *names], rows, out)
    else:
        out.write("no setting differs\n")
    for against in comparison.others:
        out.write(f"\n{against.side.name} against {comparison.baseline.name}\n")
        columns = ["", "", "unit", "baseline", "run", "difference", "from", "to", "%", "verdict"]
        show_table(columns, [_cells(row) for row in against.rows], out)
        if against.stages:
            out.write("\npublish latency by stage, ms\n")
            show_table(["", "", "baseline", "run", "difference"], [_stage_cells(row) for row in against.stages], out)
    out.write("\n")
    for note in meanings(comparison):
        out.write(f"note: {note}\n")


def line(run: Run) -> str:
    """A run in one line."""
    audit = {"pass": "audit passed", "fail": "audit FAILED"}.get(run.verdict, "not audited")
    return (
        f"{run.run_id}: {run.summary['workload_name']} on {run.summary['driver_name']},"
        f" measured {run.summary['measure_s']:.0f} s, {run.summary['state']}, {audit}"
    )


def name(row: Row) -> str:
    """``end-to-end latency`` or ``received``."""
    return RATES.get(row.what) or LABELS[row.what]


def percentile(share: float | None) -> str:
    """0.999 → ``p99.9``."""
    return "" if share is None else f"p{100 * share:.6g}"


def _cells(row: Row) -> list[Any]:
    factor, unit = (1.0, "msg/s") if row.percentile is None else (0.001, "ms")
    shown = [round(n * factor, 3) for n in (row.baseline, row.value, row.difference)]
    ends = [BEYOND if far(row, end) else None if end is None else round(end * factor, 3) for end in (row.low, row.high)]
    percent = row.percent(row.difference)
    percents = None if percent is None else round(percent, 2)
    return [name(row), percentile(row.percentile), unit, *shown, *ends, percents, row.verdict]


def _stage_cells(row: StageRow) -> list[Any]:
    numbers = [round(us / 1000, 3) for us in (row.baseline, row.value, row.difference)]
    return [f"stage.{row.stage}", row.number.removesuffix("_us"), *numbers]


def far(row: Row, end: float | None) -> bool:
    """Whether this bound of the row's interval is too large to show as a number."""
    if end is None:
        return row.low is not None
    percent = row.percent(end)
    return percent is not None and percent > FAR


def cautions(comparison: Comparison) -> Iterator[tuple[str, Notice]]:
    """(run, warning about its numbers), run by run."""
    for run in comparison.runs:
        if run.verdict == "fail":
            text = f"Its numbers may be wrong: tailrace audit {run.run_id}"
            yield run.run_id, Notice("fail", "The audit failed.", text)
        for notice in run.notices:
            yield run.run_id, notice


def notes(comparison: Comparison) -> Iterator[str]:
    """Warnings about the numbers, and how to read them."""
    for run_id, notice in cautions(comparison):
        yield f"{run_id}: {notice.title} {notice.text}"
    yield from meanings(comparison)


def meanings(comparison: Comparison) -> Iterator[str]:
    """What is unknown about the runs, and how to read the numbers."""
    yield from _unknown(comparison)
    yield (
        f"from, to: the bounds of the difference, each row with {100 * comparison.confidence:.2f} % confidence,"
        " so that all rows together have 95 %; if 0 is inside, no difference is shown, which does not"
        " prove that there is none"
    )
    if any(against.stages for against in comparison.others):
        yield (
            "stages have no intervals: their means add up to the mean latency, and repeats count with their mean;"
            " read them to find where a difference above arose"
        )
    yield from _repeats(comparison) if comparison.repeated else _draws(comparison)


def _unknown(comparison: Comparison) -> Iterator[str]:
    for run in comparison.runs:
        if not run.verdict:
            yield f"{run.run_id} was not audited: tailrace audit {run.run_id}"
        if run.summary["state"] != "finished":
            yield f"{run.run_id} is {run.summary['state']}: only the stored part is compared"
    if bare := [run.run_id for run in comparison.runs if not run.manifest]:
        yield (
            f"no manifest of {', '.join(bare)}: plan, versions and machines are unknown, and not"
            " among the settings that differ"
        )


def _repeats(comparison: Comparison) -> Iterator[str]:
    counts = ", ".join(str(len(side.runs)) for side in comparison.sides)
    yield (
        f"{counts} repeats (Welch's interval, for latencies of geometric means): the intervals include"
        " differences between runs"
    )
    if any(row.verdict == LONE for each in comparison.others for row in each.rows):
        yield f"under {FEWEST_REPEATS} repeats of a setting there is no interval: repeat it"


def _draws(comparison: Comparison) -> Iterator[str]:
    for run, blocks in comparison.blocks:
        drawn = f"{run.run_id}: bootstrap of {blocks.number} blocks of {blocks.length_s} s"
        if not blocks.correlation:
            yield f"{drawn}, whose neighbours are uncorrelated"
            continue
        yield (
            f"{drawn}, whose neighbours correlate (r {blocks.correlation:.2f}), as when latency"
            f" drifts: intervals are widened {blocks.widening:.1f} times; measure longer, and repeat"
        )
    yield (
        "the intervals cover the variation within each run, not differences between runs;"
        " repeat both settings before you trust a small difference"
    )
