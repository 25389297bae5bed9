# SPDX-License-Identifier: Apache-2.0
"""Warnings and errors in the logs of brokers, their garbage collectors and kernels during the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.explain.logs import LogExcerpt, logged, uncollected
from tailrace.queries.ask import Ask, Row
from tailrace.report.data import RunData

SHOWN = 10
# A lab has a few hosts with three logs each. Of more hosts, those with the most complaints are shown.
HOSTS_SHOWN = 30
COMPLAINTS = ("FATAL", "ERROR", "WARN")


@dataclass(frozen=True)
class LogFile:
    """One log of one host: its lines by level, and in total."""

    host: str
    source: str
    by_level: dict[str, int]
    lines: int

    @property
    def complaints(self) -> int:
        return sum(self.by_level.get(level, 0) for level in COMPLAINTS)


@dataclass(frozen=True)
class Logs:
    """``written``: logs with complaints; ``quiet``: the number of logs without; ``more``: the number of logs not shown;
    ``worst``: the most severe lines of the run; ``missing``: expected logs that did not come."""

    written: Sequence[LogFile] = ()
    quiet: int = 0
    more: int = 0
    lines: int = 0
    worst: LogExcerpt | None = None
    missing: str = ""


def read(data: RunData, ask: Ask) -> Logs | None:
    """None if no logs are expected: for a run on one machine."""
    counts = ask("broker_log_counts")
    missing = "; ".join(uncollected(counts, [drive.host for drive in data.drives]))
    if not counts:
        return Logs(missing=missing) if missing else None
    logs = _by_log(counts)
    loud = [each for each in logs if each.complaints]
    shown = sorted(loud, key=lambda each: -each.complaints)[:HOSTS_SHOWN]
    return Logs(
        sorted(shown, key=lambda each: (each.host, each.source)),
        len(logs) - len(loud),
        len(loud) - len(shown),
        sum(each.lines for each in logs),
        logged(ask("broker_log_evidence", rows=SHOWN), ""),
        missing,
    )


def _by_log(counts: Sequence[Row]) -> list[LogFile]:
    logs: dict[tuple[str, str], dict[str, int]] = {}
    for row in counts:
        logs.setdefault((row["host"], row["source"]), {})[row["level"]] = row["run_lines"]
    return [LogFile(*key, levels, sum(levels.values())) for key, levels in logs.items()]
