# SPDX-License-Identifier: Apache-2.0
"""The marks of a run, as pages and ``tailrace explain`` show them beside what was measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

# A mark may be set a little before what it did shows.
BEFORE_S = 15


class Ask(Protocol):
    """``ask(name, **params)`` answers the named query for the run: one dict per row."""

    def __call__(self, name: str, /, **params: Any) -> list[dict[str, Any]]: ...


@dataclass(frozen=True)
class Mark:
    """Times are seconds since 1970; ``end`` is ``start`` for a moment. ``kind``: fault or note."""

    start: float
    end: float
    kind: str
    text: str

    @property
    def clock(self) -> str:
        """When: one time, or two."""
        return self.span("%Y-%m-%d %H:%M:%S")

    @property
    def words(self) -> str:
        return f"{self.kind}: {self.text}"

    @property
    def told(self) -> str:
        """As it stands beside an episode."""
        return f"marked by hand: {self.kind}, {self.span('%H:%M:%S')}: {self.text}"

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
    """Those that reach into the time from ``start`` to ``end``, or ended shortly before it."""
    return [each for each in marks if each.start <= end and each.end >= start - BEFORE_S]
