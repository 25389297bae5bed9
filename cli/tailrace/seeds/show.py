# SPDX-License-Identifier: Apache-2.0
"""Verdicts for people, and the line that scripts read."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from tailrace.queries.render import show as show_table
from tailrace.seeds.conduct import Answer

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
        {
            name: NOT_MEASURED if value is None and name.endswith("_ratio") else value
            for name, value in row.items()
        }
        for row in table
    ]


def study_line(rows: Sequence[Mapping[str, object]]) -> str:
    """How many of a study's own conclusions were found again; empty where it has none by name."""
    words = [row["study"] for row in rows if row.get("study")]
    counts = [f"{words.count(word)} {word}" for word in (REPRODUCED, CONTRADICTED, CANNOT_TELL)]
    return f"the study's {len(words)} conclusions: {', '.join(counts)}" if words else ""


def verdicts(answers: Sequence[Answer], out: TextIO) -> None:
    """All verdicts in one table; ``authors`` is what was published of that system."""
    columns = ["experiment", "system", "claim", "verdict", "authors", "reason"]
    rows = [
        [answer.experiment.name, *(row[name] for name in HEAD)]
        for answer in answers
        for row in answer.rows
    ]
    show_table(columns, rows, out)


def result_line(asked: int, answers: Sequence[Answer]) -> str:
    """``holds``, ``not`` and ``cannot_tell`` count verdicts: an experiment may have several."""
    words = [row["verdict"] for answer in answers for row in answer.rows]
    return (
        f"RESULT experiments={asked} ran={len(answers)} holds={words.count(HOLDS)}"
        f" not={words.count(NOT)} cannot_tell={words.count(CANNOT_TELL)}"
    )


def _rows(columns: list[str], rows: Sequence[dict[str, object]], out: TextIO) -> None:
    show_table(columns, [[row[name] for name in columns] for row in rows], out)
