# SPDX-License-Identifier: Apache-2.0
"""The audit's counts by the broker that led the partition at the time."""

from dataclasses import replace

from audited import Tailrace, assert_fails, passes, verdict
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, START_S, Model

COUNT = SECONDS * RATE
# Broker 1 leads partition 0 for the first 5 s, then broker 2; broker 3 leads partition 1.
MOVED_S = 5


def led(client: Client, model: Model) -> None:
    sights = [(0, 0, 1), (MOVED_S, 0, 2), (0, 1, 3)]
    columns = ["run_id", "worker", "time", "topic", "partition", "leader", "leader_host"]
    rows = [
        [model.run_id, 0, (START_S + second) * 1_000_000, model.topic, partition, broker, "h"]
        for second, partition, broker in sights
    ]
    client.insert("partition_leaders", rows, column_names=columns)
    model.ledger["partition_leaders", "recorded", ""] = len(sights)


def test_what_is_missing_is_counted_by_the_leader_at_the_time(tailrace: Tailrace, client: Client, model: Model) -> None:
    led(client, model)
    gone = {(0, 10), (0, 11), (0, 400), (1, 400)}
    model.delivered = [m for m in model.delivered if (m.partition, m.offset) not in gone]
    again = [m for m in model.delivered if (m.partition, m.offset) == (1, 500)]
    model.delivered += [replace(m, receive=m.receive + 5) for m in again]
    model.insert(client)
    output = assert_fails(tailrace, client, model, "missing", f"{model.topic}/0 subscription 0")
    table = output.partition("by the partitions' leader at the time:\n")[2].splitlines()
    assert table[0].split()[:4] == ["broker", "partitions", "acked", "missing"]
    names = ("broker", "partitions", "acked", "missing", "received_again")
    stored = verdict(client, model.run_id)["brokers"]
    assert isinstance(stored, list)
    first = MOVED_S * RATE // 2
    assert [tuple(each[name] for name in names) for each in stored] == [
        (1, 1, first, 2, 0),
        (2, 1, COUNT // 2 - first, 1, 0),
        (3, 1, COUNT // 2, 1, 1),
    ]


def test_the_leaders_of_a_run_with_one_broker_are_not_shown(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    assert "leader at the time" not in passes(tailrace, model)
    assert verdict(client, model.run_id)["brokers"] == []
