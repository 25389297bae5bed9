# SPDX-License-Identifier: Apache-2.0
"""The explanation of a long run as one HTML page with the report's charts."""

from collections.abc import Sequence
from pathlib import Path

from tailrace.explain.logs import LogExcerpt
from tailrace.explain.long_run import LongExplanation
from tailrace.explain.long_text import order, over, place, when
from tailrace.explain.page import AT_MOST, TEMPLATE, Section, sentence
from tailrace.explain.shifts import Series, Shift
from tailrace.explain.text import brief
from tailrace.page import frame
from tailrace.page.specs import Spec, chart, embedded, series
from tailrace.queries.ask import moment

COLUMNS = ("Signal", "Before", "After", "Factor", "Shift", "In order")
ALWAYS = ("publish_p99_ms", "end_to_end_p99_ms", "drive_write_ms")


def write(found: LongExplanation, target: Path) -> None:
    """Write the page. Raises BadInput if the file cannot be written."""
    count = len(found.groups) + len(found.trends)
    run_id, step = found.reader.run_id, found.point_s
    axis = range(-(-found.start // step) * step, found.end // step * step, step)
    charts = [_chart(found, one, n, axis) for n, one in enumerate(_charted(found))]
    if charts:
        charts[-1] |= {"labelled": True}
    steps = enumerate(found.with_logs(), 1)
    sections = [_section(found, f"{n}. Step", group, logged) for n, (group, logged) in steps]
    if found.trends:
        sections.append(_section(found, "Trends", found.trends))
    firsts = [group[0] for group in found.groups]
    spans = [("episode", "step", each.at, each.last if each.hidden else each.at + step) for each in firsts]
    frame.write(
        target,
        "--html",
        *TEMPLATE,
        run_id=run_id,
        run_argument=run_id,
        headline=f"{run_id}: {count or 'no'} lasting change{'' if count == 1 else 's'}",
        facts=[
            ("From", moment(found.start), ""),
            ("To", moment(found.end), f"{(found.end - found.start) / 3600:.1f} h"),
            ("Points", f"{step} s", f"{len(axis)} of them"),
            ("Changes", str(count), f"{len(found.trends)} of them trends"),
        ],
        unseen=found.unseen,
        sections=sections,
        charts=charts,
        page=embedded(run_id, axis.start, range(0, len(axis) * step, step), charts, spans),
        axis=f"One value for each {step} s; all charts share one time axis.",
        shaded="the steps" if found.groups else "none, there was no step",
        dashed="",
    )


def _section(found: LongExplanation, title: str, shifts: Sequence[Shift], logged: LogExcerpt | None = None) -> Section:
    is_step = shifts[0].kind == "step"
    rows = [
        [
            place(found, each.series),
            f"{brief(each.before)} {each.series.unit}",
            f"{brief(each.after)} {each.series.unit}",
            f"×{each.ratio:.2f}",
            moment(each.at)[11:] if is_step else "–",
            order(each, shifts) if is_step else over(found, each),
        ]
        for each in shifts
    ]
    lead = "In the order in which they moved." if is_step else "Steps are subtracted first."
    commands = list(dict.fromkeys(each.series.query for each in shifts))
    title += f" {when(shifts)}" if is_step else ""
    return Section(title, lead, COLUMNS, rows, commands, logged=logged)


def _charted(found: LongExplanation) -> list[Series]:
    """The series to draw: latencies and drives first, then the others that changed."""
    changed = [each.series for group in found.groups for each in group]
    changed += [each.series for each in found.trends]
    chosen = [one for one in found.series if one.name in ALWAYS]
    chosen += [one for one in changed if not one.name.endswith("_ms") or one.device]
    chosen += changed
    unique = {(one.name, one.host, one.device, one.broker): one for one in reversed(chosen)}
    return list(reversed(unique.values()))[:AT_MOST]


def _chart(found: LongExplanation, one: Series, number: int, axis: range) -> Spec:
    known = dict(zip(one.times, one.values, strict=True))
    line = series(one.name, "e2e-3" if not one.device else "drive-1", [known.get(at) for at in axis])
    _, _, where = place(found, one).partition(one.name)
    title = one.name.replace("_", " ") + where
    query = one.query.partition("tailrace query ")[2].replace(f" --run {run_of(one)}", "")
    scale = "choice" if one.unit == "ms" else "never"
    spec = chart(f"long-{number}", title, one.unit, query, [line], height=130, log=scale)
    return spec | {"summary": sentence(spec)}


def run_of(one: Series) -> str:
    """The run that the series' command names."""
    return one.query.partition("--run ")[2].split()[0]
