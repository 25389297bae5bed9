# SPDX-License-Identifier: Apache-2.0
"""What brokers, their garbage collectors and their kernels complained of during the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.explain.logs import Line, logged, uncollected
from tailrace.report.data import Ask, Row, RunData

SHOWN = 10
# A laboratory has a few hosts with three logs each; of more, those with most to say.
HOSTS_SHOWN = 30
COMPLAINTS = ("FATAL", "ERROR", "WARN")


@dataclass(frozen=True)
class Written:
    """One log of one host: lines by level, and all of them."""

    host: str
    source: str
    by_level: dict[str, int]
    lines: int

    @property
    def complaints(self) -> int:
        return sum(self.by_level.get(level, 0) for level in COMPLAINTS)


@dataclass(frozen=True)
class Logs:
    """``written``: logs that complained, ``silent``: how many did not; ``more``: logs not shown;
    ``telling``: of the whole run; ``missing``: what is expected and not there."""

    written: Sequence[Written] = ()
    silent: int = 0
    more: int = 0
    lines: int = 0
    telling: Sequence[Line] = ()
    rest: str = ""
    missing: str = ""


def read(data: RunData, ask: Ask) -> Logs | None:
    """None where nobody expects logs: of a run on one machine."""
    counts = ask("broker_log_counts")
    missing = "; ".join(uncollected(counts, [drive.host for drive in data.drives]))
    if not counts:
        return Logs(missing=missing) if missing else None
    logs = _by_log(counts)
    loud = [each for each in logs if each.complaints]
    shown = sorted(loud, key=lambda each: -each.complaints)[:HOSTS_SHOWN]
    found = logged(ask("broker_log_evidence", rows=SHOWN), "")
    return Logs(
        sorted(shown, key=lambda each: (each.host, each.source)),
        len(logs) - len(loud),
        len(loud) - len(shown),
        sum(each.lines for each in logs),
        found.lines,
        found.rest,
        missing,
    )


def _by_log(counts: Sequence[Row]) -> list[Written]:
    logs: dict[tuple[str, str], dict[str, int]] = {}
    for row in counts:
        logs.setdefault((row["host"], row["source"]), {})[row["level"]] = row["run_lines"]
    return [Written(*key, levels, sum(levels.values())) for key, levels in logs.items()]
