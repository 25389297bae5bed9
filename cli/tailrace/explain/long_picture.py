# SPDX-License-Identifier: Apache-2.0
"""What changed over hours as one HTML file, drawn by the report's charts."""

from collections.abc import Sequence
from pathlib import Path

from tailrace.explain.logs import Logged
from tailrace.explain.long import Long
from tailrace.explain.long_document import beside, order, over, place, when
from tailrace.explain.moved import Moved, Series
from tailrace.explain.picture import AT_MOST, Part, page, render, sentence
from tailrace.explain.reading import moment
from tailrace.explain.show import brief
from tailrace.page.specs import Spec, chart, series

COLUMNS = ("Signal", "Before", "After", "Factor", "Moved", "In order")
ALWAYS = ("publish_p99_ms", "end_to_end_p99_ms", "drive_write_ms")


def write(found: Long, target: Path) -> None:
    """Write the page. Raises BadInput for a file that cannot be written."""
    count = len(found.events) + len(found.trends)
    run_id, step = found.asker.run_id, found.point_s
    axis = range(-(-found.start // step) * step, found.end // step * step, step)
    charts = [_chart(found, one, n, axis) for n, one in enumerate(_wanted(found))]
    if charts:
        charts[-1] |= {"labelled": True}
    steps = enumerate(beside(found), 1)
    parts = [_part(found, f"{n}. Step", event, logged) for n, (event, logged) in steps]
    if found.trends:
        parts.append(_part(found, "Trends", found.trends))
    firsts = [event[0] for event in found.events]
    marks = [("step", each.at, each.last if each.hidden else each.at + step) for each in firsts]
    render(
        target,
        run_id=run_id,
        headline=f"{run_id}: {count or 'no'} change{'' if count == 1 else 's'} that lasted",
        facts=[
            ("From", moment(found.start), ""),
            ("To", moment(found.end), f"{(found.end - found.start) / 3600:.1f} h"),
            ("Points", f"{step} s", f"{len(axis)} of them"),
            ("Changes", str(count), f"{len(found.trends)} of them trends"),
        ],
        unseen=found.unseen,
        parts_told=parts,
        charts=charts,
        page=page(run_id, axis, charts, marks),
        axis=f"One value for each {step} s; all charts share one time axis.",
        shaded="the steps" if found.events else "nothing, there was no step",
        dashed="",
    )


def _part(found: Long, title: str, moved: Sequence[Moved], logged: Logged | None = None) -> Part:
    is_step = moved[0].kind == "step"
    rows = [
        [
            place(found, each.series),
            f"{brief(each.before)} {each.series.unit}",
            f"{brief(each.after)} {each.series.unit}",
            f"×{each.ratio:.2f}",
            moment(each.at)[11:] if is_step else "–",
            order(each, moved) if is_step else over(found, each),
        ]
        for each in moved
    ]
    lead = "In the order in which they moved." if is_step else "Steps are taken off first."
    commands = list(dict.fromkeys(each.series.query for each in moved))
    title += f" {when(moved)}" if is_step else ""
    return Part(title, lead, COLUMNS, rows, commands, logged=logged)


def _wanted(found: Long) -> list[Series]:
    """What changed, the latencies and drives first."""
    moved = [each.series for event in found.events for each in event]
    moved += [each.series for each in found.trends]
    chosen = [one for one in found.series if one.name in ALWAYS]
    chosen += [one for one in moved if not one.name.endswith("_ms") or one.device]
    chosen += moved
    unique = {(one.name, one.host, one.device, one.broker): one for one in reversed(chosen)}
    return list(reversed(unique.values()))[:AT_MOST]


def _chart(found: Long, one: Series, number: int, axis: range) -> Spec:
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
