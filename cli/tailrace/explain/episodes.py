# SPDX-License-Identifier: Apache-2.0
"""Finds the episodes in which latency left its baseline.

All arithmetic is on the logarithm of latency: noise and slowdowns both multiply. This module knows no causes.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailrace.stages import EXPLAINED

# How far a bad second is above the baseline, at least: as a factor, and in spreads of its noise.
P99_FACTOR, P99_SPREADS = 2.5, 5
P50_FACTOR, P50_SPREADS = 2.0, 6
LEAST_RISE_US = 1_000
# A second this many times above the baseline is bad in any run. Noise that alternates between two
# levels has such a wide spread that no second would be above it.
ALWAYS_FACTOR = 10
# Bad seconds this close to each other form a group; an episode has at least this many.
LONGEST_GAP_S = 3
LEAST_BAD_S = 3
# One second is enough if half of its messages took this many times the limit: a standstill.
STANDSTILL_FACTOR = 3.0
# The p99 of 100 messages is one message, and noise comes in bursts. An episode therefore has at least
# this many slow messages, or half of the messages in its bad seconds.
LEAST_SLOW = 20
# A group of bad seconds is noise if scattered seconds would form it by chance this often in the run.
CHANCE = 0.01
# A run that starts slow and becomes quiet within this time was still warming up.
WARMING_S = 30
# At a lower rate than this, a second without a message means nothing.
LEAST_RATE = 5


@dataclass(frozen=True)
class Second:
    """Latency of the messages whose intended send is in one second, µs; ``p99`` is None if none was acknowledged."""

    p50: float | None
    p99: float | None
    messages: int
    p90: float | None = None
    p95: float | None = None


NO_MESSAGE = Second(None, None, 0)


@dataclass(frozen=True)
class Baseline:
    """The baseline of one stage's latency, µs. A second above either limit is bad."""

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
        """How many of its messages were above a limit, at least, according to its percentiles."""
        if second.p50 is None or second.p99 is None:
            return math.inf
        if second.p50 > self.p50_limit:
            return 0.5 * second.messages
        above = ((0.1, second.p90), (0.05, second.p95), (0.01, second.p99))
        share = max((s for s, value in above if (value or 0) > self.p99_limit), default=0.0)
        return share * second.messages

    def is_standstill(self, second: Second) -> bool:
        """Whether half of its messages took far above the limit; never at a low rate."""
        if second.p50 is None or second.messages < LEAST_RATE:
            return False
        return second.p50 > STANDSTILL_FACTOR * self.p50_limit


@dataclass(frozen=True)
class Episode:
    """Seconds since 1970, both ends included; ``p99`` of the worst second, µs."""

    stage: str
    start: int
    end: int
    p99: float


@dataclass(frozen=True)
class Detection:
    """``warming``: the slow seconds at the start, if any; ``scattered``: bad seconds outside of
    episodes, one per entry."""

    baselines: dict[str, Baseline]
    episodes: list[Episode]
    warming: tuple[int, int] | None
    scattered: list[Episode]


def measured_baseline(seconds: Sequence[Second]) -> Baseline | None:
    """The baseline of a stage, with limits from its noise; None if fewer than ten seconds contain messages."""
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
    """Level and spread of the quieter part of the run. Up to half of the run may be an episode.

    Short noise does not change a median of five seconds; the lower medians are quiet. The spread is
    measured below the level, where no slowdown can widen it.
    """
    smooth = sorted(statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values)))
    level = statistics.median(smooth[: math.ceil(0.7 * len(smooth))])
    below = [level - value for value in values if value <= level]
    return level, 1.4826 * statistics.median(below) if below else 0.0


def _limit(level: float, spread: float, factor: float, spreads: float) -> float:
    above = min(max(math.log(factor), spreads * spread), math.log(ALWAYS_FACTOR))
    limit = math.exp(level + above)
    return max(limit, math.exp(level) + LEAST_RISE_US)


