# SPDX-License-Identifier: Apache-2.0
"""What the brokers' agents counted of a run's requests. No part of the verdict: they are no messages. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

Interval = tuple[datetime, datetime]
# Two clock readings of one agent, and what a run does before its first message.
TOLERATED = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Requests:
    """One broker's counts and stored rows.

    ``intervals``: in which all rows are stored or counted as lost; ``first_time`` and ``last_time`` of the messages.
    """

    worker: int
    brokers: tuple[int, ...]
    recorded: int
    lost: int
    lost_reasons: Mapping[str, int]
    stored: int
    intervals: tuple[Interval, ...]
    first_time: datetime | None
    last_time: datetime | None

    @property
    def where(self) -> str:
        return f"broker {', '.join(map(str, self.brokers))}" if self.brokers else f"worker {self.worker}"

    @property
    def gaps(self) -> list[Interval]:
        """Times between the first and the last message of which rows may be missing in every count."""
        if self.first_time is None or self.last_time is None:
            return []
        found = []
        until = self.first_time
        for start, end in sorted(self.intervals):
            if start - until > TOLERATED and start <= self.last_time:
                found.append((until, start))
            until = max(until, end)
        if self.last_time - until > TOLERATED:
            found.append((until, self.last_time))
        return found


def request_lines(found: Sequence[Requests]) -> Iterator[str]:
    """A line per broker, and one for each of its gaps; nothing where no broker had the agent. Times are UTC."""
    if not any(each.recorded or each.stored for each in found):
        return
    for each in found:
        reasons = ", ".join(f"{reason} {rows}" for reason, rows in sorted(each.lost_reasons.items()))
        text = f"request rows of {each.where}: recorded {each.recorded}, lost {each.lost}"
        text += f" ({reasons})" if reasons else ""
        text += f", stored {each.stored}"
        if (missing := each.recorded - each.lost - each.stored) > 0:
            text += f"; at least {missing} were in memory when the broker was killed, or are not stored yet"
        yield text
        for start, end in each.gaps:
            yield (
                f"request rows of {each.where}: those from {start:%H:%M:%S.%f} to {end:%H:%M:%S.%f} UTC may be missing:"
                " the agent did not run, was killed, or has not shipped its counts yet"
            )
