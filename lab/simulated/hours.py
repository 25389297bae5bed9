# SPDX-License-Identifier: Apache-2.0
"""Simulated runs of 36 hours, made by the warehouse itself from a few expressions."""

import json
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S

HOURS = 36
# Messages are intended in every fifth second, drives are sampled every other.
MESSAGES_EVERY_S, SAMPLES_EVERY_S = 5, 2

LATENCIES = """
INSERT INTO rollup_1s (run_id, stage, topic, worker, time, bucket, events, bytes)
SELECT {run_id:String}, 'publish', 't', 0, toDateTime({start:UInt32} + s, 'UTC'),
    toInt16(bitShiftRight(reinterpretAsUInt32(toFloat32(shape.1 * 1000 * level * noise)), 16)),
    shape.2, 0
FROM
(
    SELECT number * {every:UInt32} AS s, s / 3600 AS h, LEVEL AS level,
        arrayJoin([(2, 25000), (2.5, 25000), (4, 40000), (8, 9000), (15, 900), (30, 90), (60, 10)])
            AS shape,
        exp(0.25 * ((cityHash64(s, shape.2, {seed:UInt32}) % 1000) / 1000 - 0.5)) AS noise
    FROM numbers({seconds:UInt32} / {every:UInt32})
)
"""
DRIVE = """
INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)
SELECT {run_id:String}, sample.1, 'node', {host:String}, {device:String}, map(),
    fromUnixTimestamp64Milli(toInt64({start:UInt32} + s) * 1000, 'UTC'), sample.2
FROM
(
    SELECT s, h, arrayJoin([
            ('node_disk_writes_completed_total', toFloat64(sum(writes) OVER w)),
            ('node_disk_write_time_seconds_total', toFloat64(sum(writes * write_ms / 1000) OVER w)),
            ('node_disk_discards_completed_total', toFloat64(sum(discards) OVER w)),
            ('node_disk_flush_requests_total', sum(500 * noise) OVER w),
            ('node_disk_reads_completed_total', sum(reads) OVER w),
            ('node_disk_read_bytes_total', sum(65536 * reads) OVER w)]) AS sample
    FROM
    (
        SELECT number * {every:UInt32} AS s, s / 3600 AS h,
            exp(0.4 * ((cityHash64(s, 7, {seed:UInt32}) % 1000) / 1000 - 0.5)) AS noise,
            (0.4 * (DRIVE_LEVEL)) * noise AS write_ms, 300 AS writes, DISCARDS AS discards,
            -- Somebody reads a little, and each hour a minute long a lot.
            if(s % 3600 < 60, 400, 2) * noise AS reads
        FROM numbers({seconds:UInt32} / {every:UInt32})
    )
    WINDOW w AS (PARTITION BY h >= {restarted:Float64} ORDER BY s ROWS UNBOUNDED PRECEDING)
)
WHERE h >= {since:Float64} AND NOT (h >= {silent:Float64} AND h < {heard:Float64})
"""


@dataclass(frozen=True)
class Hours:
    """Levels as SQL over ``h``, hours since the start: latency and write latency as factors of
    the usual, discards as requests in two seconds. ``calm``: hosts whose drive stays as it is.

    Hours of the drive's metrics: ``silent``, from and to which there are none; ``since``, when it
    appears, beside an idle sda; ``restarted``, when its counters restart from 0. ``phases``: (name,
    hour) instead of a measure phase that ends.
    """

    run_id: str
    latency: str = "1"
    drive: str = "1"
    discards: str = "0"
    hours: int = HOURS
    seed: int = 1
    host: str = "localhost"
    calm: tuple[str, ...] = ()
    silent: tuple[float, float] = (0, 0)
    since: float = 0
    restarted: float = 0
    phases: tuple[tuple[str, float], ...] = ()

    def insert(self, client: Client) -> None:
        """Store rollups, drive metrics, phases and manifest."""
        seconds = self.hours * 3600
        given = {"run_id": self.run_id, "start": START_S, "seconds": seconds, "seed": self.seed}
        latencies = LATENCIES.replace("LEVEL", self.latency)
        client.command(latencies, parameters={**given, "every": MESSAGES_EVERY_S})
        drives = [(self.host, "sdb", self.drive, self.since)]
        drives += [(host, "sdb", "1", 0) for host in self.calm]
        drives += [(self.host, "sda", "1", 0)] if self.since else []
        for host, device, level, since in drives:
            drive = DRIVE.replace("DRIVE_LEVEL", level).replace("DISCARDS", self.discards)
            place = {"host": host, "device": device, "since": since, "restarted": self.restarted}
            silent = {"silent": self.silent[0], "heard": self.silent[1]}
            every = {"every": SAMPLES_EVERY_S}
            client.command(drive, parameters={**given, **every, **place, **silent})
        ends = (("measure", 0), ("drain", self.hours), ("end", self.hours + 1 / 3600))
        client.insert(
            "run_events",
            [
                [self.run_id, 0, round((START_S + at * 3600) * 1e6), "phase", name, ""]
                for name, at in self.phases or ends
            ],
        )
        manifest = {
            "brokers": [
                {"id": number, "host": host, "log_device": "sdb"}
                for number, host in enumerate((self.host, *self.calm), 1)
            ]
        }
        start, end = START_S * 1_000_000, (START_S + seconds) * 1_000_000
        row = [self.run_id, "long", "kafka", "finished", start, end, 1, 1]
        client.insert("runs", [[*row, "", "", json.dumps(manifest), "", start]])
