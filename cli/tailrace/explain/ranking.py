# SPDX-License-Identifier: Apache-2.0
"""Applies the rules to an episode's signals and ranks the causes by score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tailrace.contracts import CAUSES_OF_NO_BROKER
from tailrace.explain.rules import RULES, Rule
from tailrace.explain.signals import Broker, Signal, View

UNKNOWN = "unknown"
NO_RULE = "no rule fits what was measured"
# Scores. A cause below LEAST is not named.
LEAST, MEDIUM, HIGH = 0.4, 0.6, 0.8
# Each supporting condition adds this share of the distance to 1.
SUPPORT = 0.25
# A signal that began this long after latency rose is a consequence, not a cause.
LATE_S = 3
LATE_FACTOR = 0.75


@dataclass(frozen=True)
class Cause:
    """One cause with its evidence, the strongest signal first. The score is 0 to 1.

    ``broker`` is None if the cause concerns no single broker, or none is known.
    """

    name: str
    score: float
    why: str
    broker: int | None
    device: str | None
    signals: tuple[Signal, ...]


@dataclass(frozen=True)
class EpisodeVerdict:
    """``ranked`` is empty if no rule held. Then the cause is unknown, and ``unknown`` states why."""

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


def rank(signals: Iterable[Signal], brokers: Sequence[Broker], stage: str, rise_ms: float) -> EpisodeVerdict:
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
    return EpisodeVerdict(tuple(sorted(likely, key=lambda cause: -cause.score)))


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
    for condition in rule.supports:
        signals = condition(view)
        if signals is not None:
            evidence += signals
            score += SUPPORT * (1 - score)
    unique = tuple(sorted(dict.fromkeys(evidence), key=lambda signal: -signal.score))
    device = next((s.device for s in unique if s.device), view.broker.device)
    names_broker = rule.cause not in CAUSES_OF_NO_BROKER
    return Cause(
        name=rule.cause,
        score=round(score, 3),
        why=rule.why,
        broker=view.broker.id if names_broker and view.broker.id >= 0 else None,
        device=(device or None) if rule.names_drive else None,
        signals=unique,
    )


def _timely(evidence: Sequence[Signal]) -> float:
    """1, or less if the evidence began clearly after latency rose."""
    onsets = [signal.onset_s for signal in evidence if signal.onset_s is not None]
    return LATE_FACTOR if onsets and min(onsets) > LATE_S else 1.0
