# SPDX-License-Identifier: Apache-2.0
"""The explanation of a run: its episodes, each with a verdict, and what was not measured."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from tailrace.errors import BadInput
from tailrace.explain import clock_steps, logs, missing_metrics
from tailrace.explain.conditions import CLEAR
from tailrace.explain.episodes import LEAST_BAD_S, Baseline, Detection, Episode, Second, find
from tailrace.explain.ranking import EpisodeVerdict, rank
from tailrace.explain.reading import brokers, event_signals, latencies
from tailrace.explain.signals import Broker, Signal, parse
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.queries.ask import RunReader, concurrently, moment
from tailrace.stages import EXPLAINED

LATENCIES = ("_p50_ms", "_p99_ms")
# Seconds on either side of an episode that the query of a signal shows.
CONTEXT_S = 15
Stages = dict[str, dict[int, Second]]


@dataclass(frozen=True)
class ExplainedEpisode:
    """One episode. ``ranking``: the command that shows all signals; ``signals``: ranked.

    ``marks`` are shown beside the episode and never evidence. ``logged``: the log lines around it, None
    for a run without logs.
    """

    episode: Episode
    baseline: Baseline
    verdict: EpisodeVerdict
    signals: list[Signal]
    ranking: str
    marks: Sequence[Mark]
    logged: logs.LogExcerpt | None = None

    def changed(self) -> list[Signal]:
        """The signals that clearly changed, except latencies, the strongest first."""
        return [s for s in self.signals if abs(s.z) >= CLEAR and not s.name.endswith(LATENCIES)]

    def host(self, signal: Signal) -> str:
        """The signal's host if several hosts have this signal, else empty."""
        hosts = {each.host for each in self.signals if each.name == signal.name}
        return signal.host if len(hosts) > 1 else ""

    def origin(self, signal: Signal) -> str:
        """A suffix for the signal's name, such as `` of sdb on host-2``; empty if unambiguous."""
        words = f" of {signal.device}" if signal.device else ""
        if self.host(signal):
            return f"{words} on {signal.host}"
        brokers = {each.broker for each in self.signals if each.name == signal.name}
        if not signal.device and signal.broker >= 0 and len(brokers) > 1:
            return f" of broker {signal.broker}"
        return words


@dataclass(frozen=True)
class Explanation:
    """``start`` and ``end``: the requested seconds since 1970, without the end;
    ``scattered``: bad seconds among them outside of episodes."""

    reader: RunReader
    start: int
    end: int
    baselines: dict[str, Baseline]
    episodes: list[ExplainedEpisode]
    scattered: list[Episode]
    unseen: list[str]
    stages: Stages

    def query(self, explained: ExplainedEpisode, signal: Signal) -> str:
        """The command that shows the signal second by second around the episode."""
        episode = explained.episode
        times = {"since": moment(episode.start - CONTEXT_S), "to": moment(episode.end + CONTEXT_S)}
        if signal.unit == "events":
            return self.reader.command("run_events", **times)
        place = {"device": signal.device, "host": explained.host(signal)}
        given = {name: value for name, value in place.items() if value}
        return self.reader.command("signals_per_second", signal=signal.name, **given, **times)


@dataclass(frozen=True)
class _Context:
    """What the explanation of every episode needs. ``with_logs``: whether the run has log lines."""

    reader: RunReader
    found: Detection
    brokers: Sequence[Broker]
    steps: clock_steps.ClockSteps
    marks: Sequence[Mark]
    with_logs: bool


