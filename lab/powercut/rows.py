# SPDX-License-Identifier: Apache-2.0
"""Which rows of a run a warehouse has, which of them a power cut had to leave, and which its audit states as lost."""

import json
from collections import Counter
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

# Stream → when its row was recorded. The ledger is apart: it is what the loss is stated by.
TIMES = {
    "publishes": "ack_time",
    "deliveries": "receive_time",
    "publish_failures": "fail_time",
    "transactions": "end_time",
    "run_events": "time",
    "partition_leaders": "time",
}
# The test's run has one topic and one group. Rows of the other streams are distinguished by all that they have.
_MESSAGES = ("publishes", "deliveries")
_OTHER_KEY = "cityHash64(toString(tuple(*))), 0"
# Events that the command writes, not the load generator's spool.
_SPOOLED = {
    "run_events": " AND kind != 'mark' AND (kind != 'alert' OR name = 'abort')"
    " AND NOT (kind = 'clock' AND startsWith(name, 'measured_'))"
}
_NO_END = 2**62
# (stream, partition, offset), or (stream, hash, 0).
Row = tuple[str, int, int]
# Checks of an audit whose difference is rows that are lost.
_COUNTING = ("stored", "lost")
# Those that state that nothing can be counted.
_WITHOUT_COUNT = ("workers", "ledger")


def stored(client: Client, run_id: str, until_micros: int = _NO_END) -> Counter[Row]:
    """The rows recorded up to that time, each with its number: 2 for one that is stored twice."""
    found: Counter[Row] = Counter()
    for stream, time in TIMES.items():
        key = "partition, offset" if stream in _MESSAGES else _OTHER_KEY
        sql = (
            f"SELECT {key} FROM {stream} WHERE run_id = {{run:String}}{_SPOOLED.get(stream, '')}"
            f" AND toUnixTimestamp64Micro({time}) <= {{until:Int64}}"
        )
        answer = client.query(sql, parameters={"run": run_id, "until": until_micros})
        found.update((stream, first, second) for first, second in answer.result_rows)
    return found


def uncounted(client: Client, run_id: str) -> dict[str, int]:
    """By stream, rows that the run's ledger has recorded and that are not stored."""
    sql = "SELECT stream, sum(events) FROM ledger WHERE run_id = {run:String} AND kind = 'recorded' GROUP BY stream"
    recorded = {stream: int(events) for stream, events in client.query(sql, parameters={"run": run_id}).result_rows}
    missing = {}
    for stream in TIMES:
        sql = f"SELECT count() FROM {stream} WHERE run_id = {{run:String}}{_SPOOLED.get(stream, '')}"
        ((rows,),) = client.query(sql, parameters={"run": run_id}).result_rows
        missing[stream] = max(0, recorded.get(stream, 0) - rows)
    return missing


@dataclass(frozen=True)
class Compared:
    """``promised``: rows that had to survive; ``lost`` of them did not; ``doubled``: of all rows, stored twice;
    ``younger_lost``: rows that may be lost and were."""

    promised: int
    lost: int
    doubled: int
    younger_lost: int = 0


def compare(whole: Counter[Row], promised: Counter[Row], found: Counter[Row]) -> Compared:
    """``whole``: the rows up to the cut in the warehouse whose power was not cut; ``promised``: the older of them;
    ``found``: all rows after the cut."""
    lost = sum(1 for row in promised if row not in found)
    younger = sum(1 for row in whole if row not in found) - lost
    return Compared(len(promised), lost, sum(count - 1 for count in found.values()), younger)


def unstated(audit: str, missing: dict[str, int], lost: int) -> int:
    """Rows that are lost and that the audit, the JSON of its verdict, does not state.

    ``missing``: as the ledger counts them, by stream; ``lost``: rows that were promised. That the run has not ended
    states no loss. Without a ledger nothing is counted, and the audit states that.
    """
    if not audit:  # the run is unknown, so nothing is taken for whole
        return 0
    failures = json.loads(audit)["failures"]
    if any(each["check"] in _WITHOUT_COUNT for each in failures):
        return 0
    found = 0
    for stream, rows in missing.items():
        counted = [each for each in failures if each["check"] in _COUNTING and each["where"].endswith(f" {stream}")]
        found += max(0, rows - sum(abs(each["actual"] - each["expected"]) for each in counted))
    # A promised row that the ledger does not count is stated by nothing.
    return found + max(0, lost - sum(missing.values()))
