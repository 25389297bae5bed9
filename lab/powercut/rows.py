# SPDX-License-Identifier: Apache-2.0
"""Which rows of a run a warehouse has, and which of them a power cut had to leave."""

from collections import Counter
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

# Table → when its row was recorded.
TIMES = {"publishes": "ack_time", "deliveries": "receive_time"}
_NO_END = 2**62
# (table, partition, offset); the test's run has one topic and one group.
Row = tuple[str, int, int]


def stored(client: Client, run_id: str, until_micros: int = _NO_END) -> Counter[Row]:
    """The rows recorded up to that time, each with its number: 2 for one that is stored twice."""
    found: Counter[Row] = Counter()
    for table, time in TIMES.items():
        sql = (
            f"SELECT partition, offset FROM {table} WHERE run_id = {{run:String}}"
            f" AND toUnixTimestamp64Micro({time}) <= {{until:Int64}}"
        )
        answer = client.query(sql, parameters={"run": run_id, "until": until_micros})
        found.update((table, partition, offset) for partition, offset in answer.result_rows)
    return found


@dataclass(frozen=True)
class Compared:
    """``promised``: rows that had to survive; ``lost`` of them did not; ``doubled``: of all rows, stored twice."""

    promised: int
    lost: int
    doubled: int


def compare(whole: Counter[Row], found: Counter[Row]) -> Compared:
    """``whole``: the promised rows in the warehouse whose power was not cut; ``found``: all rows after the cut."""
    lost = sum(1 for row in whole if row not in found)
    return Compared(len(whole), lost, sum(count - 1 for count in found.values()))
