# SPDX-License-Identifier: Apache-2.0
"""Computes the rollup of a run's stages, window by window; the schema's views have the SQL."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from clickhouse_connect.driver.client import Client

from tailrace.queries.catalogue import quote
from tailrace.warehouse import schema_version, select

# Messages and deliveries of one window: their join is held in memory.
WINDOW_ROWS = 1_000_000
# The migration that makes the rollup.
SCHEMA = 120
VIEWS = ("v_stage_histogram", "v_stage_places")
_COLUMNS = "side, by, time, stage, place, band, bucket, messages, us"
_COUNTS = (
    "SELECT (SELECT count() FROM v_broker_requests WHERE run_id = {r:String}),"
    " (SELECT sum(events) FROM v_throughput_1s WHERE run_id = {r:String} AND stage = 'acked'),"
    " (SELECT sum(events) FROM v_throughput_1s WHERE run_id = {r:String} AND stage = 'received')"
)
_MADE = (
    "SELECT requests, published, delivered FROM v_stages_made WHERE run_id = {r:String} ORDER BY made_time DESC LIMIT 1"
)
_SECONDS = (
    "SELECT toUnixTimestamp(time) AS second, sum(events) FROM v_latency_1s"
    " WHERE run_id = {r:String} AND stage IN ('publish', 'end_to_end') GROUP BY second ORDER BY second"
)


def ensure(client: Client, run_id: str, say: Callable[[str], None] = lambda _line: None) -> bool:
    """Compute the rollup if the run has request rows and none of the same rows was computed before.

    Returns whether the run has request rows; False for a warehouse with an older schema.
    """
    if schema_version(client) < SCHEMA:
        return False
    counts = tuple(map(int, select(client, _COUNTS, r=run_id)[0]))
    if not counts[0]:
        return False
    made = select(client, _MADE, r=run_id)
    if made and tuple(map(int, made[0])) == counts:
        return True
    began = datetime.now(UTC)
    seconds = [(int(second), int(rows)) for second, rows in select(client, _SECONDS, r=run_id)]
    for first, end in windows(seconds, WINDOW_ROWS):
        if end - seconds[0][0] < seconds[-1][0] - seconds[0][0]:
            say(f"stages: {100 * (end - seconds[0][0]) // (seconds[-1][0] - seconds[0][0])} %")
        for view in VIEWS:
            _insert(client, view, run_id, began, first, end)
    columns = ["run_id", "made_time", "requests", "published", "delivered"]
    client.insert("stages_made", [[run_id, began, *counts]], column_names=columns)
    return True


def windows(seconds: list[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """(first second, end) of windows with at most ``most`` rows, or of one second with more."""
    first, held = None, 0
    end = 0
    for second, rows in seconds:
        if first is not None and held + rows > most:
            yield first, end
            first, held = None, 0
        first = second if first is None else first
        held, end = held + rows, second + 1
    if first is not None:
        yield first, end


def _insert(client: Client, view: str, run_id: str, began: datetime, first: int, end: int) -> None:
    made = f"fromUnixTimestamp64Micro({int(began.timestamp() * 1_000_000)}, 'UTC')"
    client.command(
        f"INSERT INTO stages_1s (run_id, made_time, {_COLUMNS}) SELECT {quote(run_id)}, {made}, {_COLUMNS}"
        f" FROM {view}(run_id = {quote(run_id)}, from_s = {first}, to_s = {end})"
    )
