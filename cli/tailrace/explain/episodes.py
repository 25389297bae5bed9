# SPDX-License-Identifier: Apache-2.0
"""Finds the episodes in which latency left its baseline.

All in the logarithm of latency: noise and slowdowns both multiply. Nothing here knows of causes.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STAGES = ("publish", "end_to_end")
# How far a second must be above the baseline, at least: as a factor, and in spreads of its noise.
P99_FACTOR, P99_SPREADS = 2.5, 5
P50_FACTOR, P50_SPREADS = 2.0, 6
LEAST_RISE_US = 1_000
# So many times the usual is bad, however restless the run: noise that wanders between two levels
# has so wide a spread that nothing would ever be above it.
ALWAYS_FACTOR = 10
# Bad seconds this close to each other belong together; fewer of them are no episode.
PAUSE_S = 3
LEAST_BAD_S = 3
# Unless half of a second's messages took this many times the limit: then everything stood still.
STILL_FACTOR = 3.0
# The p99 of 100 messages is one message, and noise comes in bursts: an episode rests on so many
# slow messages, or on half of those that its bad seconds have.
LEAST_SLOW = 20
# A group of bad seconds that the run's scattered ones would form by chance this often is noise.
CHANCE = 0.01
# A run that starts slow and becomes quiet within this time was not warm yet.
WARMING_S = 30
# Of fewer messages a second, a second without one says nothing.
LEAST_RATE = 5


@dataclass(frozen=True)
class Second:
    """Latency of the messages due in one second, µs; ``p99`` is None when none was answered."""

    p50: float | None
    p99: float | None
    events: int
    p90: float | None = None
    p95: float | None = None


NONE = Second(None, None, 0)


@dataclass(frozen=True)
class Baseline:
    """What is usual for one stage, µs. A second is bad above either limit."""

    p50: float
    p99: float
    p50_limit: float
    p99_limit: float
    seconds: int

    def is_bad(self, second: Second) -> bool:
        if second.p50 is None or second.p99 is None:
            return True
        return second.p99 > self.p99_limit or second.p50 > self.p50_limit

    def slow(self, second: Second) -> float:
        """How many of its messages were above a limit, at least, as far as percentiles tell."""
        if second.p50 is None or second.p99 is None:
            return math.inf
        if second.p50 > self.p50_limit:
            return 0.5 * second.events
        above = ((0.1, second.p90), (0.05, second.p95), (0.01, second.p99))
        share = max((s for s, value in above if (value or 0) > self.p99_limit), default=0.0)
        return share * second.events

    def is_standstill(self, second: Second) -> bool:
        """Of few messages a second, one is half of them."""
        if second.p50 is None or second.events < LEAST_RATE:
            return False
        return second.p50 > STILL_FACTOR * self.p50_limit


@dataclass(frozen=True)
class Episode:
    """Seconds since 1970, both ends included; ``p99`` of the worst second, µs."""

    stage: str
    start: int
    end: int
    p99: float


@dataclass(frozen=True)
class Found:
    """``warming``: the seconds at the start that were still slow, when there were any;
    ``scattered``: bad seconds that belong to no episode, one an entry."""

    baselines: dict[str, Baseline]
    episodes: list[Episode]
    warming: tuple[int, int] | None
    scattered: list[Episode]


def baseline(seconds: Sequence[Second]) -> Baseline | None:
    """The quiet level of a stage and its noise; None of under ten seconds with messages."""
    p99 = [math.log(max(s.p99, 1)) for s in seconds if s.p99 is not None]
    p50 = [math.log(max(s.p50, 1)) for s in seconds if s.p50 is not None]
    if len(p99) < 10:
        return None
    level99, spread99 = _quiet(p99)
    level50, spread50 = _quiet(p50)
    return Baseline(
        p50=math.exp(level50),
        p99=math.exp(level99),
        p50_limit=_limit(level50, spread50, P50_FACTOR, P50_SPREADS),
        p99_limit=_limit(level99, spread99, P99_FACTOR, P99_SPREADS),
        seconds=len(p99),
    )


def _quiet(values: Sequence[float]) -> tuple[float, float]:
    """Level and spread of the quieter part of the run, though half of it may be an episode.

    Medians of five seconds in a row are not moved by short noise; the lower of them are quiet. The
    spread is that below the level, which no slowdown can widen.
    """
    smooth = sorted(statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values)))
    level = statistics.median(smooth[: math.ceil(0.7 * len(smooth))])
    below = [level - value for value in values if value <= level]
    return level, 1.4826 * statistics.median(below) if below else 0.0


def _limit(level: float, spread: float, factor: float, spreads: float) -> float:
    above = min(max(math.log(factor), spreads * spread), math.log(ALWAYS_FACTOR))
    limit = math.exp(level + above)
    return max(limit, math.exp(level) + LEAST_RISE_US)


def find(stages: Mapping[str, Mapping[int, Second]], start: int, end: int) -> Found:
    """Episodes in seconds ``[start, end)``, the measure phase; ``stages``: by second since 1970."""
    baselines: dict[str, Baseline] = {}
    groups: dict[str, list[tuple[int, int]]] = {}
    bad: dict[str, list[int]] = {}
    for stage in STAGES:
        known = stages.get(stage, {})
        usual = baseline([known[at] for at in range(start, end) if at in known])
        if usual is None:
            continue
        baselines[stage] = usual
        bad[stage] = _bad(known, usual, start, end)
        judged = {at: known.get(at, NONE) for at in bad[stage]}
        groups[stage] = _groups(judged, usual, end - start)
    warming = None
    for stage, found in groups.items():
        if found and found[0][0] <= start + 1 and found[0][1] < start + WARMING_S:
            if found[0][1] - start > (end - start) / 3:
                continue
            warming = (start, max(found[0][1], warming[1] if warming else 0))
            groups[stage] = found[1:]
    episodes = [
        Episode(stage, first, last, _worst(stages[stage], first, last))
        for stage, found in groups.items()
        for first, last in found
    ]
    joined = _joined(episodes, stages)
    told = [(each.start, each.end) for each in joined] + ([warming] if warming else [])
    scattered = [
        Episode(stage, at, at, _worst(stages[stage], at, at))
        for stage, seconds in bad.items()
        for at in seconds
        if not any(first <= at <= last for first, last in told)
    ]
    return Found(baselines, joined, warming, scattered)


def _bad(known: Mapping[int, Second], usual: Baseline, start: int, end: int) -> list[int]:
    rates = [second.events for second in known.values()]
    # After its last row a stage's silence may be rows that were not stored: that is told apart.
    end = min(end, max(known, default=start) + 1)
    steady = bool(rates) and statistics.median(rates) >= LEAST_RATE
    # The phase begins and ends within a second.
    return [
        at
        for at in range(start, end)
        if (at in known or (steady and start < at < end - 1)) and usual.is_bad(known.get(at, NONE))
    ]


def _groups(bad: Mapping[int, Second], usual: Baseline, seconds: int) -> list[tuple[int, int]]:
    """First and last second of each group that is more than noise."""
    groups: list[list[int]] = []
    for at in bad:
        if groups and at - groups[-1][-1] <= PAUSE_S:
            groups[-1].append(at)
        else:
            groups.append([at])
    stood = [group for group in groups if any(usual.is_standstill(bad[at]) for at in group)]
    large = [
        group
        for group in groups
        if group in stood or (len(group) >= LEAST_BAD_S and _rests_on_enough([bad[at] for at in group], usual))
    ]
    scattered = sum(len(group) for group in groups if group not in large)
    quiet = max(1, seconds - sum(group[-1] - group[0] + 1 for group in large))
    share = max(1, scattered) / quiet
    return [
        (group[0], group[-1])
        for group in large
        if group in stood or _by_chance(len(group), group[-1] - group[0] + 1, share, seconds) < CHANCE
    ]


def _rests_on_enough(bad: Sequence[Second], usual: Baseline) -> bool:
    messages = sum(second.events for second in bad)
    return sum(usual.slow(second) for second in bad) >= min(LEAST_SLOW, messages / 2)


def _by_chance(bad: int, span: int, share: float, seconds: int) -> float:
    """How many such groups a run has of bad seconds that come independently of each other; 1 for
    more. In logarithms: a long group can be chosen in more ways than a float can hold."""
    ways = math.lgamma(span + 1) - math.lgamma(bad + 1) - math.lgamma(span - bad + 1)
    return math.exp(min(0.0, math.log(seconds) + ways + bad * math.log(min(1.0, share))))


def _worst(known: Mapping[int, Second], first: int, last: int) -> float:
    values = (known[at].p99 for at in range(first, last + 1) if at in known)
    return max((value for value in values if value is not None), default=math.nan)


def _joined(episodes: list[Episode], stages: Mapping[str, Mapping[int, Second]]) -> list[Episode]:
    """One episode where several touch. Messages that are late to be acknowledged are late to be
    received, so publish names it."""
    joined: list[Episode] = []
    for episode in sorted(episodes, key=lambda each: each.start):
        last = joined[-1] if joined else None
        if last and episode.start <= last.end + PAUSE_S:
            stage = "publish" if "publish" in (last.stage, episode.stage) else last.stage
            start, end = last.start, max(last.end, episode.end)
            joined[-1] = Episode(stage, start, end, _worst(stages[stage], start, end))
        else:
            joined.append(episode)
    return joined
