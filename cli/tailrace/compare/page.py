# SPDX-License-Identifier: Apache-2.0
"""The comparison as one HTML page."""

import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tailrace.compare.blocks import Blocks
from tailrace.compare.comparison import SEED, Against, Comparison
from tailrace.compare.reading import Run
from tailrace.compare.rows import HIGHER, LOWER, NO_DIFFERENCE, Row
from tailrace.compare.text import FAR, cautions, meanings, percentile
from tailrace.compare.text import name as name_of
from tailrace.page import curves, frame, words
from tailrace.page.specs import MS_PER_US, Spec, chart, embedded, series
from tailrace.queries.ask import RunReader
from tailrace.stages import CHARTED, title

# Points of a chart over time.
POINTS = 1_000
# The size of an interval's bar, px. Beyond WIDEST per cent the bar ends in an arrow.
WIDTH, HEIGHT, WIDEST = 240, 16, 200.0


def write(comparison: Comparison, readers: Sequence[RunReader], target: Path) -> None:
    """Write the page. Raises BadInput if the file cannot be written."""
    runs = comparison.runs
    found = [curves.by_stage(reader.ask("latency_curve")) for reader in readers]
    lines = [curves.Line(run.run_id, curve) for run, curve in zip(runs, found, strict=True)]
    drawn = curves.charts("curve", lines)
    step, over = _over_time(comparison, readers)
    names = [run.run_id for run in runs]
    sides = [side.name for side in comparison.sides]
    points = max((len(s["series"][0]["values"]) for s in over), default=0)
    frame.write(
        target,
        "--html",
        "tailrace.compare",
        "comparison.html.j2",
        headline=f"{' and '.join(sides[1:])} against {sides[0]}",
        verdicts=[_verdict(each) for each in comparison.others],
        runs=[_facts(run, blocks) for run, blocks in comparison.blocks],
        names=names,
        settings=comparison.settings,
        bare=any(not run.manifest for run in runs),
        tables=[(each.side.name, _lines(each), _reach(each)) for each in comparison.others],
        baseline=sides[0],
        cautions=list(cautions(comparison)),
        notes=list(meanings(comparison)),
        picture={"width": WIDTH, "height": HEIGHT},
        curves=drawn,
        timeline=over,
        step=step,
        # A chart has lines of several runs, but a query reads one, which the user fills in.
        run_argument="RUN",
        command=_command(comparison),
        page=embedded(names[0], None, range(0, points * step, step), [*drawn, *over]),
    )


def _verdict(against: Against) -> str:
    different = [row for row in against.rows if row.verdict in (HIGHER, LOWER)]
    if not different:
        verdicts = list(dict.fromkeys(row.verdict for row in against.rows))
        return f"{against.side.name}: {NO_DIFFERENCE if NO_DIFFERENCE in verdicts else ', '.join(verdicts)}"
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in different:
        alike.setdefault((row.what, row.verdict), []).append(row)
    return f"{against.side.name}: " + "; ".join(_clause(r, against) for r in alike.values())


def _clause(rows: Sequence[Row], against: Against) -> str:
    """One rate, or percentiles of one latency, that differ in the same direction."""
    names = [percentile(row.percentile) for row in rows]
    same = [row for row in against.rows if row.what == rows[0].what]
    if len(rows) > 2 and same.index(rows[-1]) - same.index(rows[0]) == len(rows) - 1:
        names = [f"{names[0]} to {names[-1]}"]
    percents = (row.percent(row.difference) for row in rows)
    shares = sorted({f"{abs(percent):.1f}" for percent in percents if percent is not None}, key=float)
    by = f"by {' to '.join(dict.fromkeys((shares[0], shares[-1])))} %" if shares else ""
    return " ".join(filter(None, [name_of(rows[0]), ", ".join(names), rows[0].verdict, by]))


def _command(comparison: Comparison) -> str:
    """The command line that repeats the comparison."""
    words = ["tailrace", "compare", *(side.name for side in comparison.sides)]
    if any(run.verdict == "fail" for run in comparison.runs):
        words.append("--even-if-failed")
    if comparison.seed != SEED:
        words += ["--seed", str(comparison.seed)]
    return shlex.join(words)


def _facts(run: Run, blocks: Blocks) -> tuple[str, ...]:
    audit = {"pass": "passed", "fail": "FAILED"}.get(run.verdict, "not audited")
    summary = run.summary
    return (
        run.run_id,
        str(summary["workload_name"]),
        str(summary["driver_name"]),
        words.moment(summary["started_time"]),
        words.duration(summary["measure_s"]),
        words.count(float(blocks.rates["acked"].sum())),
        str(summary["state"]),
        audit,
    )


