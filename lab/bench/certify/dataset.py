# SPDX-License-Identifier: Apache-2.0
"""Two sound runs, made inside the engine: one that reads what it writes, and one that reads a copy of it."""

import json
from pathlib import Path

from clickhouse_connect.driver.client import Client

PLAIN, COPIES = "certify-plain", "certify-copies"
TOPIC, COPY = "orders", "orders-copy"
PARTITIONS, PRODUCERS, IN_TRANSACTION = 12, 8, 100
# 2026-01-15 08:00:00 UTC: a billion messages are 20,000 s, within a day.
START_US = 1_768_464_000 * 1_000_000
CHUNK = 5_000_000
MESSAGES = (Path(__file__).parent / "messages.sql").read_text()
PUBLISHES = f"""
INSERT INTO publishes
SELECT {{run_id:String}}, 0, producer, '{TOPIC}', partition, offset, fromUnixTimestamp64Micro(intended_us), 5,
    fromUnixTimestamp64Micro(ack_us), 1024
FROM ({MESSAGES})
"""
DELIVERIES = f"""
INSERT INTO deliveries (run_id, worker, subscription, consumer, producer, topic, partition, offset, intended_time,
    receive_time, payload_bytes, sequence, tie)
SELECT {{run_id:String}}, 0, 0, partition % 4, producer, {{topic:String}}, partition, offset,
    fromUnixTimestamp64Micro(intended_us), fromUnixTimestamp64Micro(receive_us), 1024,
    {{sequences:UInt8}} * (sequence + 1) - 1, 0
FROM ({MESSAGES})
"""
TRANSACTIONS = f"""
INSERT INTO transactions
SELECT {{run_id:String}}, 0, number % {PRODUCERS}, '{TOPIC}', intDiv(number, {PRODUCERS}) AS nth,
    nth * {IN_TRANSACTION}, {IN_TRANSACTION}, {IN_TRANSACTION}, begun, begun, ended, ended, 'committed', ''
FROM
(
    SELECT number, fromUnixTimestamp64Micro({{start_us:Int64}} + number * 2000) AS begun, begun AS ended
    FROM numbers({{rows:UInt64}})
)
"""


def store(client: Client, rows: int) -> None:
    """Both runs, of ``rows`` messages each; ``rows`` is a multiple of what ends every transaction and partition."""
    for run_id, topic in ((PLAIN, TOPIC), (COPIES, COPY)):
        for sql in (PUBLISHES, DELIVERIES):
            for first in range(0, rows, CHUNK):
                given = {"run_id": run_id, "topic": topic, "sequences": int(run_id == PLAIN), "start_us": START_US}
                given |= {"first": first, "rows": min(CHUNK, rows - first)}
                client.command(sql, parameters=given, settings={"max_threads": 2})
        client.insert("runs", [_run(run_id, rows)])
    given = {"run_id": PLAIN, "start_us": START_US, "rows": rows // IN_TRANSACTION}
    client.command(TRANSACTIONS, parameters=given)
    client.insert("run_events", [_reread(partition, rows // PARTITIONS) for partition in range(PARTITIONS)])


def _reread(partition: int, messages: int) -> list[object]:
    """The whole partition was read again and found complete; its hash is compared by the audit alone."""
    place = {"topic": TOPIC, "partition": partition, "first": 0, "end": messages}
    detail = {**place, "read": messages, "foreign": 0, "hash": "0", "gaps": [], "corrupt": []}
    return [PLAIN, 0, START_US, "reread", "range", json.dumps(detail)]


def _run(run_id: str, rows: int) -> list[object]:
    topics = [{"name": TOPIC, "partitions": PARTITIONS, "subscriptions": int(run_id == PLAIN)}]
    if run_id == COPIES:
        topics.append({"name": COPY, "partitions": PARTITIONS, "subscriptions": 1, "copy_of": TOPIC})
    plan = {
        **{"topics": topics, "consumer_groups": 1, "phases": [], "behaviour": {"transaction_messages": IN_TRANSACTION}},
        **{"producer_config": {}, "consumer_config": {}},
    }
    manifest = json.dumps({"plan": plan, "brokers": []})
    end = START_US + rows * 20
    return [run_id, "bench", "kafka", "finished", START_US, end, 42, 1, "", "", manifest, "", START_US // 1_000_000]
