# SPDX-License-Identifier: Apache-2.0
"""The explanation as one HTML page with the report's charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tailrace.explain.explanation import ExplainedEpisode, Explanation
from tailrace.explain.logs import LogExcerpt
from tailrace.explain.signals import NO_BROKER, Signal
from tailrace.explain.text import brief, latency, ms, summary, when
from tailrace.page import frame
from tailrace.page.specs import Spec, chart, embedded, series
from tailrace.queries.ask import Row, RunReader, moment
from tailrace.stages import SHORT
from tailrace.stages import title as title_of

# Charts of evidence on one page; the tables list all evidence.
AT_MOST = 9
PER_CAUSE = 4
TEMPLATE = ("tailrace.explain", "explanation.html.j2")
COLUMNS = ("Signal", "Quiet", "During", "Worst", "z", "Began", "Follows p99")


@dataclass(frozen=True)
class Section:
    """One verdict: a table of its evidence and the commands that show it."""

    title: str
    lead: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    commands: Sequence[str]
    note: str = ""
    logged: LogExcerpt | None = None


@dataclass(frozen=True)
class ChartedSignal:
    """A signal with a chart. ``origin``: a suffix of the title; ``host``: if several hosts have it."""

    signal: Signal
    origin: str
    host: str

    def has(self, row: Row) -> bool:
        """Whether a row of ``signals_per_second`` belongs to the signal. The ranking names a drive's
        broker, the row does not."""
        signal = self.signal
        place = (row["signal"], row["host"], row["device"])
        if place != (signal.name, signal.host, signal.device):
            return False
        return row["broker"] in (NO_BROKER, signal.broker)


def write(explanation: Explanation, target: Path) -> None:
    """Write the page. Raises BadInput if the file cannot be written."""
    count = len(explanation.episodes)
    facts = [
        (
            SHORT[stage],
            f"p99 {ms(baseline.p99)}, p50 {ms(baseline.p50)}",
            f"bad above {ms(baseline.p99_limit)} or {ms(baseline.p50_limit)}",
        )
        for stage, baseline in explanation.baselines.items()
    ]
    times = f"{moment(explanation.start)[11:]} to {moment(explanation.end)[11:]} UTC"
    facts += [("Time examined", times, moment(explanation.start)[:10]), ("Episodes", str(count), "")]
    charted = _charted(explanation)
    axis = range(explanation.start, explanation.end)
    charts = [_latency(explanation, stage, axis) for stage in explanation.baselines]
    charts += evidence_charts(explanation.reader, charted, axis)
    spans = [
        ("episode", each.verdict.cause.replace("_", " "), each.episode.start, each.episode.end + 1)
        for each in explanation.episodes
    ]
    run_id = explanation.reader.run_id
    frame.write(
        target,
        "--html",
        *TEMPLATE,
        run_id=run_id,
        run_argument=run_id,
        headline=summary(explanation),
        facts=facts,
        unseen=explanation.unseen,
        sections=[_section(explanation, each, n) for n, each in enumerate(explanation.episodes, 1)],
        charts=charts,
        page=embedded(run_id, axis.start, range(len(axis)), charts, spans),
        axis="One value a second; all charts share one time axis.",
        shaded="the episodes" if count else "none, there was no episode",
        dashed="Dashed: the baseline.",
    )


def _section(explanation: Explanation, explained: ExplainedEpisode, number: int) -> Section:
    episode, best = explained.episode, explained.verdict.best
    drive = f" of drive {best.device}" if best and best.device else ""
    seconds = episode.end - episode.start + 1
    lead = f"{moment(episode.start)[11:]} for {seconds} s: {latency(explained)}."
    title = f"{number}. {explained.verdict.cause.replace('_', ' ')}{drive}"
    if best:
        title += f", {explained.verdict.confidence} confidence"
        lead = f"{best.why} {lead}"
    else:
        why = explained.verdict.why
        lead = f"{why[0].upper()}{why[1:]}; these signals changed most. {lead}"
    signals = evidence(explained)
    others = ", ".join(f"{c.name} {c.score:.2f}" for c in explained.verdict.ranked[1:4])
    notes = [f"Less likely: {others}."] if others else []
    # Marks are shown beside the verdict and are never evidence.
    notes += [f"{mark.sentence[0].upper()}{mark.sentence[1:]}." for mark in explained.marks]
    return Section(
        title=title,
        lead=lead,
        columns=COLUMNS,
        rows=[_row(signal, explained.origin(signal)) for signal in signals],
        commands=[explained.ranking, *(explanation.query(explained, each) for each in signals)],
        note=" ".join(notes),
        logged=explained.logged,
    )


def evidence(explained: ExplainedEpisode) -> list[Signal]:
    """The evidence of the verdict; for an unknown cause the signals that changed most."""
    best = explained.verdict.best
    return list(best.signals) if best else explained.changed()[:6]


def _row(signal: Signal, origin: str) -> list[str]:
    return [
        signal.name + origin,
        f"{brief(signal.before)} {signal.unit}",
        f"{brief(signal.during)} {signal.unit}",
        brief(signal.peak),
        f"{signal.z:.0f}",
        when(signal.onset_s) if signal.onset_s is not None else "–",
        f"{signal.rho:+.2f}" if signal.rho is not None else "–",
    ]


def _charted(explanation: Explanation) -> list[ChartedSignal]:
    """The evidence to draw, each signal once."""
    chosen: dict[tuple[str, str, str, int], ChartedSignal] = {}
    for each in explanation.episodes:
        for signal in evidence(each)[:PER_CAUSE]:
            if signal.unit != "events":
                # Host and name identify a drive, whichever brokers have their log on it.
                broker = NO_BROKER if signal.device else signal.broker
                place = (signal.name, signal.host, signal.device, broker)
                chosen.setdefault(place, ChartedSignal(signal, each.origin(signal), each.host(signal)))
    return list(chosen.values())[:AT_MOST]


def _latency(explanation: Explanation, stage: str, axis: range) -> Spec:
    known = explanation.stages[stage]
    baseline = explanation.baselines[stage]
    hue = {"publish": "publish", "end_to_end": "e2e"}[stage]

    def values(name: str) -> list[float | None]:
        return [getattr(known[at], name) if at in known else None for at in axis]

    lines = [
        series("p99", f"{hue}-3", values("p99"), factor=0.001, width=1.9),
        series("p50", f"{hue}-1", values("p50"), factor=0.001, width=1.6),
        series("baseline p99", "target", [baseline.p99] * len(axis), factor=0.001, dash="dashed"),
    ]
    title = title_of(stage)
    spec = chart(
        f"latency-{stage}", title, "ms", "latency_percentiles_per_second", lines,
        log="choice", height=190, named=stage == "publish",
    )  # fmt: skip
    return spec | {"summary": sentence(spec)}


def evidence_charts(reader: RunReader, charted: Sequence[ChartedSignal], axis: range) -> list[Spec]:
    """A chart for each signal, with its baseline; the last one has the axis' labels."""
    if not charted:
        return []
    names = ",".join(sorted({each.signal.name for each in charted}))
    times = {"since": moment(axis.start), "to": moment(axis.stop)}
    rows = reader.ask("signals_per_second", signal=names, **times)
    charts = []
    for number, each in enumerate(charted):
        signal = each.signal
        known = {int(row["time"].timestamp()): row["value"] for row in rows if each.has(row)}
        lines = [
            series(signal.name, "drive-1", [known.get(at) for at in axis]),
            series("quiet", "target", [signal.before] * len(axis), dash="dashed"),
        ]
        title = signal.name.replace("_", " ") + each.origin
        query = f"signals_per_second --param signal={signal.name}"
        query += f" --param host={each.host}" if each.host else ""
        last = number == len(charted) - 1
        spec = chart(f"signal-{number}", title, signal.unit, query, lines, height=110, labelled=last)
        charts.append(spec | {"summary": sentence(spec)})
    return charts


def sentence(spec: Spec) -> str:
    """The chart in one sentence, for screen readers."""
    values = [v for v in spec["series"][0]["values"] if v is not None and not math.isnan(v)]
    if not values:
        return f"{spec['title']}: no value."
    factor = spec["series"][0]["factor"]
    low, high = min(values) * factor, max(values) * factor
    return f"{spec['title']}, {spec['unit']}, per second: {brief(low)} to {brief(high)}."
