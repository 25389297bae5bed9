# SPDX-License-Identifier: Apache-2.0
"""Whether an audit found what was planted, under its name and at its place, and nothing else. Pure."""

import re
from collections.abc import Iterator, Mapping

from lab.audit.runs import Outcome


def wrong(outcome: Outcome) -> list[str]:
    """What differs from what the case expects; empty where the audit is right."""
    return list(_wrong(outcome))


def _wrong(outcome: Outcome) -> Iterator[str]:
    case = outcome.case
    if outcome.planted is None:
        yield "it was not planted"
        return
    if not outcome.verdict or outcome.verdict == "none":
        yield f"the run has no audit (exit code {outcome.code})"
        return
    texts = dict(outcome.checks)
    for check, pattern in case.fails.items():
        if check not in texts:
            yield f"no failure {check}"
        elif not any(name == check and _matches(pattern, text, outcome.planted) for name, text in outcome.checks):
            yield f"{check} is not /{_filled(pattern, outcome.planted)}/ but: {texts[check]}"
    yield from (f"{check}: {text}" for check, text in outcome.checks if check not in case.fails)
    for pattern in case.notes:
        if not any(_matches(pattern, note, outcome.planted) for note in outcome.notes):
            yield f"no note /{_filled(pattern, outcome.planted)}/ among {list(outcome.notes)}"
    passes = outcome.verdict == "pass"
    if passes != (not case.fails):
        yield f"the verdict is {outcome.verdict}"
    if passes != (outcome.code == 0):
        yield f"the exit code is {outcome.code}"


def false_alarms(outcome: Outcome, notes: Iterator[str]) -> list[str]:
    """In a clean run: its failures, and notes that only an anomaly may cause."""
    plain = [re.sub(r"\\?{\w+\\?}", r"\\d+", pattern) for pattern in notes]
    raised = [note for note in outcome.notes if any(re.search(pattern, note) for pattern in plain)]
    return [*wrong(outcome), *raised]


def _matches(pattern: str, text: str, planted: Mapping[str, int]) -> bool:
    return re.search(_filled(pattern, planted), text) is not None


def _filled(pattern: str, planted: Mapping[str, int]) -> str:
    for name, value in planted.items():
        pattern = pattern.replace(f"{{{name}}}", rf"{value}\b")
    return pattern
