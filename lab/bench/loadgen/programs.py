# SPDX-License-Identifier: Apache-2.0
"""The programs that are measured, each a process of its own against the stack's broker."""

from __future__ import annotations

import json
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailrace.runs import loadgen
from tailrace.stack.api import Endpoints, StackPaths

MESSAGE_BYTES = 1024
CLIENT = {"acks": "all", "linger.ms": "1", "batch.size": "131072"}
PERF_TEST = "org.apache.kafka.tools.ProducerPerformance"
TOPICS = "org.apache.kafka.tools.TopicCommand"
RATE = re.compile(r"records sent, ([\d.]+) records/sec")
ACKED = re.compile(r"^measure .*  acked (\d+)/s", re.MULTILINE)
TIMEOUT_S = 300


class BenchError(Exception):
    """A program did not do its part."""


@dataclass(frozen=True)
class Place:
    """Where everything is, and a folder for what the programs write."""

    paths: StackPaths
    endpoints: Endpoints
    folder: Path

    @property
    def servers(self) -> str:
        return loadgen.local_servers(self.paths)


def _tool(place: Place, *arguments: str) -> str:
    classes = f"{place.paths.root}/.tailrace/build/bench/loadgen/libs/*"
    command = [loadgen.java(), "-Xms512m", "-Xmx1g", "-XX:+UseG1GC", "-cp", classes, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise BenchError(f"{arguments[0]} ended with {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


def perf_test(place: Place, topic: str, messages: int) -> float:
    """Messages per second of an unthrottled producer, its first fifth left out."""
    admin = (TOPICS, "--bootstrap-server", place.servers, "--topic", topic)
    _tool(place, *admin, "--create", "--partitions", "1", "--replication-factor", "1")
    out = _tool(
        place,
        *(PERF_TEST, "--topic", topic, "--num-records", str(messages), "--record-size", str(MESSAGE_BYTES)),
        *("--throughput", "-1", "--warmup-records", str(messages // 5)),
        *("--bootstrap-server", place.servers, "--command-property"),
        *(f"{key}={value}" for key, value in CLIENT.items()),
    )
    _tool(place, *admin, "--delete")
    rates = [match for line in out.splitlines() if "max latency" in line and (match := RATE.search(line))]
    if not rates:
        raise BenchError(f"kafka-producer-perf-test printed no rate: {out}")
    return float(rates[-1][1])


@dataclass(frozen=True)
class Workload:
    """What ours does. ``rate`` None is as fast as send() takes messages."""

    seconds: int
    rate: float | None = None
    topics: int = 1
    partitions: int = 1
    producers: int = 1
    groups: int = 0
    warmup_s: int = 3
    keys: str = "none"

    def text(self) -> str:
        keys = {
            "name": "bench",
            "topics": self.topics,
            "partitionsPerTopic": self.partitions,
            "messageSize": MESSAGE_BYTES,
            "subscriptionsPerTopic": self.groups,
            "consumerPerSubscription": 1 if self.groups else 0,
            "producersPerTopic": self.producers,
            "producerRate": "max" if self.rate is None else round(self.rate),
            "warmupDuration": f"{self.warmup_s}s",
            "testDuration": f"{self.seconds}s",
            "drainTimeout": "30s",
            "keys": self.keys,
            "seed": 42,
        }
        return "".join(f"{key}: {value}\n" for key, value in keys.items())


def driver() -> str:
    """Ours with the client settings that perf-test is given."""
    lines = "".join(f"  {key}={value}\n" for key, value in CLIENT.items())
    return (
        "name: bench\ndriverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver\n"
        f"replicationFactor: 1\nproducerConfig: |\n{lines}"
        "consumerConfig: |\n  auto.offset.reset=earliest\n  enable.auto.commit=false\n"
    )


class LoadGenerator:
    """One run of ours."""

    def __init__(self, place: Place, run_id: str, workload: Workload, recorded: bool = True) -> None:
        folder = place.folder / run_id
        folder.mkdir(parents=True)
        (folder / "workload.yaml").write_text(workload.text())
        (folder / "driver.yaml").write_text(driver())
        self.summary_file = folder / "summary.json"
        self.log = folder / "loadgen.log"
        command = [
            *loadgen.command(place.paths),
            *("run", "--workload", str(folder / "workload.yaml"), "--driver", str(folder / "driver.yaml")),
            *("--bootstrap-servers", place.servers, "--run-id", run_id),
            *("--otlp-endpoint", place.endpoints.otlp_url, "--summary", str(self.summary_file)),
            *("--spool", str(folder / "spool")),
            *([] if recorded else ["--unrecorded"]),
        ]
        self.started = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def await_line(self, start: str) -> float:
        """Seconds from the start of the process to the first line of the log that begins so."""
        while self.process.poll() is None and time.monotonic() - self.started < TIMEOUT_S:
            if any(line.startswith(start) for line in self.log.read_text().splitlines()):
                return time.monotonic() - self.started
            time.sleep(0.05)
        raise BenchError(f"no line '{start}' in {self.log}")

    def acked_per_second(self) -> float:
        """Mean of what its progress lines say of the measure phase, its first second left out."""
        rates = [int(rate) for rate in ACKED.findall(self.log.read_text())][1:]
        if not rates:
            raise BenchError(f"no progress of a measure phase in {self.log}")
        return sum(rates) / len(rates)

    def finish(self) -> dict[str, Any]:
        """Its summary, once it has ended."""
        try:
            code = self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
        if code:
            raise BenchError(f"the load generator ended with {code}; see {self.log}")
        summary: dict[str, Any] = json.loads(self.summary_file.read_text())
        return summary
