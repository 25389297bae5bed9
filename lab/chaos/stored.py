# SPDX-License-Identifier: Apache-2.0
"""The rows that ClickHouse stores of a run, as hashes computed in SQL."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

# In the order in which the recorders are given the values: first what is the same in all rows of one.
COLUMNS = {
    "publishes": "producer topic: partition offset intended_time. publish_delay_us ack_time. payload_bytes",
    "deliveries": "subscription consumer topic: producer partition offset intended_time. receive_time. payload_bytes"
    " sequence tie",
    "publish_failures": "producer topic: partition intended_time. publish_delay_us fail_time. payload_bytes"
    " error_class: sequence tie",
    "run_events": "time. kind: name: detail:",
    "partition_leaders": "time. topic: partition leader leader_host:",
}
# Rows that no load generator recorded: alerts, copied at the run's end, and marks of users.
FOREIGN = {"run_events": " AND kind NOT IN ('alert', 'mark') AND NOT (kind = 'clock' AND name LIKE 'measured\\_%')"}
# Each of them counts every row of its stream once.
ROLLUPS = {
    "publishes": (("v_latency_1s", "publish"), ("v_latency_1s", "publish_service"), ("v_throughput_1s", "acked")),
    "deliveries": (("v_latency_1s", "end_to_end"), ("v_throughput_1s", "received")),
    "publish_failures": (("v_throughput_1s", "failed"),),
}


@dataclass(frozen=True)
class Stored:
    """Rows of a stream, the sum of their hashes modulo 2⁶⁴, and rows that are stored more than once."""

    rows: int
    total: int
    repeated: int


@dataclass(frozen=True)
class Loss:
    """An entry `lost` of the ledger; the range is in µs since 1970, both ends included."""

    reason: str
    events: int
    from_micros: int
    to_micros: int


def row_hash(stream: str) -> str:
    """The SQL of a row's hash; the agent's RowJournals does the same."""
    sql = "toUInt64(0)"
    for column in COLUMNS[stream].split():
        name = column.rstrip(":.")
        value = {
            ":": f"toUInt64(CRC32(toString({name})))",
            ".": f"reinterpretAsUInt64(toUnixTimestamp64Micro({name}))",
        }.get(column[-1], f"reinterpretAsUInt64(toInt64({name}))")
        sql = f"intHash64(bitXor({sql}, {value}))"
    return sql


def stored(client: Client, run_id: str, stream: str) -> Stored:
    rows = client.query(
        f"SELECT count(), sum(h), count() - uniqExact(h) FROM (SELECT {row_hash(stream)} AS h"
        f" FROM {stream} WHERE run_id = {{r:String}}{FOREIGN.get(stream, '')})",
        parameters={"r": run_id},
    ).result_rows
    return Stored(*map(int, rows[0]))


def hashes(client: Client, run_id: str, stream: str) -> array[int]:
    """The hash of every stored row, in no particular order."""
    content = client.raw_query(
        f"SELECT {row_hash(stream)} FROM {stream} WHERE run_id = {{r:String}}{FOREIGN.get(stream, '')}",
        parameters={"r": run_id},
        fmt="RowBinary",
    )
    return array("Q", content)


def losses(client: Client, run_id: str, stream: str) -> list[Loss]:
    rows = client.query(
        "SELECT reason, events, toUnixTimestamp64Micro(from_time), toUnixTimestamp64Micro(to_time) FROM ledger"
        " WHERE run_id = {r:String} AND stream = {s:String} AND kind = 'lost' AND events > 0",
        parameters={"r": run_id, "s": stream},
    ).result_rows
    return [Loss(str(reason), int(events), int(start), int(end)) for reason, events, start, end in rows]


def rolled_up(client: Client, run_id: str, stream: str) -> dict[str, int]:
    """Events of the stream in each rollup."""
    return {
        f"{view} {stage}": int(
            client.query(
                f"SELECT sum(events) FROM {view} WHERE run_id = {{r:String}} AND stage = {{s:String}}",
                parameters={"r": run_id, "s": stage},
            ).result_rows[0][0]
        )
        for view, stage in ROLLUPS.get(stream, ())
    }
