# SPDX-License-Identifier: Apache-2.0
"""Puts the rules to an episode's signals: causes by score, the likeliest first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tailrace.explain.rules import RULES, Rule
from tailrace.explain.signals import Broker, Signal, View

UNKNOWN = "unknown"
NO_RULE = "no rule fits what was measured"
# These are of no one broker: clients, the group and the way between have all of them.
NOBODYS = ("load_generator", "consumer_stalled", "leader_change", "network")
# Scores: a cause under LEAST is not named.
LEAST, MEDIUM, HIGH = 0.4, 0.6, 0.8
# Each fact that backs a rule fills this part of what it lacks to certainty.
BACKING = 0.25
# A signal that began this long after latency is a consequence rather than a cause.
LATE_S = 3
LATE_FACTOR = 0.75


@dataclass(frozen=True)
class Cause:
    """One cause with the signals that speak for it, the strongest first. Score 0 to 1.

    ``broker`` is None where the cause is of none, or none is known.
    """

    name: str
    score: float
    why: str
    broker: int | None
    device: str | None
    signals: tuple[Signal, ...]


@dataclass(frozen=True)
class Verdict:
    """``ranked`` is empty when no rule held: unknown, and ``unknown`` says why."""

    ranked: tuple[Cause, ...] = field(default=())
    unknown: str = NO_RULE

    @property
    def best(self) -> Cause | None:
        return self.ranked[0] if self.ranked else None

    @property
    def cause(self) -> str:
        return self.best.name if self.best else UNKNOWN

    @property
    def why(self) -> str:
        return self.best.why if self.best else self.unknown

    @property
    def confidence(self) -> str:
        score = self.best.score if self.best else 0
        return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


def judge(signals: Iterable[Signal], brokers: Sequence[Broker], stage: str, rise_ms: float) -> Verdict:
    """Rank the causes of an episode in which ``stage`` rose by ``rise_ms``."""
    signals = list(signals)
    found: dict[str, Cause] = {}
    for broker in brokers:
        view = View(signals, broker, rise_ms)
        for rule in RULES:
            cause = _apply(rule, view, stage)
            if cause and (rule.cause not in found or found[rule.cause].score < cause.score):
                found[rule.cause] = cause
    likely = [cause for cause in found.values() if cause.score >= LEAST]
    return Verdict(tuple(sorted(likely, key=lambda cause: -cause.score)))


def _apply(rule: Rule, view: View, stage: str) -> Cause | None:
    if stage not in rule.stages or any(holds(view) is not None for holds in rule.unless):
        return None
    evidence: list[Signal] = []
    for needed in rule.needs:
        signals = needed(view)
        if signals is None:
            return None
        evidence += signals
    score = rule.weight * _timely(evidence)
    for backing in rule.backs:
        more = backing(view)
        if more is not None:
            evidence += more
            score += BACKING * (1 - score)
    unique = tuple(sorted(dict.fromkeys(evidence), key=lambda signal: -signal.score))
    device = next((s.device for s in unique if s.device), view.broker.device)
    of_broker = rule.cause not in NOBODYS
    return Cause(
        name=rule.cause,
        score=round(score, 3),
        why=rule.why,
        broker=view.broker.id if of_broker and view.broker.id >= 0 else None,
        device=(device or None) if rule.of_drive else None,
        signals=unique,
    )


def _timely(evidence: Sequence[Signal]) -> float:
    """1, less when what speaks for the cause began clearly after latency rose."""
    onsets = [signal.onset_s for signal in evidence if signal.onset_s is not None]
    return LATE_FACTOR if onsets and min(onsets) > LATE_S else 1.0
