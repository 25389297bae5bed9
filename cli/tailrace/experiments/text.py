# SPDX-License-Identifier: Apache-2.0
"""Prints verdicts for people, and the RESULT line for scripts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TextIO

from tailrace.experiments.execution import Outcome
from tailrace.queries.render import show as show_table

NUMBER = re.compile(r"\d+")
HOLDS, NOT, CANNOT_TELL = "holds", "does not hold", "cannot tell"
NOT_MEASURED = "not measured"
# A verdict on a drive that the lab slows shows that Tailrace finds what was made; it is no news of a drive.
SELF_TEST = "a self-test: the lab slows this drive"
REPRODUCED, CONTRADICTED = "reproduced", "contradicted"
# The columns that every verdict query returns; the others are the numbers of its claim.
HEAD = ("system", "claim", "verdict", "authors", "reason")


def numbers(outcome: Outcome, out: TextIO) -> None:
    """Print the numbers of an experiment's claims, and its table if it has one."""
    if outcome.table:
        _rows(list(outcome.table[0]), mark_unmeasured(outcome.table), out)
        out.write("\n")
    if outcome.rows:
        rest = [name for name in outcome.rows[0] if name not in HEAD]
        _rows(["system", "verdict", *rest], outcome.rows, out)
    if line := study_line(outcome.rows):
        out.write(f"{line}\n")
    runs = ",".join(outcome.runs)
    out.write(f"again: tailrace query {outcome.experiment.verdict} --param runs={runs}\n")


def mark_unmeasured(table: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """The rows of a table, with "not measured" for the ratios to a baseline that was not measured."""
    return [
        {name: NOT_MEASURED if value is None and name.endswith("_ratio") else value for name, value in row.items()}
        for row in table
    ]


def study_line(rows: Sequence[Mapping[str, object]]) -> str:
    """How many of a study's conclusions were reproduced; empty without named conclusions."""
    words = [row["study"] for row in rows if row.get("study")]
    counts = [f"{words.count(word)} {word}" for word in (REPRODUCED, CONTRADICTED, CANNOT_TELL)]
    return f"the study's {len(words)} conclusions: {', '.join(counts)}" if words else ""


def reasoned(outcome: Outcome) -> list[dict[str, object]]:
    """The verdicts; the reason of one on a drive that the lab made names it a self-test."""
    if not outcome.drive:
        return [dict(row) for row in outcome.rows]
    return [{**row, "reason": "; ".join(filter(None, (str(row["reason"]), SELF_TEST)))} for row in outcome.rows]


def verdicts(outcomes: Sequence[Outcome], out: TextIO) -> None:
    """Print all verdicts in one table; ``authors`` is what was published for that system.

    Then the runs that they leave out, once per experiment.
    """
    columns = ["experiment", "system", "claim", "verdict", "authors", "reason"]
    rows = [
        [outcome.experiment.name, *(row[name] for name in HEAD)] for outcome in outcomes for row in reasoned(outcome)
    ]
    show_table(columns, rows, out)
    for outcome in outcomes:
        for number, line in enumerate(left_out(outcome)):
            out.write(f"  {line}\n" if number else f"{outcome.experiment.name}: {line}\n")


def left_out(outcome: Outcome) -> Iterator[str]:
    """How many runs an experiment's verdicts leave out, then one line per kind of reason.

    Nothing if each verdict is about one run, because it states its own reason.
    """
    if not outcome.unjudged or any("run_id" in row for row in outcome.rows):
        return
    yield f"{len(outcome.unjudged)} of {len(outcome.runs)} runs left out (--restart runs all again)"
    reasons = {str(run["run_id"]): str(run["reason"]) for run in outcome.unjudged}
    shared = _shared(outcome.runs) if len(outcome.runs) > 1 else 0
    kinds: dict[str, list[str]] = {}
    for run in (run for run in outcome.runs if run in reasons):
        kinds.setdefault(NUMBER.sub("#", reasons[run]), []).append(run)
    for kind, runs in kinds.items():
        names = ", ".join("…" * bool(shared) + run[shared:] for run in runs)
        yield f"{_spans(kind, [reasons[run] for run in runs])}: {names}"


def _shared(runs: Sequence[str]) -> int:
    """The length of the prefix, in whole words, that all names share."""
    words = zip(*(run.split("-") for run in runs), strict=False)
    return sum(len(word) + 1 for word, *_ in takewhile(lambda w: len(set(w)) == 1, words))


def _spans(kind: str, reasons: Sequence[str]) -> str:
    """The reasons as one text, with the least and greatest value of each number."""
    columns = zip(*(map(int, NUMBER.findall(reason)) for reason in reasons), strict=True)
    for numbers in columns:
        least, most = min(numbers), max(numbers)
        kind = kind.replace("#", str(least) if least == most else f"{least} to {most}", 1)
    return kind


def result_line(asked: int, outcomes: Sequence[Outcome]) -> str:
    """``holds``, ``not`` and ``cannot_tell`` count verdicts: an experiment may have several."""
    words = [row["verdict"] for outcome in outcomes for row in outcome.rows]
    return (
        f"RESULT experiments={asked} ran={len(outcomes)} holds={words.count(HOLDS)}"
        f" not={words.count(NOT)} cannot_tell={words.count(CANNOT_TELL)}"
    )


def _rows(columns: list[str], rows: Sequence[dict[str, object]], out: TextIO) -> None:
    show_table(columns, [[row[name] for name in columns] for row in rows], out)
