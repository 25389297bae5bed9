# SPDX-License-Identifier: Apache-2.0
"""The slowest points of the measure phase, by p99."""

import shlex
from dataclasses import dataclass
from statistics import median

from tailrace.page.words import elapsed, latency
from tailrace.queries.ask import Row, moment
from tailrace.report.data import RunData
from tailrace.stages import CHARTED, SHORT

SHOWN = 3
# Seconds on either side of a point that a closer look covers, and the least distance of two points.
AROUND_S = 60


@dataclass(frozen=True)
class Slow:
    """A point of the charts over time. ``clock``: UTC; ``p99``: of its worst second, in words;
    ``command``: explains the time around it."""

    clock: str
    at: str
    latency: str
    p99: str
    command: str


def slowest(data: RunData) -> list[Slow]:
    """The slowest points, the worst first, at least ``AROUND_S`` apart."""
    stage, rows = _measured(data)
    kept: list[int] = []
    for second in sorted(rows, key=lambda at: -_p99(data, rows[at])):
        if len(kept) < SHOWN and all(abs(second - one) > AROUND_S + data.step for one in kept):
            kept.append(second)
    run = shlex.quote(data.summary["run_id"])
    found = []
    for second in kept:
        since, to = moment(second - AROUND_S), moment(second + data.step - 1 + AROUND_S)
        found.append(
            Slow(
                moment(second).replace("T", " "),
                elapsed(second - data.origin),
                SHORT[stage],
                latency(_p99(data, rows[second])),
                f"tailrace explain {run} --from {since} --to {to}",
            )
        )
    return found


def worst_second(data: RunData) -> str | None:
    """The measured second with the highest end-to-end p99, and the flushes of the drive around it. For a
    run that received nothing, the second with the highest publish p99."""
    stage, measured = _measured(data)
    if len(measured) < 3:
        return None
    levels = {at: _p99(data, row) for at, row in measured.items()}
    second = max(levels, key=lambda at: levels[at])
    one = "one" if data.step == 1 else f"{data.step} s at worst"
    text = (
        f"{_place(data, second)}, {SHORT[stage]} p99 {latency(levels[second])};"
        f" the median {one} has {latency(median(levels.values()))}"
    )
    several = len({drive.host for drive in data.drives}) > 1
    for drive in data.drives:
        flushes = {at: row["flush_latency_ms"] for at, row in drive.rows.items() if row["flush_latency_ms"] is not None}
        # The drive may have been slow in the seconds just before.
        near = [at for at in flushes if second - 2 <= at <= second]
        if near:
            span = "In the 3 s up to it" if data.step == 1 else "In it"
            place = f"{drive.device} of {drive.host}" if several else drive.device
            text += (
                f". {span} flushes of {place} took up to "
                f"{latency(1000 * max(flushes[at] for at in near))}; their median has "
                f"{latency(1000 * median(flushes.values()))}"
            )
    return text + "."


def _measured(data: RunData) -> tuple[str, dict[int, Row]]:
    """The first stage with points in the measure phase, and its rows by second."""
    for stage in CHARTED:
        rows = data.latency.get(stage, {})
        measured = {second: row for second, row in rows.items() if row["phase"] == "measure"}
        if measured:
            return stage, measured
    return "publish", {}


def _p99(data: RunData, row: Row) -> int:
    """The p99 of a point, µs; for a point of several seconds, of its worst second."""
    return int(row["p99_us"] if data.step == 1 else row["worst_p99_us"])


def _place(data: RunData, second: int) -> str:
    at = f"{moment(second)[11:]} UTC (+{elapsed(second - data.origin)})"
    return f"Slowest second: {'' if data.step == 1 else f'in the {data.step} s from '}{at}"
