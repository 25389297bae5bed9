# SPDX-License-Identifier: Apache-2.0
"""The explanation of a run: its episodes, each with a verdict, and what could not be seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.errors import BadInput
from tailrace.explain import clocks, logs, unseen
from tailrace.explain.conditions import CLEAR
from tailrace.explain.episodes import (
    LEAST_BAD_S,
    STAGES,
    Baseline,
    Episode,
    Found,
    Second,
    find,
)
from tailrace.explain.judge import Verdict, judge
from tailrace.explain.reading import (
    Asker,
    at_once,
    brokers,
    events,
    latencies,
    moment,
)
from tailrace.explain.signals import Broker, Signal, parse
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark

LATENCIES = ("_p50_ms", "_p99_ms")
Stages = dict[str, dict[int, Second]]


@dataclass(frozen=True)
class Explained:
    """One episode. ``ranking``: the command that shows all signals; ``signals``: ranked.

    ``marks``: what people noted of that time, to be told beside it; no verdict rests on them.
    ``logged``: lines of logs around it, None of a run without any.
    """

    episode: Episode
    usual: Baseline
    verdict: Verdict
    signals: list[Signal]
    ranking: str
    marks: Sequence[Mark]
    logged: logs.Logged | None = None

    def moved(self) -> list[Signal]:
        """The signals that clearly moved, latencies aside, the most telling first."""
        return [s for s in self.signals if abs(s.z) >= CLEAR and not s.name.endswith(LATENCIES)]

    def host(self, signal: Signal) -> str:
        """The signal's host where several have it; empty where there is nothing to tell apart."""
        hosts = {each.host for each in self.signals if each.name == signal.name}
        return signal.host if len(hosts) > 1 else ""

    def of(self, signal: Signal) -> str:
        """Whose it is, to stand behind its name: `` of sdb on host-2``; empty when clear."""
        words = f" of {signal.device}" if signal.device else ""
        if self.host(signal):
            return f"{words} on {signal.host}"
        brokers = {each.broker for each in self.signals if each.name == signal.name}
        if not signal.device and signal.broker >= 0 and len(brokers) > 1:
            return f" of broker {signal.broker}"
        return words


@dataclass(frozen=True)
class Explanation:
    """``start`` and ``end``: the seconds asked about, since 1970, the end not included;
    ``scattered``: seconds of them above the baseline that belong to no episode."""

    asker: Asker
    start: int
    end: int
    brokers: Sequence[Broker]
    baselines: dict[str, Baseline]
    episodes: list[Explained]
    scattered: list[Episode]
    unseen: list[str]
    stages: Stages


