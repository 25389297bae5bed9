# SPDX-License-Identifier: Apache-2.0
"""What brokers and their hosts wrote around an episode: beside a verdict, never part of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tailrace.explain.reading import Asker, moment
from tailrace.explain.signals import Row

# What a line tells of may come this long before latency shows it.
BEFORE_S = 10
SHOWN = 5
# A run on one machine has no Vector, and nobody expects its lines.
LOCAL = ("localhost", "127.0.0.1", "")


@dataclass(frozen=True)
class Line:
    """Lines of one kind, shown by one of them. ``lines``: how many; ``pause_ms``: the longest."""

    time: datetime
    host: str
    source: str
    level: str
    logger: str
    message: str
    lines: int
    pause_ms: float | None

    @property
    def clock(self) -> str:
        return self.time.strftime("%H:%M:%S")

    @property
    def times(self) -> str:
        return f" (×{self.lines:,})" if self.lines > 1 else ""


@dataclass(frozen=True)
class Logged:
    """The most telling lines first. ``more``: kinds of lines that are not among them;
    ``all_lines``: telling lines with theirs; ``command`` shows more of them."""

    lines: Sequence[Line]
    more: int
    all_lines: int
    command: str

    @property
    def rest(self) -> str:
        """What is not shown, in one clause; empty when all is."""
        kinds = "kind" if self.more == 1 else "kinds"
        return f"{self.more:,} {kinds} more, {self.all_lines:,} lines in all" if self.more else ""


def around(asker: Asker, start: int, end: int) -> Logged:
    """The lines of ``[start, end]``, seconds since 1970, and of a little before."""
    return between(asker, start - BEFORE_S, end)


def between(asker: Asker, start: int, end: int, rows: int = SHOWN) -> Logged:
    """The most telling lines of ``[start, end]``, seconds since 1970."""
    times = {"since": moment(start), "to": moment(end)}
    return logged(
        asker.ask("broker_log_evidence", rows=rows, **times),
        asker.command("broker_log_evidence", **times),
    )


def logged(found: Sequence[Row], command: str) -> Logged:
    """The answer of ``broker_log_evidence``."""
    lines = [
        Line(
            row["first_time"], row["host"], row["source"], row["level"], row["logger"],
            printable(row["message"]), row["lines"], row["pause_ms"],
        )
        for row in found
    ]  # fmt: skip
    more = found[0]["kinds"] - len(found) if found else 0
    return Logged(lines, more, found[0]["all_lines"] if found else 0, command)


def printable(text: str) -> str:
    """Without what would move a terminal's cursor: a broker's log may quote its clients."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def uncollected(counts: Iterable[Row], hosts: Iterable[str]) -> list[str]:
    """Which hosts of brokers sent no line, where lines are to be expected: on other machines."""
    heard = {row["host"] for row in counts}
    silent = sorted({host for host in hosts if host not in LOCAL} - heard)
    if not silent:
        return []
    if not heard:
        return ["no broker logs were collected (Vector ships them, on clusters)"]
    return [f"no line of the logs on {', '.join(silent)} was collected"]


def told(found: Logged) -> Iterable[str]:
    """As text: what was found, then the command that shows it."""
    if not found.lines:
        yield "logs around it: no warning, error or long collection"
    else:
        yield "logs around it, the most telling lines first:"
        for line in found.lines:
            yield (f"  {line.clock} {line.host} {line.source} {line.level}{line.times} {line.message}")
        if found.rest:
            yield f"  … {found.rest}"
    yield f"  {found.command}"