def _reach(against: Against) -> float:
    """Per cent at the ends of the bars: the widest interval, so that all bars share a scale."""
    ends = [abs(end) for row in against.rows for end in _ends(row) or ()]
    return min(WIDEST, max([1.0, *ends]))


def _lines(against: Against) -> list[dict[str, Any]]:
    reach = _reach(against)
    return [_line(row, reach) for row in against.rows]


def _line(row: Row, reach: float) -> dict[str, Any]:
    """A row of the table: its texts, and ``left``, ``right`` and ``at``, the position of its interval in the bar, px.

    ``cut``: the sides, left or right, on which the interval exceeds the bar.
    """
    rate = row.percentile is None
    show = words.count if rate else words.exact_ms
    worse = row.verdict == (LOWER if rate else HIGHER)
    better = row.verdict == (HIGHER if rate else LOWER)
    percent = row.percent(row.difference)
    ends = _ends(row)
    low, high = ends or (0, 0)
    return {
        "name": name_of(row),
        "percentile": percentile(row.percentile),
        "unit": "msg/s" if rate else "ms",
        "baseline": show(row.baseline),
        "value": show(row.value),
        "percent": "–" if percent is None else f"{_signed(percent)} %",
        "span": f"{_end(low)} to {_end(high)} %" if ends else "–",
        "verdict": row.verdict,
        "tone": "worse" if worse else "better" if better else "none",
        "left": _place(low, reach) if ends else None,
        "right": _place(high, reach) if ends else None,
        "at": None if not ends or percent is None or abs(percent) > reach else _place(percent, reach),
        "cut": (("left",) if low < -reach else ()) + (("right",) if high > reach else ()),
    }


def _ends(row: Row) -> tuple[float, float] | None:
    """The interval, per cent; its upper end may be infinite."""
    if row.low is None or not row.baseline:
        return None
    high = math.inf if row.high is None else 100 * row.high / row.baseline
    return 100 * row.low / row.baseline, high


def _end(percent: float) -> str:
    return f"> +{FAR}" if percent > FAR else _signed(percent)


def _signed(percent: float | None) -> str:
    return "–" if percent is None else f"{percent:+.1f}".replace("-", "−")


def _place(percent: float, reach: float) -> float:
    share = max(-1.0, min(1.0, percent / reach))
    return round(WIDTH / 2 * (1 + 0.96 * share), 1)


def _over_time(comparison: Comparison, readers: Sequence[RunReader]) -> tuple[int, list[Spec]]:
    """p99 of every run, each from the start of its own measure phase."""
    longest = max(run.summary["measure_s"] for run in comparison.runs)
    step = max(1, -(-int(longest) // POINTS))
    drawn = []
    for stage in CHARTED:
        lines = []
        for number, (run, reader) in enumerate(zip(comparison.runs, readers, strict=True)):
            rows = reader.ask("latency_points", stage=stage, point_s=step)
            values = _aligned(rows, step, run.start_s)
            if values:
                more: dict[str, Any] = {"factor": MS_PER_US, **curves.hue(number)}
                lines.append(series(run.run_id, values=values, **more))
        if not lines:
            continue
        query = f"latency_points --param stage={stage} --param point_s={step}"
        spec = chart(f"time-{stage}", f"{title(stage)}, p99", "ms", query, lines, log="choice", height=200)
        summary = f"{title(stage)}, p99 of each {step} s from the start of each run's measure phase."
        drawn.append(spec | {"labelled": True, "summary": summary})
    return step, _padded(drawn)


def _aligned(rows: Sequence[dict[str, Any]], step: int, start_s: float) -> list[int | None]:
    """p99 of every point from the first whole point of the measure phase, also before any message."""
    if not rows:
        return []
    first = math.ceil(start_s / step) * step
    times = [int(row["time"].timestamp()) for row in rows]
    known = dict(zip(times, (row["p99_us"] for row in rows), strict=True))
    return [known.get(at) for at in range(first, times[-1] + 1, step)]


def _padded(drawn: list[Spec]) -> list[Spec]:
    """Make all lines as long as the longest, because all charts over time share one axis."""
    lines = [line["values"] for spec in drawn for line in spec["series"]]
    length = max(map(len, lines), default=0)
    for values in lines:
        values += [None] * (length - len(values))
    return drawn
