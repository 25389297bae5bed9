# SPDX-License-Identifier: Apache-2.0
"""Sound runs of every kind that a certificate makes, computed inside the engine."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client

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
SELECT {{run_id:String}}, 0, 0, (partition + nth) % 4, producer, {{topic:String}}, partition, offset,
    fromUnixTimestamp64Micro(intended_us), fromUnixTimestamp64Micro(receive_us + nth * 1000000), 1024,
    {{sequences:UInt8}} * (sequence + 1) - 1, tie
FROM ({MESSAGES})
ARRAY JOIN if({{twice:String}} = 'released' AND released OR {{twice:String}} = 'again' AND again, [0, 1], [0]) AS nth
WHERE NOT ({{aborts:UInt8}} AND aborted)
"""
TRANSACTIONS = f"""
INSERT INTO transactions
SELECT {{run_id:String}}, 0, number % {PRODUCERS}, '{TOPIC}', intDiv(number, {PRODUCERS}) AS nth,
    nth * {IN_TRANSACTION}, {IN_TRANSACTION}, {IN_TRANSACTION}, begun, begun, ended, ended,
    if(number % 1000 = 500 OR number % 10 = 3, 'aborted', 'committed'), ''
FROM
(
    SELECT number, fromUnixTimestamp64Micro({{start_us:Int64}} + number * 2000) AS begun, begun AS ended
    FROM numbers({{rows:UInt64}})
)
"""
ZOMBIES = f"""
INSERT INTO run_events
SELECT {{run_id:String}}, 0, fromUnixTimestamp64Micro({{start_us:Int64}} + number * 2000), 'transaction', 'zombie',
    concat('{{"producer":', toString(number % {PRODUCERS}), ',"number":', toString(intDiv(number, {PRODUCERS})), '}}')
FROM numbers({{rows:UInt64}})
WHERE number % 1000 = 500
"""
ANSWERS = f"""
INSERT INTO run_events
SELECT {{run_id:String}}, 0, fromUnixTimestamp64Micro(receive_us + if(nth = 0, 100, 999950)), 'share',
    if(nth = 0, 'released', 'redelivered'),
    concat('{{"consumer":', toString((partition + nth) % 4), ',"subscription":0,"topic":"{TOPIC}","partition":',
        toString(partition), ',"offset":', toString(offset), ',"count":', toString(nth + 1), '}}')
FROM ({MESSAGES})
ARRAY JOIN [0, 1] AS nth
WHERE released
"""


@dataclass(frozen=True)
class Kind:
    """A run. ``twice``: which messages it received twice, ``again`` or ``released``. ``aborts``: some transactions."""

    run_id: str
    topic: str = TOPIC
    twice: str = "again"
    aborts: bool = False


PLAIN, COPIES = Kind("certify-plain"), Kind("certify-copies", topic=COPY)
TRANSACTED, SHARED = Kind("certify-transacted", aborts=True), Kind("certify-shared", twice="released")


def twice(kind: Kind, rows: int) -> int:
    """How many messages of the run were received twice, if none is aborted."""
    if kind.twice == "released":
        return rows // 100
    return rows // 1_000_000 * 5_000 + min(5_000, rows % 1_000_000)


def store(client: Client, rows: int) -> None:
    """All runs, of ``rows`` messages each; ``rows`` is a multiple of what ends every transaction and partition."""
    for kind in (PLAIN, COPIES, TRANSACTED, SHARED):
        given = {"run_id": kind.run_id, "topic": kind.topic, "twice": kind.twice, "aborts": int(kind.aborts)}
        given |= {"sequences": int(kind != COPIES), "start_us": START_US}
        for sql in (PUBLISHES, DELIVERIES, *([ANSWERS] if kind == SHARED else [])):
            for first in range(0, rows, CHUNK):
                chunk = {"first": first, "rows": min(CHUNK, rows - first)}
                client.command(sql, parameters={**given, **chunk}, settings={"max_threads": 2})
        if kind.aborts:
            for sql in (TRANSACTIONS, ZOMBIES):
                client.command(sql, parameters={**given, "rows": rows // IN_TRANSACTION})
        client.insert("runs", [_run(kind, rows)])
        client.insert("run_events", list(_logs(kind.run_id, rows // PARTITIONS)))


def _logs(run_id: str, messages: int) -> Iterator[list[object]]:
    """Where the logs begin and end. Each partition was read again and found complete; the audit compares its hash."""
    for name, end in (("start", 0), ("end", messages)):
        log = {"topic": TOPIC, "starts": [0] * PARTITIONS, "ends": [end] * PARTITIONS, "settings": {}}
        yield [run_id, 0, START_US, "log", name, json.dumps(log)]
    for partition in range(PARTITIONS):
        place = {"topic": TOPIC, "partition": partition, "first": 0, "end": messages}
        detail = {**place, "read": messages, "foreign": 0, "hash": "0", "gaps": [], "corrupt": []}
        yield [run_id, 0, START_US, "reread", "range", json.dumps(detail)]


def _run(kind: Kind, rows: int) -> list[object]:
    topics = [{"name": TOPIC, "partitions": PARTITIONS, "subscriptions": int(kind != COPIES)}]
    if kind == COPIES:
        topics.append({"name": COPY, "partitions": PARTITIONS, "subscriptions": 1, "copy_of": TOPIC})
    plan = {
        **{"topics": topics, "consumer_groups": 1, "phases": [], "behaviour": {"transaction_messages": IN_TRANSACTION}},
        **{"producer_config": {}, "consumer_config": {}},
    }
    manifest = json.dumps({"plan": plan, "brokers": []})
    start, end = START_US, START_US + rows * 20
    return [kind.run_id, "bench", "kafka", "finished", start, end, 42, 1, "", "", manifest, "", start // 1_000_000]
