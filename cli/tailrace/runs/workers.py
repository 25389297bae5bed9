# SPDX-License-Identifier: Apache-2.0
"""The workers of a run that this command starts, and when all workers begin to send."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tailrace.errors import BadInput
from tailrace.runs.agreement import Agreement, on_this_host

# Time for the processes to start, join their consumer groups, connect and send probe messages; they start side by
# side on the same cores.
LEAD = timedelta(seconds=30)
LEAD_PER_WORKER = timedelta(seconds=8)
MOST_WORKERS = 65536


@dataclass(frozen=True)
class Workers:
    """``mine`` of ``count`` workers run here; ``start_at`` is None for as soon as possible.

    ``agreement`` is where they agree; a lone worker needs none.
    """

    count: int = 1
    mine: tuple[int, ...] = (0,)
    start_at: datetime | None = None
    agreement: Agreement | None = None

    @property
    def leads(self) -> bool:
        """Whether worker 0 runs here: its command writes the run's row, metrics, audit and report."""
        return 0 in self.mine

    @property
    def all_here(self) -> bool:
        return len(self.mine) == self.count

    def ready(self) -> Workers:
        """With a start and an agreement for workers that all run here, made just before they start.

        Each run of a campaign gets its own.
        """
        if self.count == 1 or not self.all_here:
            return self
        soon = datetime.now(UTC) + LEAD + self.count * LEAD_PER_WORKER
        return replace(self, start_at=self.start_at or soon.replace(microsecond=0), agreement=on_this_host())

    def arguments(self, worker: int) -> list[str]:
        """For the load generator."""
        arguments = ["--worker", f"{worker}/{self.count}"]
        if self.start_at is not None:
            arguments += ["--start-at", self.start_at.isoformat().replace("+00:00", "Z")]
        return arguments + (self.agreement.arguments(worker) if self.agreement else [])

    def environment(self) -> dict[str, str]:
        """Variables for the load generator."""
        return self.agreement.environment() if self.agreement else {}

    def file(self, folder: Path, name: str, worker: int) -> Path:
        """A worker's file or folder in the run's folder; a lone worker's has the plain name."""
        if self.count == 1:
            return folder / name
        stem, dot, suffix = name.partition(".")
        return folder / f"{stem}-{worker}{dot}{suffix}"


def from_options(
    workers: int | None,
    worker: str | None,
    start_at: str | None,
    run_id: str | None,
    agreement: Agreement | None = None,
) -> Workers:
    """From the options ``--workers``, ``--worker`` and ``--start-at``. Raises BadInput."""
    if workers is not None and worker is not None:
        raise BadInput("--workers and --worker: give one; --workers starts them all on this host")
    time = None if start_at is None else _time(start_at)
    if worker is not None:
        number, count = _number(worker)
        if time is None or run_id is None:
            raise BadInput(f"--worker {worker}: give --start-at and --run-id too, the same on every host")
        if count > 1 and agreement is None:
            raise BadInput(f"--worker {worker}: give --agreement-url too, where worker 0 answers the others")
        return Workers(count, (number,), time, agreement)
    if agreement is not None:
        raise BadInput("--agreement-url: only with --worker; --workers needs none")
    count = 1 if workers is None else workers
    if not 1 <= count <= MOST_WORKERS:
        raise BadInput(f"--workers {count}: from 1 to {MOST_WORKERS}")
    return Workers(count, tuple(range(count)), time)


def _number(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text)
    if match is None or not int(match[1]) < int(match[2]) <= MOST_WORKERS:
        raise BadInput(f"--worker {text}: write it like 0/4, worker 0 of 4; they count from 0")
    return int(match[1]), int(match[2])


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError as err:
        raise BadInput(f"--start-at {text}: write it like 2026-01-31T12:00:00Z") from err
    if time.tzinfo is None:
        raise BadInput(f"--start-at {text}: name the time zone; UTC ends in Z")
    if time <= datetime.now(UTC):
        raise BadInput(f"--start-at {text}: is in the past; give a future time")
    return time.astimezone(UTC)