def window(asker: Asker) -> tuple[int, int]:
    """The measure phase in whole seconds, or of a run without one all of it. Raises BadInput."""
    rows = asker.ask("phases")
    if not rows:
        raise BadInput(f"run {asker.run_id} has no phase: no message of it was ever due")
    phases = {row["phase"]: row for row in rows}
    of = phases.get("measure", rows[0])
    start, end = of["start_time"].timestamp(), of["end_time"].timestamp()
    if "measure" not in phases:
        end = max(start + 1, rows[-1]["end_time"].timestamp())
    elif end <= start:
        # It has not ended, or nobody saw it end: as far as messages are stored.
        (summary,) = asker.ask("run_summary_rollup")
        end = start + max(1, summary["measure_s"])
    # A second that the phase shares with another belongs to neither.
    return -int(-start // 1), max(-int(-start // 1) + 1, int(end))


def explain(asker: Asker, since: int | None = None, to: int | None = None) -> Explanation:
    """Explain the run, or the part of it between two seconds since 1970.

    The baseline is always the whole measure phase's. Raises BadInput where there is nothing to
    explain.
    """
    start, end = window(asker)
    stages = latencies(asker)
    _reach_of_rows(asker, stages, start)
    end = _last_measured(stages, start, end)
    found = find(stages, start, end)
    asked = (max(start, since) if since else start, min(end, to + 1) if to else end)
    if asked[0] >= asked[1]:
        raise BadInput(
            f"--from {moment(since or start)} --to {moment(to or end)}: no second of the measure"
            f" phase, which is {moment(start)} to {moment(end)}"
        )
    inside = [e for e in found.episodes if e.start < asked[1] and e.end >= asked[0]]
    with at_once() as threads:
        # What takes long first; the rest is asked beside it.
        ranked = [threads.submit(_ranked, asker, each, found) for each in inside]
        gaps = threads.submit(asker.ask, "metric_gaps", since=moment(start - 20), to=moment(end + 5))
        of = brokers(asker)
        steps = clocks.read(asker)
        lines = asker.ask("broker_log_counts")
        marked = marks.read(asker.ask)
        explained = [
            _explained(asker, each, signals.result(), found, of, steps, marked, bool(lines))
            for each, signals in zip(inside, ranked, strict=True)
        ]
        told = (
            _warming(found)
            + _ended(stages, start, end)
            + unseen.sentences(gaps.result(), [(each.host, each.device) for each in of])
            + steps.sentences()
            + logs.uncollected(lines, [each.host for each in of])
        )
    return Explanation(
        asker=asker,
        start=asked[0],
        end=asked[1],
        brokers=of,
        baselines=found.baselines,
        episodes=explained,
        scattered=[each for each in found.scattered if asked[0] <= each.start < asked[1]],
        unseen=told,
        stages=stages,
    )


def _reach_of_rows(asker: Asker, stages: Stages, start: int) -> None:
    if not any(at >= start for seconds in stages.values() for at in seconds):
        raise BadInput(f"run {asker.run_id}: no message of its measure phase is stored")


def _last_measured(stages: Stages, start: int, end: int) -> int:
    """Of a run that was cut short, the second after its last message."""
    last = max(at for seconds in stages.values() for at in seconds)
    return min(end, max(start, last) + 1)


def _warming(found: Found) -> list[str]:
    if not found.warming:
        return []
    first, last = found.warming
    return [
        f"latency was still coming down in the first {last - first + 1} s of the measure phase"
        f" ({moment(first)[11:]}–{moment(last)[11:]}): a longer warm-up, or something that began"
        " before it; not judged"
    ]


def _ended(stages: Stages, start: int, end: int) -> list[str]:
    told = []
    for stage in STAGES:
        last = max((at for at in stages.get(stage, {}) if at < end), default=start)
        if end - last > LEAST_BAD_S:
            told.append(
                f"no {stage} latency after {moment(last)[11:]}: nothing was answered any more, or"
                " rows are not stored (tailrace audit tells which)"
            )
    return told


def _ranked(asker: Asker, episode: Episode, found: Found) -> list[Signal]:
    rows = asker.ask("signal_ranking", **_asked(episode, found))
    seconds = episode.end - episode.start + 1
    return [*parse(rows, seconds), *events(asker, episode)]


def _asked(episode: Episode, found: Found) -> dict[str, Any]:
    return {
        "stage": episode.stage,
        "since": moment(episode.start),
        "to": moment(episode.end),
        "limit_us": round(found.baselines[episode.stage].p99_limit),
    }


def _explained(
    asker: Asker,
    episode: Episode,
    signals: list[Signal],
    found: Found,
    of: Sequence[Broker],
    steps: clocks.Steps,
    marked: Sequence[Mark],
    with_logs: bool,
) -> Explained:
    rise = max(0.0, next((s.rise for s in signals if s.name == f"{episode.stage}_p99_ms"), 0.0))
    step = steps.behind(episode, rise)
    excused = Verdict(unknown=clocks.why(step)) if step else None
    return Explained(
        episode=episode,
        usual=found.baselines[episode.stage],
        verdict=excused or judge(signals, of, episode.stage, rise),
        signals=signals,
        ranking=asker.command("signal_ranking", **_asked(episode, found)),
        logged=logs.around(asker, episode.start, episode.end) if with_logs else None,
        marks=marks.beside(marked, episode.start, episode.end + 1),
    )
