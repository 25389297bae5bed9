# SPDX-License-Identifier: Apache-2.0
"""One run as a load generator and a host would have left it; fixture/*.sql hold its rows."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.client import Client

START_US = 1_795_255_200_350_000
START = datetime(2026, 11, 21, 10, 0, 0, 350_000, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STATEMENTS = Path(__file__).parent / "fixture"
DRIVE = {
    **{"model": "QEMU HARDDISK", "bytes": 256 * 2**30, "rotational": "0", "scheduler": "none"},
    **{"file_system": "xfs", "mount_options": "noatime"},
}
DRIVER = """name: kafka-local
replicationFactor: 1
producerConfig: |
  acks=all
  linger.ms=1
  sasl.jaas.config=***
"""


@dataclass(frozen=True)
class FixtureRun:
    """``spike_s`` and ``silent_s`` (seconds without a message) count from the measure's start.

    ``late_us`` is added to every publish delay; ``failed`` is counted but has no rows; a ``bare``
    run has no manifest; ``marked_s``: the time for which a mark notes a limited drive;
    ``errors``: name and detail of the load generator's errors; an ``unended`` run is still in
    its measure phase, and has no ledger.
    """

    run_id: str
    rate: int = 1_000
    warmup_s: int = 5
    measure_s: int = 25
    spike_s: int = 14
    partitions: int = 4
    workload_name: str = "demo"
    state: str = "finished"
    events: bool = True
    metrics: bool = True
    silent_s: tuple[int, ...] = ()
    late_us: int = 0
    failed: int = 0
    marked_s: tuple[int, int] | None = None
    errors: tuple[tuple[str, str], ...] = ()
    unended: bool = False
    bare: bool = False
    campaign: dict[str, Any] = field(default_factory=dict)
    audit: dict[str, Any] = field(default_factory=dict)

    def store(self, client: Client) -> None:
        """Write all rows of the run."""
        self._run(client)
        if self.events:
            self._statement(client, "publishes")
            self._statement(client, "deliveries")
            self._phases(client)
            if not self.unended:
                self._ledger(client)
            self._leaders(client)
        if self.metrics:
            self._statement(client, "drive")

    def _statement(self, client: Client, name: str) -> None:
        messages = (STATEMENTS / "messages.sql").read_text(encoding="utf-8")
        text = (STATEMENTS / f"{name}.sql").read_text(encoding="utf-8")
        given = {
            "run_id": self.run_id,
            "start_us": START_US,
            "rate": self.rate,
            "warmup_s": self.warmup_s,
            "measure_s": self.measure_s,
            "spike_s": self.spike_s,
            "partitions": self.partitions,
            "silent_s": list(self.silent_s),
            "late_us": self.late_us,
        }
        client.command(text.replace("/* messages */", messages), parameters=given)

    def _phases(self, client: Client) -> None:
        measure = START + timedelta(seconds=self.warmup_s)
        drain = measure + timedelta(seconds=self.measure_s)
        starts = {"warmup": START, "measure": measure, "drain": drain}
        starts["end"] = drain + timedelta(milliseconds=900)
        columns = ["run_id", "worker", "time", "kind", "name", "detail"]
        if self.unended:
            del starts["drain"], starts["end"]
        rows = [[self.run_id, 0, at, "phase", name, ""] for name, at in starts.items()]
        rows += [[self.run_id, 0, drain, "error", *error] for error in self.errors]
        if self.marked_s:
            start, end = (measure + timedelta(seconds=at) for at in self.marked_s)
            detail = json.dumps({"text": "drive <limited>", "end": end.timestamp()})
            rows.append([self.run_id, 0, start, "mark", "fault", detail])
        client.insert("run_events", rows, column_names=columns)

    def _leaders(self, client: Client) -> None:
        """One broker leads all partitions but the last, another that one."""
        columns = ["run_id", "worker", "time", "topic", "partition", "leader", "leader_host"]
        rows = [
            [self.run_id, 0, START, "tailrace-0", n, *((2, "b2") if n == 3 else (1, "b1"))]
            for n in range(self.partitions)
        ]
        client.insert("partition_leaders", rows, column_names=columns)

    def _ledger(self, client: Client) -> None:
        kept = self.rate * (self.warmup_s + self.measure_s - len(self.silent_s))
        counters = {
            "publishes": {
                "sent": kept + self.failed,
                "acked": kept,
                "failed": self.failed,
                "recorded": kept,
            },
            "deliveries": {"received": kept, "recorded": kept},
            "publish_failures": {"recorded": 0},
            "run_events": {"recorded": 4},
        }
        columns = ["run_id", "worker", "stream", "kind", "reason", "events", "from_time", "to_time"]
        rows = [
            [self.run_id, 0, stream, kind, "", events, EPOCH, EPOCH]
            for stream, kinds in counters.items()
            for kind, events in kinds.items()
        ]
        client.insert("ledger", rows, column_names=columns)

    def _run(self, client: Client) -> None:
        took = timedelta(seconds=self.warmup_s + self.measure_s + 2)
        row = {
            "run_id": self.run_id,
            "workload_name": self.workload_name,
            "driver_name": "kafka-local",
            "state": self.state,
            "started_time": START - timedelta(seconds=2),
            "finished_time": EPOCH if self.state == "running" else START + took,
            "seed": 42,
            "workers": 1,
            "workload": f"name: {json.dumps(self.workload_name)}\nproducerRate: {self.rate}\n",
            "driver": DRIVER,
            "manifest": "" if self.bare else json.dumps(self.manifest()),
            "audit": json.dumps(self.audit) if self.audit else "",
            "updated_time": START + took,
        }
        client.insert("runs", [list(row.values())], column_names=list(row))

    def manifest(self) -> dict[str, Any]:
        phases = [{"name": n, "messages_per_second": self.rate} for n in ("warmup", "measure")]
        consumers = [{"consumer": n, "subscription": 0, "topic": "tailrace-0"} for n in (0, 1)]
        return {
            "plan": {"phases": phases, "consumers": consumers},
            "versions": {
                "kafka_broker": "4.3.1",
                "kafka_client": "4.3.1",
                "java": "17.0.17",
                "tailrace": "0.1.0",
                "clickhouse": "26.9.2.1",
                "victoriametrics": "v1.150.0",
            },
            "host": {
                "name": "bench-01",
                "kernel": "6.1.0-40-amd64",
                "cpus": 2,
                "cpu_model": "AMD EPYC 7B13",
                "memory_bytes": 25_276_502_016,
                "os": "Debian GNU/Linux 12 (bookworm)",
            },
            "brokers": [
                {
                    **{"id": 1, "host": "localhost", "log_dirs": ["/data/kafka"]},
                    **{"log_device": "vda", "drive": DRIVE},
                }
            ],
            "command": "tailrace run workloads/demo.yaml",
            **({"campaign": self.campaign} if self.campaign else {}),
        }
