# SPDX-License-Identifier: Apache-2.0
"""Reads the marks of a run, which pages and ``tailrace explain`` show beside measurements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tailrace.queries.ask import Ask

# A mark may precede its effect by this long.
BEFORE_S = 15


@dataclass(frozen=True)
class Mark:
    """Times are seconds since 1970; ``end`` equals ``start`` if the mark has no length. ``kind``: fault or note."""

    start: float
    end: float
    kind: str
    text: str

    @property
    def clock(self) -> str:
        """The time, or the two times, of the mark."""
        return self.span("%Y-%m-%d %H:%M:%S")

    @property
    def words(self) -> str:
        return f"{self.kind}: {self.text}"

    @property
    def sentence(self) -> str:
        """The mark as it is shown beside an episode."""
        return f"marked: {self.kind}, {self.span('%H:%M:%S')}: {self.text}"

    def span(self, form: str) -> str:
        start, end = (datetime.fromtimestamp(at, UTC) for at in (self.start, self.end))
        return f"{start:{form}}" + (f" to {end:%H:%M:%S}" if self.end > self.start else "")


def read(ask: Ask) -> list[Mark]:
    """All marks of the run, in order."""
    return [
        Mark(row["time"].timestamp(), row["timeEnd"].timestamp(), row["title"], row["text"])
        for row in ask("run_marks", kind="mark")
    ]


def beside(marks: Iterable[Mark], start: float, end: float) -> Sequence[Mark]:
    """The marks that overlap the time from ``start`` to ``end``, or ended shortly before it."""
    return [each for each in marks if each.start <= end and each.end >= start - BEFORE_S]
