# SPDX-License-Identifier: Apache-2.0
"""Runs of the published experiments, made up by the warehouse from a few expressions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from tailrace.api import catalogue

# 95 of 100 messages take half as long as the 99th percentile.
LATENCIES = """
INSERT INTO rollup_1s (run_id, stage, topic, worker, time, bucket, events, bytes)
SELECT {run_id:String}, stage, 't', 0, toDateTime({start:UInt32} + s, 'UTC'),
    toInt16(bitShiftRight(reinterpretAsUInt32(toFloat32(1000 * shape.1 * level * noise)), 16)),
    shape.2, 0
FROM
(
    SELECT number * {every:UInt32} AS s, s / 3600 AS h, greatest(0.01, P99) AS level,
        arrayJoin(['publish', 'end_to_end']) AS stage,
        arrayJoin([(0.5, 95), (1, 5)]) AS shape,
        exp(0.1 * ((cityHash64(s, 3) % 1000) / 1000 - 0.5)) AS noise
    FROM numbers({seconds:UInt32} / {every:UInt32})
)
"""
WORK = """
INSERT INTO rollup_1s (run_id, stage, topic, worker, time, bucket, events, bytes)
SELECT {run_id:String}, 'acked', 't', 0, toDateTime({start:UInt32} + number, 'UTC'), 0,
    toUInt64({per_s:Float64}), toUInt64({per_s:Float64} * 1024)
FROM numbers({seconds:UInt32})
"""
# Name, drive, labels and value of each sample; what is written as a rate becomes a counter.
SAMPLES = (
    ("node_disk_writes_completed_total", "sdb", "", "300 * s"),
    ("node_disk_write_time_seconds_total", "sdb", "", "sum(0.3 * step * (DRIVE_MS)) OVER w"),
    ("node_disk_written_bytes_total", "sdb", "", "{written:Float64} * 1e6 * s"),
    ("node_cpu_seconds_total", "", "'mode', 'user'", "0.6 * s"),
    ("node_cpu_seconds_total", "", "'mode', 'steal'", "{steal:Float64} * 2 * s"),
    ("node_cpu_seconds_total", "", "'mode', 'idle'", "(1.4 - {steal:Float64} * 2) * s"),
    ("procprobe_cpu_seconds_total", "", "'group', 'broker'", "0.5 * s"),
    ("tailrace_loader_scheduling_lag_max_seconds", "", "", "{lag:Float64} / 1000"),
    ("kafka_log_start_offset", "", "'broker', '1', 'topic', 't'", "DELETED"),
    ("kafka_log_start_offset", "", "'broker', '1', 'topic', '__group'", "s"),
)
METRICS = """
INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)
SELECT {run_id:String}, sample.1, 'node', 'localhost', sample.2,
    CAST(sample.3, 'Map(LowCardinality(String), String)'),
    fromUnixTimestamp64Milli(toInt64({start:UInt32} + s) * 1000, 'UTC'), sample.4
FROM
(
    SELECT s, arrayJoin([SAMPLES]) AS sample
    FROM
    (
        SELECT number * {every:UInt32} AS s, s / 3600 AS h, {every:UInt32} AS step
        FROM numbers({seconds:UInt32} / {every:UInt32} + 1)
    )
    WINDOW w AS (ORDER BY s ROWS UNBOUNDED PRECEDING)
)
""".replace(
    "SAMPLES",
    ", ".join(
        f"('{name}', '{device}', map({labels or repr('') + ', ' + repr('')}), toFloat64({value}))"
        for name, device, labels, value in SAMPLES
    ),
)


@dataclass(frozen=True)
class Trial:
    """One run.

    ``p99_ms``, ``drive_ms`` and ``deleted`` (log start offset) are SQL over ``s`` and ``h``,
    seconds and hours since the start; ``reached`` is the share of the offered rate that is
    acknowledged; ``marks`` are phases by second, else all of it is measured; ``events`` are
    second, kind, name and perhaps detail; ``more`` goes into the manifest. ``timely`` is false
    where no message of the measured time arrived.
    """

    run_id: str
    system: str = "kafka"
    offered: float = 20_480
    plan: Mapping[str, Any] = field(default_factory=dict)
    experiment: Mapping[str, Any] = field(default_factory=dict)
    seconds: int = 60
    reached: float = 1.0
    p99_ms: str = "10"
    drive_ms: str = "0.4"
    written_mb: float = 20
    deleted: str = "0"
    steal: float = 0
    lag_ms: float = 5
    failed: Sequence[str] = ()
    marks: Sequence[tuple[str, int]] = (("measure", 0),)
    events: Sequence[tuple[int, str, str] | tuple[int, str, str, str]] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    timely: bool = True

    def insert(self, client: Client) -> None:
        long = self.seconds > 3600
        given = {"run_id": self.run_id, "start": START_S, "seconds": self.seconds}
        latencies = LATENCIES.replace("P99", self.p99_ms)
        if self.timely:
            client.command(latencies, parameters={**given, "every": 15 if long else 1})
        client.command(WORK, parameters={**given, "per_s": self.offered * self.reached})
        levels = {"written": self.written_mb, "steal": self.steal, "lag": self.lag_ms}
        metrics = METRICS.replace("DRIVE_MS", self.drive_ms).replace("DELETED", self.deleted)
        client.command(metrics, parameters={**given, **levels, "every": 10 if long else 1})
        marks = [*self.marks, ("drain", self.seconds), ("end", self.seconds + 1)]
        events = [*((at, "phase", name) for name, at in marks), *self.events]
        rows = [
            [self.run_id, 0, (START_S + at) * 1_000_000, kind, name, *(detail or [""])]
            for at, kind, name, *detail in events
        ]
        client.insert("run_events", rows)
        client.insert("runs", [self._run()])

    def _run(self) -> list[Any]:
        plan = {
            **{"messages_per_second": self.offered, "message_bytes": 1024, "producers": 4},
            **{"partitions": 72, "behaviour": {"keys": "none"}, "consumer_groups": 1},
            **{"replication_factor": 1, "workers": 1, "topic_config": {}},
            **{"producer_config": {}, "consumer_config": {}, **self.plan},
        }
        broker = {"id": 1, "host": "localhost", "log_device": "sdb"}
        manifest = {
            **{"plan": plan, "brokers": [broker], "experiment": dict(self.experiment)},
            **self.more,
        }
        failures = [{"check": check, "text": ""} for check in self.failed]
        audit = {"verdict": "fail" if failures else "pass", "failures": failures}
        start, end = START_S * 1_000_000, (START_S + self.seconds) * 1_000_000
        row = [self.run_id, "trial", f"{self.system}-acks-all", "finished", start, end, 1, 1]
        return [*row, "", "", json.dumps(manifest), json.dumps(audit), start]


def verdicts(client: Client, query: str, trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Store the runs; returns the rows of the query about all of them, one each."""
    for trial in trials:
        trial.insert(client)
    question = catalogue.load(query)
    values = question.fill({"runs": ",".join(trial.run_id for trial in trials)})
    return [dict(row) for row in client.query(question.text, parameters=values).named_results()]
