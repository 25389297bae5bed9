# SPDX-License-Identifier: Apache-2.0
"""Log lines of brokers and their hosts around an episode. They are shown beside a verdict, never evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tailrace.queries.ask import Row, RunReader, moment

# A logged problem may precede latency's rise by this long.
BEFORE_S = 10
SHOWN = 5
# A run on one machine has no Vector, so no log lines are expected.
LOCAL = ("localhost", "127.0.0.1", "")


@dataclass(frozen=True)
class Line:
    """Lines of one kind, with one as the example. ``lines``: how many; ``pause_ms``: the longest."""

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
class LogExcerpt:
    """The most severe lines, the worst first. ``more``: how many further kinds of lines there are;
    ``all_lines``: lines of all kinds; ``command`` shows more of them."""

    lines: Sequence[Line]
    more: int
    all_lines: int
    command: str

    @property
    def rest(self) -> str:
        """What is left out, in one clause; empty if nothing is."""
        kinds = "kind" if self.more == 1 else "kinds"
        return f"{self.more:,} {kinds} more, {self.all_lines:,} lines in all" if self.more else ""


def around(reader: RunReader, start: int, end: int) -> LogExcerpt:
    """The lines of ``[start, end]``, seconds since 1970, and of ``BEFORE_S`` before."""
    return between(reader, start - BEFORE_S, end)


def between(reader: RunReader, start: int, end: int, rows: int = SHOWN) -> LogExcerpt:
    """The most severe lines of ``[start, end]``, seconds since 1970."""
    times = {"since": moment(start), "to": moment(end)}
    return logged(reader.ask("broker_log_evidence", rows=rows, **times), reader.command("broker_log_evidence", **times))


def logged(found: Sequence[Row], command: str) -> LogExcerpt:
    """The rows of ``broker_log_evidence``."""
    lines = [
        Line(
            row["first_time"], row["host"], row["source"], row["level"], row["logger"],
            printable(row["message"]), row["lines"], row["pause_ms"],
        )
        for row in found
    ]  # fmt: skip
    more = found[0]["kinds"] - len(found) if found else 0
    return LogExcerpt(lines, more, found[0]["all_lines"] if found else 0, command)


def printable(text: str) -> str:
    """Without control characters: a broker's log may quote its clients."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def uncollected(counts: Iterable[Row], hosts: Iterable[str]) -> list[str]:
    """Which brokers' hosts sent no log line. Only hosts of other machines are expected to."""
    sending = {row["host"] for row in counts}
    silent = sorted({host for host in hosts if host not in LOCAL} - sending)
    if not silent:
        return []
    if not sending:
        return ["no broker logs were collected (Vector ships them, on clusters)"]
    return [f"no line of the logs on {', '.join(silent)} was collected"]


def lines(found: LogExcerpt) -> Iterable[str]:
    """As text: the lines, then the command that shows them."""
    if not found.lines:
        yield "logs around it: no warning, error or long collection"
    else:
        yield "logs around it, the most severe lines first:"
        for line in found.lines:
            yield f"  {line.clock} {line.host} {line.source} {line.level}{line.times} {line.message}"
        if found.rest:
            yield f"  … {found.rest}"
    yield f"  {found.command}"
