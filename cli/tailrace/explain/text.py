# SPDX-License-Identifier: Apache-2.0
"""The explanation as text for a terminal."""

import math
from collections.abc import Iterator

from tailrace.explain import logs
from tailrace.explain.episodes import LEAST_BAD_S
from tailrace.explain.explanation import ExplainedEpisode, Explanation
from tailrace.explain.ranking import EpisodeVerdict
from tailrace.explain.signals import Signal
from tailrace.queries.ask import moment
from tailrace.stages import SHORT

# Signals shown for each episode.
EVIDENCE = 6


def lines(explanation: Explanation) -> Iterator[str]:
    """Text, a line at a time."""
    for stage, baseline in explanation.baselines.items():
        yield (
            f"{SHORT[stage]}: baseline p50 {ms(baseline.p50)}, p99 {ms(baseline.p99)};"
            f" an episode is above {ms(baseline.p50_limit)} or {ms(baseline.p99_limit)}"
        )
    times = f"{moment(explanation.start)} to {moment(explanation.end)[11:]} UTC"
    yield f"{summary(explanation)}, {times}"
    for number, each in enumerate(explanation.episodes, 1):
        yield ""
        yield from _episode(explanation, each, number)
    if explanation.episodes and explanation.scattered:
        yield ""
        yield f"Outside of them {scattered(explanation)}"
    if explanation.unseen:
        yield ""
        yield "Not measured:"
        for sentence in explanation.unseen:
            yield f"  {sentence}"


def summary(explanation: Explanation) -> str:
    """How often latency left its baseline, in one clause."""
    run, count = explanation.reader.run_id, len(explanation.episodes)
    if not count:
        return f"{run}: {calm(explanation)}"
    return f"{run}: latency left its baseline {'once' if count == 1 else f'{count} times'}"


def calm(explanation: Explanation) -> str:
    """The seconds without an episode, in one clause."""
    if not explanation.baselines:
        return "too few seconds with messages for a baseline"
    above = scattered(explanation)
    if not above:
        return "latency stayed at its baseline"
    return f"no episode of {LEAST_BAD_S} s or longer; {above}"


def scattered(explanation: Explanation) -> str:
    """The seconds above the baseline outside of episodes; empty if there are none."""
    found = explanation.scattered
    if not found:
        return ""
    # A second without an acknowledgement counts as the slowest.
    slowest = max(found, key=lambda each: math.inf if math.isnan(each.p99) else each.p99)
    level = "no message acknowledged" if math.isnan(slowest.p99) else f"p99 {ms(slowest.p99)}"
    at = f"at {moment(slowest.start)[11:]} UTC ({SHORT[slowest.stage]} {level})"
    seconds = len({each.start for each in found})
    if seconds == 1:
        return f"a single second was above the baseline, {at}"
    return f"{seconds} single seconds were above the baseline, the slowest {at}"


def _episode(explanation: Explanation, explained: ExplainedEpisode, number: int) -> Iterator[str]:
    judged, best = explained.verdict, explained.verdict.best
    yield f"{number}. {headline(explained)}"
    if best is None:
        yield f"   unknown: {judged.why}; the signals that changed most:"
        evidence = tuple(explained.changed())
    else:
        yield f"   {verdict(judged)}"
        yield f"   {best.why}"
        evidence = best.signals
    for signal in evidence[:EVIDENCE]:
        yield "     " + signal_line(signal, explained.origin(signal))
        yield f"       {explanation.query(explained, signal)}"
    if len(judged.ranked) > 1:
        others = ", ".join(f"{cause.name} {cause.score:.2f}" for cause in judged.ranked[1:4])
        yield f"   less likely: {others}"
    if explained.logged:
        for line in logs.lines(explained.logged):
            yield "   " + line
    yield f"   all signals: {explained.ranking}"
    for mark in explained.marks:
        yield f"   {mark.sentence}"


def headline(explained: ExplainedEpisode) -> str:
    """``14:05:12 for 11 s: publish p99 up to 6,799 ms, baseline 16.8 ms``."""
    episode = explained.episode
    return f"{moment(episode.start)[11:]} for {episode.end - episode.start + 1} s: {latency(explained)}"


def verdict(judged: EpisodeVerdict) -> str:
    """``slow_drive of drive sda at broker 1 (high confidence, score 0.94)``, or ``unknown``."""
    best = judged.best
    if best is None:
        return judged.cause
    drive = f" of drive {best.device}" if best.device else ""
    broker = f" at broker {best.broker}" if best.broker is not None else ""
    return f"{best.name}{drive}{broker} ({judged.confidence} confidence, score {best.score:.2f})"


def signal_line(signal: Signal, origin: str) -> str:
    """A signal in one line: ``drive_write_ms of sdb 0.1 → 15.2 ms (z 150, 2 s before latency)``."""
    if signal.rise > 0 and signal.peak > max(2 * signal.during, signal.quiet_peak):
        worst_second = f", at worst {brief(signal.peak)}"
    else:
        worst_second = ""
    onset = f", {when(signal.onset_s)}" if signal.onset_s is not None else ""
    follows = f", follows p99 at {signal.rho:+.2f}" if signal.rho is not None else ""
    values = f"{brief(signal.before)} → {brief(signal.during)} {signal.unit}{worst_second}"
    return f"{signal.name}{origin} {values} (z {signal.z:.0f}{onset}{follows})"


def when(onset_s: int) -> str:
    if onset_s == 0:
        return "together with latency"
    return f"{abs(onset_s)} s {'before' if onset_s < 0 else 'after'} latency"


def brief(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def ms(us: float) -> str:
    return f"{brief(us / 1000)} ms"


def latency(explained: ExplainedEpisode) -> str:
    """``publish p99 up to 6,799 ms, baseline 16.8 ms``."""
    p99 = explained.episode.p99
    worst = "no message was acknowledged" if math.isnan(p99) else f"up to {ms(p99)}"
    return f"{SHORT[explained.episode.stage]} p99 {worst}, baseline {ms(explained.baseline.p99)}"
