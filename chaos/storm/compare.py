# SPDX-License-Identifier: Apache-2.0
"""Recorded against stored, row by row: what is missing, what is there too often, what a ledger tells of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from clickhouse_connect.driver.client import Client

from storm import stored
from storm.journal import Recorded

# Rows of the last moments before a SIGKILL that were in no block yet. A block is cut after a second; under full
# load on a busy machine the encoder may lag a little.
UNSPOOLED_MICROS = 5_000_000


@dataclass
class Comparison:
    """Sums over the streams of a run, in rows. ``unspooled`` and ``incomplete`` are losses that are told."""

    rows: int = 0
    lost: int = 0
    duplicated: int = 0
    unspooled: int = 0
    incomplete: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Comparison) -> None:
        self.rows += other.rows
        self.lost += other.lost
        self.duplicated += other.duplicated
        self.unspooled += other.unspooled
        self.incomplete += other.incomplete


@dataclass(frozen=True)
class Death:
    """Of a load generator that was killed: when, and the rows by stream that its spool then stood for."""

    micros: int
    promised: dict[str, int]


def compare(client: Client, run_id: str, journal: dict[str, list[Recorded]], death: Death | None) -> Comparison:
    """``death``: where the load generator was killed."""
    result = Comparison()
    for stream, recorders in journal.items():
        _stream(client, run_id, stream, recorders, death, result)
    return result


def _stream(
    client: Client,
    run_id: str,
    stream: str,
    recorders: list[Recorded],
    death: Death | None,
    result: Comparison,
) -> None:
    there = stored.stored(client, run_id, stream)
    result.rows += there.rows
    recorded = sum(len(r.hashes) for r in recorders)
    total = sum(sum(r.hashes) for r in recorders) % 2**64
    if (recorded, total) != (there.rows, there.total) or there.repeated:
        _differ(client, run_id, stream, recorders, death, result)
    promised = death.promised.get(stream, 0) if death else there.rows
    if there.rows < promised:
        result.notes.append(f"{stream}: {there.rows} rows are stored, the spool stood for {promised}")
        result.lost += promised - there.rows
    for rollup, events in stored.rolled_up(client, run_id, stream).items():
        if events != there.rows:
            result.notes.append(f"{stream}: {rollup} counts {events}, the table {there.rows}")
            result.lost += max(0, there.rows - events)
            result.duplicated += max(0, events - there.rows)


def _differ(
    client: Client,
    run_id: str,
    stream: str,
    recorders: list[Recorded],
    death: Death | None,
    result: Comparison,
) -> None:
    surplus = Counter(stored.hashes(client, run_id, stream))
    missing: list[int] = []
    unspooled = 0
    for recorder in recorders:
        places = []
        for place, value in enumerate(recorder.hashes):
            if surplus[value] > 0:
                surplus[value] -= 1
            else:
                places.append(place)
        times = [recorder.micros[place] for place in places]
        if death and _is_end(places, times, len(recorder.hashes), death.micros):
            unspooled += len(places)
        else:
            missing += times
    duplicated = sum(surplus.values())
    told = [loss for loss in stored.losses(client, run_id, stream) if loss.reason != "killed"]
    told_rows = sum(loss.events for loss in told)
    # A block that had no answer when the run ended may be stored although it is told as lost.
    surely = sum(loss.events for loss in told if loss.reason != "unshipped_at_deadline")
    outside = sum(not any(loss.from_micros <= time <= loss.to_micros for loss in told) for time in missing)
    lost = max(len(missing) - told_rows, surely - len(missing), outside)
    result.duplicated += duplicated
    result.lost += lost
    result.incomplete += min(len(missing), told_rows)
    result.unspooled += unspooled
    if lost or duplicated:
        result.notes.append(
            f"{stream}: {len(missing)} rows missing, of which the ledger tells {told_rows} and {outside} lie outside"
            f" its time ranges; {duplicated} rows too many"
        )


def _is_end(places: list[int], times: list[int], rows: int, killed_micros: int) -> bool:
    """Whether the missing rows are the last ones that the recorder was given, shortly before the end."""
    return places == list(range(rows - len(places), rows)) and all(
        killed_micros - time < UNSPOOLED_MICROS for time in times
    )