def window(reader: RunReader) -> tuple[int, int]:
    """The measure phase in whole seconds; the whole run if it has none. Raises BadInput."""
    rows = reader.ask("phases")
    if not rows:
        raise BadInput(f"run {reader.run_id} has no phase: no message was ever intended in it")
    phases = {row["phase"]: row for row in rows}
    phase = phases.get("measure", rows[0])
    start, end = phase["start_time"].timestamp(), phase["end_time"].timestamp()
    if "measure" not in phases:
        end = max(start + 1, rows[-1]["end_time"].timestamp())
    elif end <= start:
        # No end of the phase was recorded, so it ends with the stored messages.
        (summary,) = reader.ask("run_summary_rollup")
        end = start + max(1, summary["measure_s"])
    # A second shared by two phases belongs to neither.
    return -int(-start // 1), max(-int(-start // 1) + 1, int(end))


def explain(reader: RunReader, since: int | None = None, to: int | None = None) -> Explanation:
    """Explain the run, or the part of it between two seconds since 1970.

    The baseline is always of the whole measure phase. Raises BadInput if there is nothing to explain.
    """
    start, end = window(reader)
    stages = latencies(reader)
    _require_rows(reader, stages, start)
    end = _last_measured(stages, start, end)
    found = find(stages, start, end)
    first, last = max(start, since) if since else start, min(end, to + 1) if to else end
    if first >= last:
        raise BadInput(
            f"--from {moment(since or start)} --to {moment(to or end)}: no second of the measure"
            f" phase, which is {moment(start)} to {moment(end)}"
        )
    inside = [e for e in found.episodes if e.start < last and e.end >= first]
    with concurrently() as threads:
        # The slow queries start first; the others run beside them.
        signals = [threads.submit(_signals, reader, each, found) for each in inside]
        gaps = threads.submit(reader.ask, "metric_gaps", since=moment(start - 20), to=moment(end + 5))
        known = brokers(reader)
        steps = clock_steps.read(reader)
        lines = reader.ask("broker_log_counts")
        context = _Context(reader, found, known, steps, marks.read(reader.ask), bool(lines))
        explained = [_explained(context, *each) for each in zip(inside, signals, strict=True)]
        unseen = (
            _warming(found)
            + _ended(stages, start, end)
            + missing_metrics.sentences(gaps.result(), known)
            + steps.sentences()
            + logs.uncollected(lines, [each.host for each in known])
        )
    return Explanation(
        reader=reader,
        start=first,
        end=last,
        baselines=found.baselines,
        episodes=explained,
        scattered=[each for each in found.scattered if first <= each.start < last],
        unseen=unseen,
        stages=stages,
    )


def _require_rows(reader: RunReader, stages: Stages, start: int) -> None:
    if not any(at >= start for seconds in stages.values() for at in seconds):
        raise BadInput(f"run {reader.run_id}: no message of its measure phase is stored")


def _last_measured(stages: Stages, start: int, end: int) -> int:
    """The end of the measure phase; of a run that was cut short, the second after its last message."""
    last = max(at for seconds in stages.values() for at in seconds)
    return min(end, max(start, last) + 1)


def _warming(found: Detection) -> list[str]:
    if not found.warming:
        return []
    first, last = found.warming
    return [
        f"latency was still coming down in the first {last - first + 1} s of the measure phase"
        f" ({moment(first)[11:]}–{moment(last)[11:]}): the warm-up was too short, or something began"
        " before it; these seconds have no verdict"
    ]


def _ended(stages: Stages, start: int, end: int) -> list[str]:
    sentences = []
    for stage in EXPLAINED:
        last = max((at for at in stages.get(stage, {}) if at < end), default=start)
        if end - last > LEAST_BAD_S:
            sentences.append(
                f"no {stage} latency after {moment(last)[11:]}: either no message was acknowledged or"
                " received, or rows are not stored (tailrace audit shows which)"
            )
    return sentences


def _signals(reader: RunReader, episode: Episode, found: Detection) -> list[Signal]:
    rows = reader.ask("signal_ranking", **_ranking_params(episode, found))
    seconds = episode.end - episode.start + 1
    return [*parse(rows, seconds), *event_signals(reader, episode)]


def _ranking_params(episode: Episode, found: Detection) -> dict[str, Any]:
    return {
        "stage": episode.stage,
        "since": moment(episode.start),
        "to": moment(episode.end),
        "limit_us": round(found.baselines[episode.stage].p99_limit),
    }


def _explained(context: _Context, episode: Episode, ranked: Future[list[Signal]]) -> ExplainedEpisode:
    reader, found, signals = context.reader, context.found, ranked.result()
    rise = max(0.0, next((s.rise for s in signals if s.name == f"{episode.stage}_p99_ms"), 0.0))
    step = context.steps.behind(episode, rise)
    clock_moved = EpisodeVerdict(unknown=clock_steps.why(step)) if step else None
    return ExplainedEpisode(
        episode=episode,
        baseline=found.baselines[episode.stage],
        verdict=clock_moved or rank(signals, context.brokers, episode.stage, rise),
        signals=signals,
        ranking=reader.command("signal_ranking", **_ranking_params(episode, found)),
        logged=logs.around(reader, episode.start, episode.end) if context.with_logs else None,
        marks=marks.beside(context.marks, episode.start, episode.end + 1),
    )
