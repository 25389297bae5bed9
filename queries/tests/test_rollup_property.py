# SPDX-License-Identifier: Apache-2.0
"""The latency rollup keeps its promise on any distribution: 0.4 % at every quantile, exact sums."""

import math
import random
import struct
from collections import Counter
from collections.abc import Callable

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import BUCKET_ERROR, nearest_rank
from lab.simulated.traces import START_US, US

PERCENTS = (0.01, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100)
FORTY_HOURS_US = 40 * 3600 * US
MESSAGES = 20_000
WORKERS, SECONDS = 3, 20
DISTRIBUTIONS: dict[str, Callable[[random.Random], int]] = {
    "uniform": lambda dice: dice.randrange(2_000_000),
    "lognormal": lambda dice: int(dice.lognormvariate(8, 1.5)),
    "bimodal": lambda dice: int(dice.gauss(*dice.choice(((900, 50), (250_000, 9000))))),
    "constant": lambda dice: 12_345,
    "zero": lambda dice: 0,
    "forty-hours": lambda dice: FORTY_HOURS_US,
    "zero-to-forty-hours": lambda dice: int(math.exp(dice.uniform(0, math.log(FORTY_HOURS_US)))) - 1,
    "clocks-apart": lambda dice: int(dice.gauss(0, 3000)),
}


def store(client: Client, run_id: str, values: list[int]) -> None:
    """One message per value, over several workers, partitions and seconds."""
    rows = []
    for n, us in enumerate(values):
        due = START_US + n % SECONDS * US + n
        rows.append([run_id, n % WORKERS, 0, f"t{n % 2}", 0, n, due, 0, due + us, 100])
    for worker in range(WORKERS):
        client.insert("publishes", [row for row in rows if row[1] == worker])


def bucket(us: int) -> int:
    """The upper 16 bits of the value as a 32-bit float, negated for negative values."""
    (bits,) = struct.unpack("<I", struct.pack("<f", abs(us)))
    return int(math.copysign(bits >> 16, us))


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_quantile_is_within_its_error(client: Client, kind: str, seed: int) -> None:
    dice = random.Random(seed)
    values = [DISTRIBUTIONS[kind](dice) for _ in range(MESSAGES)]
    run_id = f"{kind}-{seed}"
    store(client, run_id, values)
    # Rounded: 99.9 / 100 is a little more than 0.999, which asks for the next rank.
    levels = ", ".join(str(round(percent / 100, 9)) for percent in PERCENTS)
    (row,) = client.query(
        f"SELECT quantilesExactWeighted({levels})(value_us, events) FROM v_latency_1s"
        " WHERE run_id = {run_id:String} AND stage = 'publish'",
        parameters={"run_id": run_id},
    ).result_rows
    for percent, found in zip(PERCENTS, row[0], strict=True):
        exact = nearest_rank(values, percent)
        assert abs(found - exact) <= BUCKET_ERROR * abs(exact), percent


def test_sums_over_time_topics_and_workers_are_exact(client: Client) -> None:
    dice = random.Random(5)
    values = [DISTRIBUTIONS["lognormal"](dice) for _ in range(MESSAGES)]
    store(client, "summed", values)
    expected = Counter(map(bucket, values))
    for merged in (False, True):
        if merged:
            client.command("OPTIMIZE TABLE rollup_1s FINAL")
        rows = client.query(
            "SELECT bucket, sum(events) FROM v_latency_1s WHERE run_id = 'summed' AND stage = 'publish' GROUP BY bucket"
        ).result_rows
        assert {int(b): int(events) for b, events in rows} == expected
        parts = client.query(
            "SELECT worker, time, sum(events) FROM v_latency_1s"
            " WHERE run_id = 'summed' AND stage = 'publish' GROUP BY worker, time"
        ).result_rows
        assert len(parts) == WORKERS * SECONDS
        assert {int(events) for _, _, events in parts} <= {333, 334}


def test_a_block_sent_twice_leaves_the_rollups_as_they_were(client: Client) -> None:
    block = client.raw_query(
        "SELECT toLowCardinality('resent') AS run_id, 't' AS topic, toInt64(number) AS offset,"
        " toDateTime64('2026-01-15 10:00:00', 6, 'UTC') AS intended_time,"
        " intended_time + 1 AS ack_time, toUInt32(100) AS payload_bytes FROM numbers(5000)",
        fmt="Native",
    )
    columns = ["run_id", "topic", "offset", "intended_time", "ack_time", "payload_bytes"]
    token = {
        "insert_deduplication_token": "resent/0/publishes/0",
        "deduplicate_blocks_in_dependent_materialized_views": 1,
    }
    for _ in range(2):
        client.raw_insert("publishes", columns, block, settings=token, fmt="Native")
        for table, stages in (("v_latency_1s", 3), ("v_throughput_1s", 1)):
            (row,) = client.query(f"SELECT sum(events) FROM {table} WHERE run_id = 'resent'").result_rows
            assert row[0] == 5000 * stages
