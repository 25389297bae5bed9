# SPDX-License-Identifier: Apache-2.0
"""A run made up second by second: what a host, a broker and a load generator would have left.

Levels are those of a calm machine with a drive of its own; a fault replaces some of them for a
while. Counters, gauges and histograms go into the tables that a real run fills.
"""

import json
import math
import random
import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from lab.simulated.series import series_of

WARMUP_S = 10
PHASES = ("warmup", "measure", "drain", "end")
PER_SECOND = 100  # messages

CALM: dict[str, float] = {
    # Latencies, ms; the loader adds its own delay before the send.
    "p50": 2.2, "p99": 17, "delay_p50": 0.02, "delay_p99": 0.4, "deliver": 1.0,
    # The drive: milliseconds per request, requests and MB per second.
    "write_ms": 0.1, "flush_ms": 0.08, "read_ms": 0.1, "writes": 375, "flushes": 300, "reads": 1,
    "queue": 0.06, "busy": 0.03, "written_mb": 2.0, "read_mb": 0.01, "discards": 0,
    # What ioprobe sees: I/O requests without the flush before them, sync calls of the broker.
    "request_write_ms": 0.09, "sync_ms": 0.27, "syncs": 150, "other_requests": 5,
    # Shares of time, cores.
    "io_pressure": 0.011, "cpu_pressure": 0.05, "memory_pressure": 0,
    "broker_cores": 0.15, "loader_cores": 0.1, "other_cores": 0.1, "steal_cores": 0.001,
    # The broker's own account: milliseconds per request, requests per second.
    "queue_ms": 0.1, "local_ms": 1.6, "remote_ms": 0.01, "send_ms": 0.05, "produces": 100,
    "fetches": 60, "log_flush_ms": 1.4, "log_flushes": 50, "idle": 0.97, "waiting": 0,
    "stopped": 0, "loader_stopped": 0,
    "gc": 0.002, "up": 1, "scrape_ms": 60, "deleted": 0, "segments": 0, "leaders": 4,
    # Network and load generator.
    "retransmits": 0.02, "lag_ms": 2, "pause_ms": 0, "received": 100,
}  # fmt: skip

Levels = Mapping[str, float]


@dataclass(frozen=True)
class SimulatedFault:
    """``levels`` replace the calm ones in seconds ``[start, end)`` of the run.

    With ``every`` and ``lasting`` it comes and goes: only the first ``lasting`` of each ``every``
    seconds are bad.
    """

    start: int
    end: int
    levels: Levels
    every: int = 1
    lasting: int = 1

    def at(self, second: int) -> bool:
        inside = self.start <= second < self.end
        return inside and (second - self.start) % self.every < self.lasting


