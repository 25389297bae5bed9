# SPDX-License-Identifier: Apache-2.0
"""A run computed in Python: its rows in the tables, and what queries must return about it.

100 messages a second for 22 s: 2 s of warm-up, 20 s of measure. Two producers, each on its own
partition. The drive's write latency rises two seconds before the end-to-end latency does.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clickhouse_connect.driver.client import Client

START_S = 1_768_471_200  # 2026-01-15 10:00:00 UTC
RATE = 100
WARMUP_S, MEASURE_S = 2, 20
SECONDS = WARMUP_S + MEASURE_S
DRIVE_LEADS_S = 2
PAYLOAD = 100
# Half the width of a rollup bucket: how far a percentile from the rollup may be off.
BUCKET_ERROR = 0.004
# ms added to the end-to-end latency by second of the run; as good as random, and less than the 20 ms between two
# messages of a partition, so that consumers receive them in order.
SWELL_MS = [(s * s * 7 + s * 3) % 17 for s in range(SECONDS + DRIVE_LEADS_S)]


@dataclass(frozen=True)
class Message:
    """One message; times in µs since 1970."""

    producer: int
    partition: int
    offset: int
    intended: int
    delay: int
    ack: int
    receive: int
    subscription: int = 0
    consumer: int | None = None
    tie: int = 0
    sequence: int = -1

    @classmethod
    def make(cls, n: int) -> "Message":
        intended = START_S * 1_000_000 + n * 1_000_000 // RATE
        step = n % RATE
        return cls(
            producer=n % 2,
            partition=n % 2,
            offset=n // 2,
            intended=intended,
            delay=n % 10,
            ack=intended + 1_000 + step * 10,
            receive=intended + 2_000 + step * 10 + SWELL_MS[n // RATE] * 1_000,
        )

    @property
    def measured(self) -> bool:
        start = (START_S + WARMUP_S) * 1_000_000
        return start <= self.intended < start + MEASURE_S * 1_000_000


@dataclass
class Model:
    """Change ``published``, ``delivered``, ``ledger`` and the like before ``insert``."""

    run_id: str
    published: list[Message] = field(default_factory=list)
    delivered: list[Message] = field(default_factory=list)
    failures: int = 3
    started_s: int = START_S
    state: str = "finished"
    ledger: dict[tuple[str, str, str], int] = field(default_factory=dict)
    ledger_times: dict[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    topic_plan: dict[str, Any] = field(default_factory=dict)
    behaviour: dict[str, Any] = field(default_factory=dict)
    producer_config: dict[str, str] = field(default_factory=dict)
    events: list[tuple[int, str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        messages = [Message.make(n) for n in range(SECONDS * RATE)]
        self.published = list(messages)
        self.delivered = list(messages)
        count = len(messages)
        self.ledger = {
            ("publishes", "sent", ""): count + self.failures,
            ("publishes", "acked", ""): count,
            ("publishes", "failed", ""): self.failures,
            ("deliveries", "received", ""): count,
            ("publishes", "recorded", ""): count,
            ("deliveries", "recorded", ""): count,
            ("publish_failures", "recorded", ""): self.failures,
            ("run_events", "recorded", ""): 4,
            ("partition_leaders", "recorded", ""): 0,
        }

    @property
    def topic(self) -> str:
        return f"{self.run_id}-0000000"

    def measured(self, attribute: str) -> list[int]:
        """Latencies (µs) of the measure phase: ``attribute`` minus the intended time."""
        rows = self.delivered if attribute == "receive" else self.published
        return [getattr(m, attribute) - m.intended for m in rows if m.measured]

    def alter(self, n: int, **changes: int) -> None:
        """Change the n-th message, as published and as delivered."""
        self.published[n] = replace(self.published[n], **changes)
        self.delivered[n] = replace(self.delivered[n], **changes)

    def insert(self, client: Client) -> None:
        """Store everything."""
        tables = {
            "publishes": self._publishes(),
            "deliveries": self._deliveries(),
            "publish_failures": self._failures(),
            "run_events": self._phases(),
            "ledger": self._ledger(),
            "runs": [self._run()],
            "host_metrics": list(drive_samples(self.run_id)),
        }
        for table, rows in tables.items():
            if rows:
                client.insert(table, rows)

    def _publishes(self) -> list[list[Any]]:
        return [
            [
                *(self.run_id, 0, m.producer, self.topic, m.partition, m.offset),
                *(m.intended, m.delay, m.ack, PAYLOAD),
            ]
            for m in self.published
        ]

    def _deliveries(self) -> list[list[Any]]:
        return [
            [
                *(self.run_id, 0, m.subscription, m.partition if m.consumer is None else m.consumer, m.producer),
                *(self.topic, m.partition, m.offset, m.intended, m.receive, PAYLOAD, m.sequence, m.tie),
            ]
            for m in self.delivered
        ]

    def _failures(self) -> list[list[Any]]:
        at = (START_S + WARMUP_S) * 1_000_000
        row = [self.run_id, 0, 0, self.topic, -1, at, 0, at + 500_000, PAYLOAD, "TimeoutException"]
        return [[*row, number, number] for number in range(self.failures)]

    def _phases(self) -> list[list[Any]]:
        return [[self.run_id, 0, (START_S + at) * 1_000_000, "phase", name, ""] for name, at in phases().items()] + [
            [self.run_id, 0, (START_S + at) * 1_000_000, *event] for at, *event in self.events
        ]

    def _ledger(self) -> list[list[Any]]:
        return [
            [self.run_id, 0, *key, count, *self.ledger_times.get(key, (0, 0))] for key, count in self.ledger.items()
        ]

    def _run(self) -> list[Any]:
        rated = [{"name": name, "messages_per_second": RATE} for name in ("warmup", "measure")]
        manifest = {
            "plan": {
                "phases": rated,
                "topics": [{"name": self.topic, "partitions": 2, **self.topic_plan}],
                "behaviour": self.behaviour,
                "producer_config": self.producer_config,
                "consumer_groups": 1,
            },
            "brokers": [{"id": 1, "host": "localhost", "log_device": "vda"}],
        }
        start, end = self.started_s * 1_000_000, (self.started_s + SECONDS + 3) * 1_000_000
        return [
            *(self.run_id, "model", "kafka", self.state, start, end, 42, 1),
            *("name: model", "name: kafka", json.dumps(manifest), "", start),
        ]


def phases() -> dict[str, int]:
    """Name of each phase to the second of the run at which it starts."""
    return {"warmup": 0, "measure": WARMUP_S, "drain": SECONDS, "end": SECONDS + 1}


def drive_samples(run_id: str) -> Iterable[list[Any]]:
    """node_exporter's counters at full seconds: a sample at t covers the second before t.

    10 writes a second, each of the swell to come; 2 flushes of 3 ms; 4,096 bytes. The sample of
    second 5 is missing.
    """
    writes = write_s = 0.0
    for s in range(-1, SECONDS + 1):
        swell = SWELL_MS[s + DRIVE_LEADS_S] if 0 <= s + DRIVE_LEADS_S < len(SWELL_MS) else 0
        writes += 10
        write_s += 10 * swell / 1000
        if s == 5:
            continue
        counters = {
            "node_disk_writes_completed_total": writes,
            "node_disk_write_time_seconds_total": write_s,
            "node_disk_flush_requests_total": writes / 5,
            "node_disk_flush_requests_time_seconds_total": writes / 5 * 0.003,
            "node_disk_written_bytes_total": writes / 10 * 4096,
            "node_disk_io_time_seconds_total": writes / 10 * 0.25,
            "node_disk_io_time_weighted_seconds_total": writes / 10 * 0.5,
        }
        for metric, value in counters.items():
            time_ms = (START_S + s + 1) * 1000
            yield [run_id, metric, "node", "localhost", "vda", {}, time_ms, value]


def nearest_rank(values: list[int], percent: float) -> int:
    """The smallest value that at least ``percent`` of all values do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100 - 1e-9) - 1]


def second(row: Mapping[str, Any]) -> int:
    """The second of the run that a query's row is of."""
    return int(row["time"].timestamp()) - START_S
