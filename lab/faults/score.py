# SPDX-License-Identifier: Apache-2.0
"""Truth and answers, joined by time."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from lab.faults.answers import UNKNOWN, Episode
from lab.faults.impact import Latency, raised
from lab.faults.truth import INJECTED, Injected, Truth

# How long after a fault the backlog that it left may still be draining.
DRAIN_S = 5.0
NO_EPISODE = "no episode"


@dataclass(frozen=True)
class Scored:
    """An injection that took effect, and the verdict of its episode: a cause, or `no episode`."""

    run: str
    injected: Injected
    verdict: str
    device: str | None
    confidence: str = ""

    @property
    def right(self) -> bool:
        return self.verdict == self.injected.cause or self.verdict in self.injected.also

    @property
    def named(self) -> bool:
        """`unknown` counts as a name only where it is the right verdict."""
        return self.verdict != NO_EPISODE and (self.verdict != UNKNOWN or self.right)

    @property
    def device_right(self) -> bool:
        return self.right and self.device == self.injected.device


@dataclass
class Score:
    """The score of one split.

    ``unmatched``: episodes that overlap no injection, in runs with faults (`strays` in RESULT); ``outcomes``: the
    outcome of every planned injection; ``loud``: quiet runs on a machine that was not quiet; ``harmless``: injections
    that took effect, raised no latency and have no episode; ``unanswered``: runs without an answer of explain.
    """

    split: str
    scored: list[Scored] = field(default_factory=list)
    harmless: list[Scored] = field(default_factory=list)
    loud: int = 0
    unmatched: int = 0
    unanswered: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    quiet_by_seed: Counter[int] = field(default_factory=Counter)
    alarms_by_seed: Counter[int] = field(default_factory=Counter)
    seeds: set[int] = field(default_factory=set)

    @property
    def quiet_runs(self) -> int:
        return self.quiet_by_seed.total()

    @property
    def false_alarms(self) -> int:
        return self.alarms_by_seed.total()

    @property
    def top1(self) -> float:
        return sum(one.right for one in self.scored) / len(self.scored) if self.scored else 0.0

    def line(self) -> str:
        """The line that scripts read."""
        on_drive = [one for one in self.scored if one.injected.device is not None and one.right]
        devices = f"{sum(one.device_right for one in on_drive)}/{len(on_drive)}"
        kinds = len({one.injected.kind for one in self.scored})
        return (
            f"RESULT injected={len(self.scored)} named={sum(one.named for one in self.scored)} top1={self.top1:.3f}"
            f" quiet_runs={self.quiet_runs} false_alarms={self.false_alarms} split={self.split}"
            f" seeds={','.join(map(str, sorted(self.seeds))) or '-'} kinds={kinds} devices={devices}"
            f" strays={self.unmatched} harmless={len(self.harmless)} no_effect={self.outcomes['no effect']}"
            f" refused={self.outcomes['refused']} skipped={self.outcomes['skipped']} failed={self.outcomes['failed']}"
            f" unanswered={self.unanswered} loud={self.loud}"
        )


def score(split: str, runs: Iterable[tuple[Truth, list[Episode] | None, Latency | None]]) -> Score:
    """Score the runs of one split. If a run's latency is unknown, none of its injections is harmless."""
    result = Score(split)
    for truth, episodes, latency in runs:
        if truth.split != split:
            continue
        result.seeds.add(truth.seed)
        result.outcomes.update(one.outcome for one in truth.injections)
        if truth.refused:
            continue
        if episodes is None:
            result.unanswered += 1
        elif truth.loud:
            result.loud += 1
        elif truth.quiet:
            result.quiet_by_seed[truth.seed] += 1
            result.alarms_by_seed[truth.seed] += len(episodes)
        else:
            happened = [one for one in truth.injections if one.start is not None]
            windows = [_window(one) for one in happened]
            for one in (one for one in happened if one.outcome == INJECTED):
                scored = _scored(truth, one, episodes)
                harmless = scored.verdict == NO_EPISODE and latency and not raised(latency, _window(one), windows)
                (result.harmless if harmless else result.scored).append(scored)
            result.unmatched += sum(not any(_overlaps(e, one) for one in happened) for e in episodes)
    return result


def _scored(truth: Truth, injected: Injected, episodes: list[Episode]) -> Scored:
    """Match it with the episode that overlaps it longest; of two equal ones, with the first."""
    found = [e for e in episodes if _overlaps(e, injected)]
    if not found:
        return Scored(truth.run, injected, NO_EPISODE, None)
    best = max(found, key=lambda e: (round(e.overlap(*_window(injected)), 1), -e.start, e.stage == "publish"))
    return Scored(truth.run, injected, best.cause, best.device, best.confidence)


def _overlaps(episode: Episode, injected: Injected) -> bool:
    return episode.overlap(*_window(injected)) >= 0


def _window(injected: Injected) -> tuple[float, float]:
    assert injected.start is not None, "it happened"
    assert injected.end is not None, "it happened"
    return (
        datetime.fromisoformat(injected.start).timestamp(),
        datetime.fromisoformat(injected.end).timestamp() + DRAIN_S,
    )
