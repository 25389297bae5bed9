# SPDX-License-Identifier: Apache-2.0
"""A score as a Markdown page."""

import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import psutil

from lab.faults.score import NO_EPISODE, Score, Scored
from lab.faults.signature import METRICS


def page(scores: Sequence[Score], *, loud: bool, rules: str) -> str:
    """Confusion matrix, seeds and kinds of each split, then the figures behind every injection. ``loud``: made
    regardless of what else the machine did. ``rules``: the one version of them that gave all answers."""
    memory = psutil.virtual_memory().total / 2**30
    machine = f"Linux {platform.release()}, {psutil.cpu_count()} cores, {memory:.0f} GiB"
    head = f"""# The fault lab

Made by `make faults` on {datetime.now(UTC):%Y-%m-%d}: {machine}.
Even seeds may be looked at when rules are made (tune), odd seeds may not (score).
Only injections whose effect the lab measured itself are scored. A row is what was done, a column what
`tailrace explain` gave first. Where explain named no episode and the injection did no harm (no second over 3
times, nor their median over 1.5 times, the p99 of the seconds without one), it is listed, not scored.
Quiet runs in which the machine was not quiet (`loud`) are not counted. All answers: rules `{rules}`.
"""
    if loud:
        head += "\nTried out by `--any-noise`, on a machine that was busy with other work: no measure of anything.\n"
    parts = [head]
    for score in scores:
        parts += [f"## Split {score.split}", "", "```", score.line(), "```", "", *_matrix(score.scored), ""]
        parts += [*_seeds(score), "", *_kinds(score.scored), ""]
        if score.harmless:
            names = Counter(f"{one.injected.kind} {one.injected.strength}" for one in score.harmless)
            harmless = ", ".join(f"{name} × {count}" if count > 1 else name for name, count in sorted(names.items()))
            parts += [f"Without harm to latency, and not scored: {harmless}.", ""]
    parts += ["## Metrics during each injection", "", "Before → during. Times in ms.", ""]
    parts += _signatures([one for score in scores for one in (*score.scored, *score.harmless)])
    return "\n".join(parts) + "\n"


def _matrix(scored: Sequence[Scored]) -> list[str]:
    causes = sorted({one.injected.cause for one in scored})
    verdicts = sorted(
        {one.verdict for one in scored} | set(causes), key=lambda word: (word not in causes, word == NO_EPISODE, word)
    )
    counts = Counter((one.injected.cause, one.verdict) for one in scored)
    rows = ([cause, *(str(counts[cause, word] or "·") for word in verdicts)] for cause in causes)
    return _table(["injected \\ verdict", *verdicts], rows)


def _seeds(score: Score) -> list[str]:
    rows = []
    for seed in sorted(score.seeds):
        ones = [one for one in score.scored if one.injected.seed == seed]
        right = sum(one.right for one in ones)
        counts = (len(ones), right, score.quiet_by_seed[seed], score.alarms_by_seed[seed])
        rows.append([str(seed), *map(str, counts)])
    return _table(["seed", "injected", "right", "quiet runs", "false alarms"], rows)


def _kinds(scored: Sequence[Scored]) -> list[str]:
    groups: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        groups.setdefault((one.injected.kind, one.injected.strength), []).append(one)
    rows = []
    for (kind, strength), ones in sorted(groups.items()):
        words = Counter(one.verdict for one in ones)
        right = sum(one.right for one in ones)
        given = ", ".join(f"{word} × {count}" if count > 1 else word for word, count in words.most_common())
        cause = " or ".join([ones[0].injected.cause, *ones[0].injected.also])
        rows.append([kind, strength, cause, f"{right} of {len(ones)}", given])
    return _table(["kind", "strength", "right is", "right", "verdicts"], rows)


def _signatures(scored: Sequence[Scored]) -> list[str]:
    rows = []
    for one in sorted(scored, key=lambda one: (one.injected.kind, one.injected.strength, one.run)):
        name = f"{one.injected.kind} {one.injected.strength}"
        figures = (one.injected.signature.get(metric, [None, None]) for metric in METRICS)
        rows.append([name, one.verdict, *(f"{_short(before)} → {_short(during)}" for before, during in figures)])
    return _table(["injected", "verdict", *METRICS], rows)


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [list(head), ["---"] * len(head), *map(list, rows)]
    return ["| " + " | ".join(line) + " |" for line in lines]