@dataclass
class Simulated:
    """``missing``: (job or drive, from, to) of seconds without a sample; ``resets``: seconds in
    which all counters of a job restart from 0; ``appears``: (device, second of its first sample);
    ``brokers``: their ids, each on the device of the same place, and the first has the faults;
    ``loader_host``: where the load generator runs; ``phases``: those that somebody saw begin."""

    run_id: str
    faults: list[SimulatedFault] = field(default_factory=list)
    seconds: int = 150
    seed: int = 1
    calm: Levels = field(default_factory=lambda: CALM)
    noise: float = 0.15
    devices: tuple[str, ...] = ("sdb", "sda")
    without: tuple[str, ...] = ()
    missing: list[tuple[str, int, int]] = field(default_factory=list)
    resets: list[tuple[str, int]] = field(default_factory=list)
    appears: list[tuple[str, int]] = field(default_factory=list)
    events: list[tuple[float, str, str, str]] = field(default_factory=list)
    brokers: tuple[int, ...] = (1,)
    loader_host: str = "localhost"
    phases: tuple[str, ...] = PHASES
    spikes: Mapping[int, float] = field(default_factory=dict)

    def levels(self, second: int) -> dict[str, float]:
        levels = dict(self.calm)
        for fault in self.faults:
            if fault.at(second):
                levels |= fault.levels
        return levels

    def insert(self, client: Client) -> None:
        """Store everything."""
        self._latencies(client)
        self._metrics(client)
        begins = (0, WARMUP_S, self.seconds, self.seconds + 1)
        rows = [
            [self.run_id, 0, (START_S + at) * 1_000_000, "phase", name, ""]
            for name, at in zip(PHASES, begins, strict=True)
            if name in self.phases
        ]
        rows += [
            [self.run_id, 0, int((START_S + at) * 1_000_000), kind, name, detail]
            for at, kind, name, detail in self.events
        ]
        client.insert("run_events", rows)
        client.insert("runs", [self._run()])

    def _run(self) -> list[Any]:
        manifest = {
            "plan": {"phases": [{"name": "measure", "messages_per_second": PER_SECOND}]},
            "brokers": [
                {"id": broker, "host": "localhost", "log_device": device}
                for broker, device in zip(self.brokers, self.devices, strict=False)
            ],
        }
        start = START_S * 1_000_000
        end = (START_S + self.seconds + 2) * 1_000_000
        return [
            *(self.run_id, "simulated", "kafka", "finished", start, end, self.seed, 1),
            *("name: simulated", "name: kafka", json.dumps(manifest), "", start),
        ]

    def _latencies(self, client: Client) -> None:
        dice = random.Random(self.seed)
        rows: list[list[Any]] = []
        for second in range(self.seconds):
            levels = self.levels(second)
            at = START_S + second
            counts: Counter[tuple[str, int]] = Counter()
            spike = self.spikes.get(second, 1)
            for _ in range(PER_SECOND):
                delay = drawn(dice, levels["delay_p50"], levels["delay_p99"])
                service = drawn(dice, levels["p50"] * spike, levels["p99"] * spike)
                arrival = delay + service + drawn(dice, levels["deliver"], 4 * levels["deliver"])
                for stage, ms in (
                    ("publish_delay", delay),
                    ("publish_service", service),
                    ("publish", delay + service),
                    ("end_to_end", arrival),
                ):
                    counts[stage, bucket(ms * 1000)] += 1
            for (stage, place), events in counts.items():
                rows.append([self.run_id, stage, "t", 0, at, place, events, 0])
            for stage, events in (("acked", PER_SECOND), ("received", int(levels["received"]))):
                # A second in which nothing was has no row.
                if events:
                    rows.append([self.run_id, stage, "t", 0, at, 0, events, 0])
        client.insert("rollup_1s", rows)

    def _metrics(self, client: Client) -> None:
        dice = random.Random(self.seed + 1)
        columns: list[list[Any]] = [[] for _ in range(8)]
        for one in series_of(self.devices):
            if one.job in self.without or one.metric in self.without:
                continue
            host = self.loader_host if one.labels.get("group") == "loadgen" else one.host
            for at, value in self._samples(one, dice):
                row = (self.run_id, one.metric, one.job, host, one.device, one.labels, at)
                for column, cell in zip(columns, (*row, value), strict=True):
                    column.append(cell)
        client.insert("host_metrics", columns, column_oriented=True)

    def _samples(self, one: Any, dice: random.Random) -> Iterable[tuple[int, float]]:
        first = dict(self.appears).get(one.device, -5)
        total, number = (1000.0, 1000.0) if one.grows else (0.0, 0.0)
        for second in range(max(first, -5), self.seconds + 2):
            # A sample at t covers the second before it.
            levels = self.levels(second - 1)
            if one.device and one.device != self.devices[0]:
                levels = dict(self.calm)
            if (one.job, second) in self.resets:
                total = number = 0.0
            value = one.value(levels) * dice.lognormvariate(0, self.noise)
            if one.exact:
                value = one.value(levels)
            total = total + value if one.grows else value
            if any(of in (one.job, one.device) and a <= second < b for of, a, b in self.missing):
                continue
            # A broker that does not answer a scrape leaves nothing but up.
            if one.job == "kafka" and levels["up"] < 1 and one.metric != "up":
                continue
            number += one.over(levels) if one.over else 0
            yield (START_S + second) * 1000, total / number if one.over else total


def drawn(dice: random.Random, p50: float, p99: float) -> float:
    """A value whose median and 99th percentile are about these."""
    sigma = max(0.01, (p99 / p50) ** (1 / 2.33) - 1) if p99 < 1.2 * p50 else 0
    return p50 * math.exp(dice.gauss(0, 1) * (sigma or math.log(p99 / p50) / 2.33))


def bucket(us: float) -> int:
    """The rollup's bucket: the top half of the value as a 32-bit float."""
    return int(struct.unpack("<I", struct.pack("<f", us))[0] >> 16)
