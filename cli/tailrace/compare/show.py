# SPDX-License-Identifier: Apache-2.0
"""A comparison as text for people, and as one JSON object."""

from collections.abc import Iterator
from typing import Any, TextIO

from tailrace.compare.comparison import Against, Comparison
from tailrace.compare.reading import Run
from tailrace.compare.rows import FEWEST_REPEATS, LONE, Row
from tailrace.page.notices import Notice
from tailrace.queries.render import show as show_table

STAGES = {
    "publish": "publish latency",
    "end_to_end": "end-to-end latency",
    "publish_delay": "publish delay",
}
RATES = {"acked": "acknowledged", "received": "received"}
# Per cent; an end of an interval beyond it is told as that.
FAR = 1_000
BEYOND = f"> +{FAR} %"


def show(comparison: Comparison, out: TextIO) -> None:
    """Runs, settings, a table for each run but the first, and what to be careful about."""
    for run in comparison.runs:
        out.write(f"{line(run)}\n")
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
    out.write("\n")
    for note in notes(comparison):
        out.write(f"note: {note}\n")


def line(run: Run) -> str:
    """A run in one line."""
    audit = {"pass": "audit passed", "fail": "audit FAILED"}.get(run.verdict, "not audited")
    return (
        f"{run.run_id}: {run.summary['workload_name']} on {run.summary['driver_name']},"
        f" measured {run.summary['measure_s']:.0f} s, {run.summary['state']}, {audit}"
    )


def percentile(share: float | None) -> str:
    """0.999 → ``p99.9``."""
    return "" if share is None else f"p{100 * share:.6g}"


def _cells(row: Row) -> list[Any]:
    factor, unit = (1.0, "msg/s") if row.percentile is None else (0.001, "ms")
    name = RATES.get(row.what) or STAGES[row.what]
    shown = [round(n * factor, 3) for n in (row.baseline, row.value, row.difference)]
    ends = [BEYOND if far(row, end) else None if end is None else round(end * factor, 3) for end in (row.low, row.high)]
    percent = row.percent(row.difference)
    percents = None if percent is None else round(percent, 2)
    return [name, percentile(row.percentile), unit, *shown, *ends, percents, row.verdict]


def far(row: Row, end: float | None) -> bool:
    """Whether this end of the row's interval is beyond what is worth a number."""
    if end is None:
        return row.low is not None
    percent = row.percent(end)
    return percent is not None and percent > FAR


def cautions(comparison: Comparison) -> Iterator[tuple[str, Notice]]:
    """Run by run, what makes its numbers doubtful."""
    for run in comparison.runs:
        if run.verdict == "fail":
            text = f"Its numbers may be wrong: tailrace audit {run.run_id}"
            yield run.run_id, Notice("fail", "The audit failed.", text)
        for notice in run.notices:
            yield run.run_id, notice


def notes(comparison: Comparison) -> Iterator[str]:
    """What makes the numbers doubtful, and what they mean."""
    for run_id, notice in cautions(comparison):
        yield f"{run_id}: {notice.title} {notice.text}"
    yield from meanings(comparison)


def meanings(comparison: Comparison) -> Iterator[str]:
    """What is not known of the runs, and how the numbers are to be read."""
    for run in comparison.runs:
        if not run.verdict:
            yield f"{run.run_id} was not audited: tailrace audit {run.run_id}"
        if run.summary["state"] != "finished":
            yield f"{run.run_id} is {run.summary['state']}: the part that is stored is compared"
    if bare := [run.run_id for run in comparison.runs if not run.manifest]:
        yield (
            f"no manifest of {', '.join(bare)}: plan, versions and machines are not known, and not"
            " among the settings that differ"
        )
    yield (
        f"from, to: each holds the difference with {100 * comparison.confidence:.2f} %, so that all"
        " of them together do with 95 %; where 0 is inside, no difference is shown, which does not"
        " prove that there is none"
    )
    if comparison.repeated:
        counts = ", ".join(str(len(side.runs)) for side in comparison.sides)
        yield (
            f"{counts} repeats (Welch's interval, of latencies for geometric means): what differs"
            " from one run to the next is in the intervals"
        )
        if any(row.verdict == LONE for each in comparison.others for row in each.rows):
            yield f"under {FEWEST_REPEATS} repeats of a setting there is no interval: repeat it"
        return
    for run, blocks in comparison.blocks:
        told = f"{run.run_id}: {blocks.number} blocks of {blocks.length_s} s drawn anew"
        if not blocks.likeness:
            yield f"{told}, so long that one says little about the next"
            continue
        yield (
            f"{told}, which still resemble their neighbours (r {blocks.likeness:.2f}), as where"
            f" latency drifts: intervals are made {blocks.widening:.1f} times as wide for it;"
            " measure longer, and repeat"
        )
    yield (
        "the intervals know how each run swayed, not what differs from one run to the next;"
        " repeat both settings before you believe a small difference"
    )


def document(comparison: Comparison) -> dict[str, Any]:
    """Keys: baseline, confidence, seed, settings, runs, notes. Latencies in µs, rates per s.

    A row without an interval has neither low nor high; one with low alone reaches beyond all.
    """
    return {
        "baseline": comparison.baseline.name,
        "confidence": round(comparison.confidence, 6),
        "seed": comparison.seed,
        "settings": [{"setting": s.name, "values": list(s.values)} for s in comparison.settings],
        "runs": [_against(each) for each in comparison.others],
        "notes": list(notes(comparison)),
    }


def _against(against: Against) -> dict[str, Any]:
    return {
        "run": against.side.name,
        "block_s": [drawn.blocks.length_s for drawn in against.side.drawn],
        "blocks": [drawn.blocks.number for drawn in against.side.drawn],
        "rows": [
            {
                "what": row.what,
                "percentile": None if row.percentile is None else round(100 * row.percentile, 6),
                "baseline": row.baseline,
                "run": row.value,
                "difference": row.difference,
                "low": row.low,
                "high": row.high,
                "difference_percent": row.percent(row.difference),
                "verdict": row.verdict,
            }
            for row in against.rows
        ],
    }
