# SPDX-License-Identifier: Apache-2.0
"""Inserts a run's rows once more, as blocks: what inserting and merging them costs the warehouse."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from lab.stand.program import cpu_seconds

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# When a row is in the load generator's hands, and so which second's block it is in.
HAPPENED = {"publishes": "ack_time", "deliveries": "receive_time"}
ROLLUP = "rollup_1s"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of the warehouse. Inserts fill the rollup too; the merge makes one part of all, rollup included."""

    rows: int
    insert_s: float
    merge_s: float


def blocks(client: Client, table: str, order: str) -> list[bytes]:
    """A block per second, rows in the table's order, as a load generator makes them (docs/contracts/block.md)."""
    second_of = f"toUnixTimestamp(toDateTime({HAPPENED[table]}, 'UTC'))"
    seconds = client.query(f"SELECT DISTINCT {second_of} AS s FROM {table} ORDER BY s").result_rows
    sql = f"SELECT * FROM {table} WHERE {second_of} = {{s:UInt32}} ORDER BY {order}"
    return [zstd.compress(client.raw_query(sql, {"s": second}, fmt="Native"), level=1) for (second,) in seconds]


def replay(client: Client, pid: int, table: str, rows: int, made: Sequence[bytes]) -> Cost:
    """Empties the table and stores ``made`` in it again, merges held back until all is in."""
    both = (table, ROLLUP)
    for name in both:
        client.command(f"TRUNCATE TABLE {name}")
        client.command(f"SYSTEM STOP MERGES {name}")
    try:
        start = cpu_seconds(pid)
        for number, block in enumerate(made):
            token = {"insert_deduplication_token": f"again/{table}/{number}"}
            client.raw_insert(table, insert_block=block, settings=token, fmt="Native", compression="zstd")
        inserted = cpu_seconds(pid)
    finally:
        for name in both:
            client.command(f"SYSTEM START MERGES {name}")
    for name in both:
        client.command(f"OPTIMIZE TABLE {name} FINAL")
    cost = Cost(rows, inserted - start, cpu_seconds(pid) - inserted)
    if (again := int(client.query(f"SELECT count() FROM {table}").result_rows[0][0])) != rows:
        raise SystemExit(f"{table}: {again} rows after inserting {rows} again")
    return cost
