# SPDX-License-Identifier: Apache-2.0
"""Whether an audit found what was planted, under its name and at its place, and nothing else. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lab.audit.plan import Plant
from lab.audit.runs import Outcome

_NAMED = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class Judged:
    """``missed``: by anomaly, why it counts as not found; ``alarms``: what the audit found beside the anomalies.

    ``upheld``: by anomaly, why the certificate's check of its claim counts as not having found it.
    """

    missed: Mapping[str, Sequence[str]]
    alarms: Sequence[str]
    upheld: Mapping[str, str] = field(default_factory=dict)


def judge(outcome: Outcome, notes_of_anomalies: Iterable[str] = ()) -> Judged:
    """``notes_of_anomalies``: patterns of notes that a clean run must not have."""
    case = outcome.run.case
    if outcome.verdict == "none":
        why = f"the run has no audit; it ended with exit code {outcome.code}"
        broken = {plant.name: why for plant in outcome.run.plants if plant.claim}
        return Judged({plant.name: [why] for plant in outcome.run.plants}, [] if outcome.run.plants else [why], broken)
    explained: set[tuple[str, str]] = set()
    missed = {plant.name: list(_missed(plant, outcome, explained)) for plant in outcome.run.plants}
    alarms = list(_differences(Plant("both runs", notes=case.states), outcome, {}, explained))
    if outcome.run.plants:
        explained.update(_like(case.also, outcome, {}))
    else:
        alarms += _raised(outcome.notes, notes_of_anomalies)
    alarms += [f"{check}: {text}" for check, text in outcome.failures if (check, text) not in explained]
    if (outcome.verdict == "pass") != (outcome.code == 0):
        alarms.append(f"the verdict is {outcome.verdict}, and the exit code {outcome.code}")
    upheld = {plant.name: why for plant in outcome.run.plants if (why := _upheld(plant, outcome))}
    if not outcome.run.plants:
        alarms += [
            f"claim {name}: {found.name}: {found.example}"
            for name, check in outcome.checks.items()
            for found in check.violations
        ]
    return Judged({name: why for name, why in missed.items() if why}, alarms, upheld)


def _upheld(plant: Plant, outcome: Outcome) -> str:
    """Empty where the claim's check found the anomaly, or the anomaly breaks none."""
    if plant.claim is None:
        return ""
    where = outcome.planted[plant.name]
    if where is None:
        return "it was not planted"
    name, kind, pattern = plant.claim
    filled = _filled(pattern, {**where, "partition": plant.partition})
    found = {each.name: each.example for each in outcome.checks[name].violations}
    return "" if kind in found and re.search(filled, found[kind]) else f"claim {name}: no {kind} like {filled}: {found}"


def _missed(plant: Plant, outcome: Outcome, explained: set[tuple[str, str]]) -> Iterator[str]:
    where = outcome.planted[plant.name]
    if where is None:
        yield "it was not planted"
    else:
        yield from _differences(plant, outcome, {**where, "partition": plant.partition}, explained)


def _differences(
    plant: Plant, outcome: Outcome, where: Mapping[str, int], explained: set[tuple[str, str]]
) -> Iterator[str]:
    explained.update(_like(plant.also, outcome, where))
    for check, pattern in plant.fails:
        found = _like([(check, pattern)], outcome, where)
        explained.update(found)
        if not found:
            yield f"no failure {check} like {_filled(pattern, where)}"
    for pattern in plant.notes:
        if not any(re.search(_filled(pattern, where), note) for note in outcome.notes):
            yield f"no note like {_filled(pattern, where)}"


def _like(patterns: Iterable[tuple[str, str]], outcome: Outcome, where: Mapping[str, int]) -> list[tuple[str, str]]:
    return [
        (name, text)
        for check, pattern in patterns
        for name, text in outcome.failures
        if name == check and re.search(_filled(pattern, where), text)
    ]


def _raised(notes: Sequence[str], patterns: Iterable[str]) -> list[str]:
    """Notes that only an anomaly may cause."""
    any_number = [_NAMED.sub(r"\\d+", pattern) for pattern in patterns]
    return [note for note in notes if any(re.search(pattern, note) for pattern in any_number)]


def _filled(pattern: str, where: Mapping[str, int]) -> str:
    for name, value in where.items():
        pattern = pattern.replace(f"{{{name}}}", rf"{value}\b")
    return pattern
