# SPDX-License-Identifier: Apache-2.0
"""States what a power loss may cost a run: its spool and the warehouse are flushed, or one of them, or neither."""

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.contracts import POWER_LOSES_SECONDS
from tailrace.runs import planning
from tailrace.stack.durability import FSYNC, NONE

_FLUSHED = "SELECT value FROM system.merge_tree_settings WHERE name = 'fsync_after_insert'"


def statement(plan: planning.Plan, client: Client) -> str:
    """One line; empty when neither is flushed, which is the default."""
    rows = warehouse.select(client, _FLUSHED)
    return line(plan.get("behaviour", {}).get("durability", NONE), FSYNC if rows and rows[0][0] == "1" else NONE)


def line(run: str, stored: str) -> str:
    """``run``: durability of the run's spool, ``stored``: of the warehouse."""
    much, little = POWER_LOSES_SECONDS[NONE], POWER_LOSES_SECONDS[FSYNC]
    if run == stored == NONE:
        return ""
    if run == stored:
        return (
            f"durability: spool and warehouse are flushed: a power loss costs the rows of the last {little} s at most"
        )
    if run == FSYNC:
        return (
            "durability: the spool is flushed, the warehouse is not (tailrace up --durability fsync): "
            f"a power loss may cost the rows of the last {much} s"
        )
    return (
        "durability: the warehouse is flushed, the spool is not (durability: fsync in the workload): "
        f"a power loss may cost the rows of the last {little} s, and those of the last {much} s that are not stored yet"
    )
