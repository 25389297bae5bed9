# SPDX-License-Identifier: Apache-2.0
"""The report's section on where the time went: stages of the slowest messages over time, and of all in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace.breakdown import rollup
from tailrace.breakdown.parts import BANDS, PARTS, SIDES, WHOLE, label
from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief
from tailrace.queries.ask import Ask, Row, RunReader, moment
from tailrace.report.data import RunData
from tailrace.warehouse import first_line

SLOWEST = "slowest-1%"
BESIDE = {"delivery": "end_to_end", "publish": "publish"}


@dataclass(frozen=True)
class Side:
    """One latency: its chart, and rows (stage, meaning, row of all messages, row of the slowest)."""

    name: str
    title: str
    spec: Spec
    rows: Sequence[tuple[str, str, Row, Row]]
    all: Row
    slow: Row
    measured: Row


def read(data: RunData, reader: RunReader, ask: Ask, unread: list[str]) -> list[Side]:
    """Both latencies, end-to-end first; none for a run without request rows or messages."""
    try:
        if not data.measured or not rollup.ensure(reader.client, reader.run_id):
            return []
    except DatabaseError as err:  # such as a user who may only read
        unread.append(f"stages: {first_line(err)[:160]}")
        return []
    found = {row["side"]: row for row in ask("stages_measured")}
    sides = (_side(data, ask, name, found[name]) for name in BESIDE if name in found)
    return [side for side in sides if side]


def _side(data: RunData, ask: Ask, name: str, measured: Row) -> Side | None:
    measure = next((phase for phase in data.phases if phase.name == "measure"), None)
    span = {"since": moment(measure.start), "to": moment(measure.end)} if measure else {}
    every, slow = ({row["stage"]: row for row in ask("stages", side=name, band=band, **span)} for band in (0, 2))
    if WHOLE not in every or WHOLE not in slow:
        return None
    rows = [(label(stage), PARTS[stage], every[stage], slow.get(stage, {})) for stage in PARTS if stage in every]
    return Side(name, SIDES[name], _chart(data, ask, name), rows, every[WHOLE], slow[WHOLE], measured)


def _chart(data: RunData, ask: Ask, name: str) -> Spec:
    by_stage: dict[str, dict[int, Row]] = {}
    wholes: dict[int, Row] = {}
    for row in ask("stages_over_time", side=name, band=BANDS[SLOWEST], step_s=data.step):
        at = int(row["time"].timestamp())
        by_stage.setdefault(row["stage"], {})[at] = wholes[at] = row
    present = [stage for stage in PARTS if any(row["mean_us"] > 0 for row in by_stage.get(stage, {}).values())]
    whole = data.aligned(wholes, itemgetter("latency_us"))
    lines = []
    # The last series is the lowest: the first stage is drawn at the bottom.
    for stage in reversed(present):
        values = data.aligned(by_stage[stage], itemgetter("mean_us"))
        kept = [None if all_us is None else max(0.0, us or 0.0) for us, all_us in zip(values, whole, strict=True)]
        lines.append(series(label(stage), f"stage-{stage}", kept, factor=MS_PER_US, width=0.5, fill=True))
    step = f" --param step_s={data.step}" if data.step > 1 else ""
    title = f"{SIDES[name][0].upper()}{SIDES[name][1:]} of the slowest 1 %, by stage"
    spec = chart(f"stages-{name}", title, "ms", f"stages_over_time --param side={name}{step}", lines, height=260)
    most = max((us for us in whole if us is not None), default=0)
    summary = f"Mean time of the slowest 1 % of each second in {len(lines)} stages, up to {brief(most / 1000)} ms."
    return spec | {"stacked": True, "summary": summary}


def beside(sides: Sequence[Side], drives: Sequence[Spec]) -> list[Spec]:
    """The drives' charts again below those of the stages; the last chart has the labels of the time axis."""
    if not sides:
        return []
    copies = [spec | {"id": f"stages-{spec['id']}", "labelled": False} for spec in drives]
    (copies or [side.spec for side in sides])[-1]["labelled"] = True
    return copies
