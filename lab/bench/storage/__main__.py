# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark; see lab/bench/README.md."""

import argparse
import sys
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from lab.bench.loadgen.programs import LoadGenerator, Workload
from lab.bench.machine import headline
from lab.bench.runner import run
from lab.bench.stack import bench_stack
from lab.bench.storage.columns import Stored, merge, stored
from lab.bench.storage.replay import ROLLUP, Cost, blocks, replay
from lab.stand.errors import StandError
from lab.stand.stack import StackStand
from tailrace.api import connect, states

GOALS = {"publishes": 1.7, "deliveries": 0.6, "keyed_publishes": 5.5, "keyed_deliveries": 3.2}
TABLES = ("publishes", "deliveries")


@dataclass(frozen=True)
class Measured:
    """One table of one run."""

    stored: Stored
    cost: Cost


def warehouse_pid(stand: StackStand) -> int:
    found = [state.pid for state in states(stand.paths) or [] if state.name == "warehouse" and state.pid]
    if not found:
        raise StandError("no warehouse runs in the stack", stand.paths.logs)
    return found[0]


def live(stand: StackStand, client: Client, name: str, workload: Workload) -> dict[str, Measured]:
    """One run of the load generator, its tables measured and left empty."""
    summary = LoadGenerator(stand, name, workload).finish()
    if short := summary["unsent"] + summary["failed"] + summary["acked"] - summary["received"]:
        print(f"{name}: {short:,} messages fell short; the machine was too busy for this rate", file=sys.stderr)
    for table in (*TABLES, ROLLUP):
        # A file per column, as parts beyond 10 MB have it: so short runs measure what long ones keep.
        client.command(f"ALTER TABLE {table} MODIFY SETTING min_bytes_for_wide_part = 0")
        merge(client, table)
    as_lies = {table: stored(client, table) for table in TABLES}
    rollup = stored(client, ROLLUP)
    messages = as_lies["publishes"].rows
    print(
        f"\n{name}: {workload.keys} keys, {workload.partitions} partitions, {workload.producers} producers,"
        f" {workload.rate:,.0f}/s, {messages:,} messages; bytes per row"
    )
    pid = warehouse_pid(stand)
    held = {table: blocks(client, table, as_lies[table].order) for table in TABLES}
    found = {}
    for table, as_lay in as_lies.items():
        cost = replay(client, pid, table, as_lay.rows, held[table])
        found[table] = Measured(as_lay, cost)
        print(
            f"{table}: {as_lay.per_row:.3f} B/row; {len(held[table])} blocks; insert {ns(cost.insert_s, cost.rows)},"
            f" merge {ns(cost.merge_s, cost.rows)} ns/row"
        )
        print("\n".join(as_lay.lines(as_lay.rows)))
    print(f"{ROLLUP}: {rollup.rows:,} rows, {rollup.bytes / messages:.3f} B per message", flush=True)
    for table in (*TABLES, ROLLUP):
        client.command(f"TRUNCATE TABLE {table}")
    return found


def ns(seconds: float, rows: int) -> int:
    return round(seconds * 1e9 / rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench-storage", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="length of each run (60)")
    parser.add_argument("--rate", type=float, default=50_000, help="messages per second (50,000)")
    given = parser.parse_args()
    print(headline(), flush=True)
    plain = Workload(given.seconds, given.rate, partitions=16, producers=4, groups=1)
    keyed = Workload(given.seconds, given.rate, partitions=288, producers=4, groups=1, keys="random")
    with bench_stack("bench-storage") as stand:
        client = connect(stand.endpoints)
        runs = {"": live(stand, client, "plain", plain), "keyed_": live(stand, client, "keyed", keyed)}
    found = {f"{prefix}{table}": one for prefix, tables in runs.items() for table, one in tables.items()}
    rows = sum(one.cost.rows for one in found.values())
    bytes_per_row = " ".join(f"{name}_b_per_row={one.stored.per_row:.2f}" for name, one in found.items())
    print(f"\ngoals: {', '.join(f'{name} {goal}' for name, goal in GOALS.items())} B/row")
    print(
        f"RESULT {bytes_per_row} insert_ns_per_row={ns(sum(one.cost.insert_s for one in found.values()), rows)}"
        f" merge_ns_per_row={ns(sum(one.cost.merge_s for one in found.values()), rows)}"
    )


if __name__ == "__main__":
    run(main)