def find(stages: Mapping[str, Mapping[int, Second]], start: int, end: int) -> Detection:
    """The episodes in seconds ``[start, end)``, the measure phase; ``stages``: by second since 1970."""
    baselines: dict[str, Baseline] = {}
    groups: dict[str, list[tuple[int, int]]] = {}
    bad: dict[str, list[int]] = {}
    for stage in EXPLAINED:
        known = stages.get(stage, {})
        baseline = measured_baseline([known[at] for at in range(start, end) if at in known])
        if baseline is None:
            continue
        baselines[stage] = baseline
        bad[stage] = _bad(known, baseline, start, end)
        judged = {at: known.get(at, NO_MESSAGE) for at in bad[stage]}
        groups[stage] = _groups(judged, baseline, end - start)
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
    covered = [(each.start, each.end) for each in joined] + ([warming] if warming else [])
    scattered = [
        Episode(stage, at, at, _worst(stages[stage], at, at))
        for stage, seconds in bad.items()
        for at in seconds
        if not any(first <= at <= last for first, last in covered)
    ]
    return Detection(baselines, joined, warming, scattered)


def _bad(known: Mapping[int, Second], baseline: Baseline, start: int, end: int) -> list[int]:
    rates = [second.messages for second in known.values()]
    # Seconds after the last row are not bad: their rows may be missing, which is reported separately.
    end = min(end, max(known, default=start) + 1)
    steady = bool(rates) and statistics.median(rates) >= LEAST_RATE
    # The first and last second are only parts of seconds.
    return [
        at
        for at in range(start, end)
        if (at in known or (steady and start < at < end - 1)) and baseline.is_bad(known.get(at, NO_MESSAGE))
    ]


def _groups(bad: Mapping[int, Second], baseline: Baseline, seconds: int) -> list[tuple[int, int]]:
    """First and last second of each group that is not noise."""
    groups: list[list[int]] = []
    for at in bad:
        if groups and at - groups[-1][-1] <= LONGEST_GAP_S:
            groups[-1].append(at)
        else:
            groups.append([at])
    standstills = [group for group in groups if any(baseline.is_standstill(bad[at]) for at in group)]
    large = [
        group
        for group in groups
        if group in standstills or (len(group) >= LEAST_BAD_S and _enough_slow([bad[at] for at in group], baseline))
    ]
    scattered = sum(len(group) for group in groups if group not in large)
    quiet = max(1, seconds - sum(group[-1] - group[0] + 1 for group in large))
    share = max(1, scattered) / quiet
    return [
        (group[0], group[-1])
        for group in large
        if group in standstills or _by_chance(len(group), group[-1] - group[0] + 1, share, seconds) < CHANCE
    ]


def _enough_slow(bad: Sequence[Second], baseline: Baseline) -> bool:
    messages = sum(second.messages for second in bad)
    return sum(baseline.slow(second) for second in bad) >= min(LEAST_SLOW, messages / 2)


def _by_chance(bad: int, span: int, share: float, seconds: int) -> float:
    """The expected number of such groups in a run whose bad seconds are independent; at most 1. The
    arithmetic is on logarithms because the number of combinations exceeds a float."""
    ways = math.lgamma(span + 1) - math.lgamma(bad + 1) - math.lgamma(span - bad + 1)
    return math.exp(min(0.0, math.log(seconds) + ways + bad * math.log(min(1.0, share))))


def _worst(known: Mapping[int, Second], first: int, last: int) -> float:
    values = (known[at].p99 for at in range(first, last + 1) if at in known)
    return max((value for value in values if value is not None), default=math.nan)


def _joined(episodes: list[Episode], stages: Mapping[str, Mapping[int, Second]]) -> list[Episode]:
    """Joins episodes that touch. Late acknowledgement makes receipt late, so publish takes precedence."""
    joined: list[Episode] = []
    for episode in sorted(episodes, key=lambda each: each.start):
        last = joined[-1] if joined else None
        if last and episode.start <= last.end + LONGEST_GAP_S:
            stage = "publish" if "publish" in (last.stage, episode.stage) else last.stage
            start, end = last.start, max(last.end, episode.end)
            joined[-1] = Episode(stage, start, end, _worst(stages[stage], start, end))
        else:
            joined.append(episode)
    return joined
