# SPDX-License-Identifier: Apache-2.0
"""Compares recorded with stored rows: which are missing, which are stored twice, which losses the ledger reports."""

from collections import Counter
from dataclasses import dataclass, field

from clickhouse_connect.driver.client import Client

from lab.chaos import stored
from lab.chaos.journal import Recorded
from tailrace.contracts import KILLED_LOSES_SECONDS, LOSS_KILLED, LOSS_UNSHIPPED_AT_DEADLINE


@dataclass
class Comparison:
    """Sums over the streams of a run, in rows. ``unspooled`` and ``incomplete`` are losses that the ledger reports.

    ``unspooled_micros``: the greatest age, at a kill, of a row that was in no block yet.
    """

    rows: int = 0
    lost: int = 0
    duplicated: int = 0
    unspooled: int = 0
    incomplete: int = 0
    unspooled_micros: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: "Comparison") -> None:
        self.rows += other.rows
        self.lost += other.lost
        self.duplicated += other.duplicated
        self.unspooled += other.unspooled
        self.incomplete += other.incomplete
        self.unspooled_micros = max(self.unspooled_micros, other.unspooled_micros)


@dataclass(frozen=True)
class Death:
    """When a load generator was killed, and the rows by stream that its spool then contained.

    ``in_memory``: its drive was full, so blocks of any age were in memory alone.
    """

    micros: int
    promised: dict[str, int]
    in_memory: bool = False


def compare(client: Client, run_id: str, journal: dict[str, list[Recorded]], death: Death | None) -> Comparison:
    """``death``: set if the load generator was killed."""
    result = Comparison()
    for stream, recorders in journal.items():
        _stream(client, run_id, stream, recorders, death, result)
    return result


def _stream(
    client: Client, run_id: str, stream: str, recorders: list[Recorded], death: Death | None, result: Comparison
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
    client: Client, run_id: str, stream: str, recorders: list[Recorded], death: Death | None, result: Comparison
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
        last = _at_the_end(places, times, len(recorder.hashes), death) if death else 0
        unspooled += last
        if death and last and not death.in_memory:
            result.unspooled_micros = max(result.unspooled_micros, death.micros - times[len(times) - last])
        missing += times[: len(times) - last]
    duplicated = sum(surplus.values())
    reported = [
        loss
        for loss in stored.losses(client, run_id, stream)
        if loss.reason != LOSS_KILLED or (death and death.in_memory)
    ]
    reported_rows = sum(loss.events for loss in reported)
    # A block that had no answer when the run ended, or was killed, may be stored although it is reported as lost. What
    # a full drive drops last may be among the last rows too.
    surely = sum(loss.events for loss in reported if loss.reason not in (LOSS_UNSHIPPED_AT_DEADLINE, LOSS_KILLED))
    gone = len(missing) + (unspooled if death and death.in_memory else 0)
    outside = sum(not any(loss.from_micros <= time <= loss.to_micros for loss in reported) for time in missing)
    lost = max(len(missing) - reported_rows, surely - gone, outside)
    result.duplicated += duplicated
    result.lost += lost
    result.incomplete += min(len(missing), reported_rows)
    result.unspooled += unspooled
    if lost or duplicated:
        result.notes.append(
            f"{stream}: {len(missing)} rows missing; the ledger reports {reported_rows}, and {outside} lie outside its"
            f" time ranges; {duplicated} rows too many"
        )


def _at_the_end(places: list[int], times: list[int], rows: int, death: Death) -> int:
    """How many of the missing rows are the last ones that the recorder was given, shortly before its end.

    With blocks on disk it is all of them or none: nothing else may be missing.
    """
    last = 0
    while last < len(places) and places[-1 - last] == rows - 1 - last and _late(times[-1 - last], death):
        last += 1
    return last if last == len(places) or death.in_memory else 0


def _late(micros: int, death: Death) -> bool:
    return death.micros - micros < KILLED_LOSES_SECONDS * 1_000_000
