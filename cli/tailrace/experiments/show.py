# SPDX-License-Identifier: Apache-2.0
"""Verdicts for people, and the line that scripts read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TextIO

from tailrace.experiments.conduct import Answer
from tailrace.queries.render import show as show_table

NUMBER = re.compile(r"\d+")
HOLDS, NOT, CANNOT_TELL = "holds", "does not hold", "cannot tell"
NOT_MEASURED = "not measured"
REPRODUCED, CONTRADICTED = "reproduced", "contradicted"
# What each verdict query returns first; the rest are its claim's numbers.
HEAD = ("system", "claim", "verdict", "authors", "reason")


def numbers(answer: Answer, out: TextIO) -> None:
    """The claim's numbers of one experiment, and its table where it has one."""
    if answer.table:
        _rows(list(answer.table[0]), told(answer.table), out)
        out.write("\n")
    if answer.rows:
        rest = [name for name in answer.rows[0] if name not in HEAD]
        _rows(["system", "verdict", *rest], answer.rows, out)
    if line := study_line(answer.rows):
        out.write(f"{line}\n")
    runs = ",".join(answer.runs)
    out.write(f"again: tailrace query {answer.experiment.verdict} --param runs={runs}\n")


def told(table: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """The rows of a table; a ratio to a baseline that nobody measured says so."""
    return [
        {name: NOT_MEASURED if value is None and name.endswith("_ratio") else value for name, value in row.items()}
        for row in table
    ]


def study_line(rows: Sequence[Mapping[str, object]]) -> str:
    """How many of a study's own conclusions were found again; empty where it has none by name."""
    words = [row["study"] for row in rows if row.get("study")]
    counts = [f"{words.count(word)} {word}" for word in (REPRODUCED, CONTRADICTED, CANNOT_TELL)]
    return f"the study's {len(words)} conclusions: {', '.join(counts)}" if words else ""


def verdicts(answers: Sequence[Answer], out: TextIO) -> None:
    """All verdicts in one table; ``authors`` is what was published of that system.

    Runs that they leave out follow, once for each experiment.
    """
    columns = ["experiment", "system", "claim", "verdict", "authors", "reason"]
    rows = [[answer.experiment.name, *(row[name] for name in HEAD)] for answer in answers for row in answer.rows]
    show_table(columns, rows, out)
    for answer in answers:
        for number, line in enumerate(left_out(answer)):
            out.write(f"  {line}\n" if number else f"{answer.experiment.name}: {line}\n")


def left_out(answer: Answer) -> Iterator[str]:
    """How many runs an experiment's verdicts leave out, then a line for each kind of reason.

    Nothing where each verdict is of one run, and says so itself.
    """
    if not answer.unjudged or any("run_id" in row for row in answer.rows):
        return
    yield f"{len(answer.unjudged)} of {len(answer.runs)} runs left out (--restart makes all anew)"
    reasons = {str(run["run_id"]): str(run["reason"]) for run in answer.unjudged}
    shared = _shared(answer.runs) if len(answer.runs) > 1 else 0
    kinds: dict[str, list[str]] = {}
    for run in (run for run in answer.runs if run in reasons):
        kinds.setdefault(NUMBER.sub("#", reasons[run]), []).append(run)
    for kind, runs in kinds.items():
        names = ", ".join("…" * bool(shared) + run[shared:] for run in runs)
        yield f"{_spans(kind, [reasons[run] for run in runs])}: {names}"


def _shared(runs: Sequence[str]) -> int:
    """How many characters of whole words all names begin with: these tell no run from another."""
    words = zip(*(run.split("-") for run in runs), strict=False)
    return sum(len(word) + 1 for word, *_ in takewhile(lambda w: len(set(w)) == 1, words))


def _spans(kind: str, reasons: Sequence[str]) -> str:
    """The reasons as one: of each number the least and the greatest."""
    columns = zip(*(map(int, NUMBER.findall(reason)) for reason in reasons), strict=True)
    for numbers in columns:
        least, most = min(numbers), max(numbers)
        kind = kind.replace("#", str(least) if least == most else f"{least} to {most}", 1)
    return kind


def result_line(asked: int, answers: Sequence[Answer]) -> str:
    """``holds``, ``not`` and ``cannot_tell`` count verdicts: an experiment may have several."""
    words = [row["verdict"] for answer in answers for row in answer.rows]
    return (
        f"RESULT experiments={asked} ran={len(answers)} holds={words.count(HOLDS)}"
        f" not={words.count(NOT)} cannot_tell={words.count(CANNOT_TELL)}"
    )


def _rows(columns: list[str], rows: Sequence[dict[str, object]], out: TextIO) -> None:
    show_table(columns, [[row[name] for name in columns] for row in rows], out)
