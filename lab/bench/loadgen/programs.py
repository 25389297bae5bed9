# SPDX-License-Identifier: Apache-2.0
"""The programs that are measured, each a separate process that uses the stack's broker."""

import json
import random
import re
import string
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.stand.errors import StandError
from lab.stand.stack import StackStand
from tailrace.api import loadgen

MESSAGE_BYTES = 1024
DRIVER = Path(__file__).with_name("driver.yaml")
PERF_TEST = "org.apache.kafka.tools.ProducerPerformance"
TOPICS = "org.apache.kafka.tools.TopicCommand"
RATE = re.compile(r"records sent, ([\d.]+) records/sec")
ACKED = re.compile(r"^measure .*  acked (\d+)/s", re.MULTILINE)
TIMEOUT_S = 300


def _tool(stand: StackStand, *arguments: str) -> str:
    classes = f"{stand.paths.root}/.tailrace/build/bench/loadgen/libs/*"
    command = [loadgen.java(), "-Xms512m", "-Xmx1g", "-XX:+UseG1GC", "-cp", classes, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise StandError(f"{arguments[0]} ended with {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


def perf_test(stand: StackStand, topic: str, messages: int, warmup: int) -> float:
    """Messages per second of an unthrottled producer, without its first ``warmup`` messages.

    It takes its one payload from a file: otherwise it draws 1,024 random bytes a message on the sending thread,
    while ours prepares its payloads.
    """
    payload = stand.folder / "payload.txt"
    payload.write_text("".join(random.Random(42).choices(string.ascii_letters, k=MESSAGE_BYTES)) + "\n")
    admin = (TOPICS, "--bootstrap-server", stand.endpoints.bootstrap_servers, "--topic", topic)
    _tool(stand, *admin, "--create", "--partitions", "1", "--replication-factor", "1")
    out = _tool(
        stand,
        *(PERF_TEST, "--topic", topic, "--num-records", str(messages), "--payload-file", str(payload)),
        *("--throughput", "-1", "--warmup-records", str(warmup)),
        *("--bootstrap-server", stand.endpoints.bootstrap_servers, "--command-property"),
        *yaml.safe_load(DRIVER.read_text())["producerConfig"].split(),
    )
    _tool(stand, *admin, "--delete")
    rates = [match for line in out.splitlines() if "max latency" in line and (match := RATE.search(line))]
    if not rates:
        raise StandError(f"kafka-producer-perf-test printed no rate: {out}")
    return float(rates[-1][1])


@dataclass(frozen=True)
class Workload:
    """The workload of our load generator. ``rate`` None is as fast as send() takes messages."""

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


class LoadGenerator:
    """One run of our load generator."""

    def __init__(
        self, stand: StackStand, run_id: str, workload: Workload, recorded: bool = True, servers: str | None = None
    ) -> None:
        """``servers`` are other brokers than the stack's."""
        folder = stand.folder / run_id
        folder.mkdir(parents=True)
        (folder / "workload.yaml").write_text(workload.text())
        self.summary_file = folder / "summary.json"
        self.log = folder / "loadgen.log"
        command = [
            *loadgen.command(stand.paths),
            *("run", "--workload", str(folder / "workload.yaml"), "--driver", str(DRIVER)),
            *("--bootstrap-servers", servers or stand.endpoints.bootstrap_servers, "--run-id", run_id),
            *("--otlp-endpoint", stand.endpoints.otlp_url, "--summary", str(self.summary_file)),
            *("--spool", str(folder / "spool")),
            *([] if recorded else ["--unrecorded"]),
        ]
        self.started = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def await_line(self, start: str) -> float:
        """Seconds from the start of the process to the first line of the log that begins with ``start``."""
        while self.process.poll() is None and time.monotonic() - self.started < TIMEOUT_S:
            if any(line.startswith(start) for line in self.log.read_text().splitlines()):
                return time.monotonic() - self.started
            time.sleep(0.05)
        raise StandError(f"no line '{start}'", self.log)

    def acked_per_second(self) -> float:
        """Mean of its progress lines in the measure phase, without the first second."""
        rates = [int(rate) for rate in ACKED.findall(self.log.read_text())][1:]
        if not rates:
            raise StandError("no progress of a measure phase", self.log)
        return sum(rates) / len(rates)

    def finish(self) -> dict[str, Any]:
        """Its summary, once it has ended."""
        try:
            code = self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
        if code:
            raise StandError(f"the load generator ended with {code}", self.log)
        summary: dict[str, Any] = json.loads(self.summary_file.read_text())
        return summary
