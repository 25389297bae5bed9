# SPDX-License-Identifier: Apache-2.0
"""Three real Kafka brokers on loopback, each its own process, controllers among themselves."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tailrace.runs.loadgen import java
from tailrace.stack.broker import broker_answers
from tailrace.stack.paths import REPO_ROOT
from tailrace.stack.portowner import is_free

CLUSTER_ID = "dGFpbHJhY2UtdGVzdC1pZA"
NODES = (1, 2, 3)
START_S = 120.0


class KafkaCluster:
    """``processes`` by node id; ``bootstrap_servers`` names all brokers."""

    def __init__(self, folder: Path) -> None:
        free = (port for port in range(32100, 32700) if is_free(port))
        self._ports = {node: (next(free), next(free)) for node in NODES}
        self._folder = folder
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{broker}" for broker, _ in self._ports.values())

    def start(self) -> None:
        """Format, start, and wait until every broker answers."""
        for node in NODES:
            self._java(node, "kafka.tools.StorageTool", *_format(self._config(node))).wait()
            self.processes[node] = self._java(node, "kafka.Kafka", str(self._config(node)))
        deadline = time.monotonic() + START_S
        for broker, _ in self._ports.values():
            while not broker_answers(broker):
                assert time.monotonic() < deadline, f"no broker on port {broker}: {self._folder}"
                time.sleep(0.2)

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def _config(self, node: int) -> Path:
        broker, controller = self._ports[node]
        voters = ",".join(f"{n}@127.0.0.1:{port}" for n, (_, port) in self._ports.items())
        lines = {
            "process.roles": "broker,controller",
            "node.id": node,
            "controller.quorum.voters": voters,
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{broker}",
            "log.dirs": self._folder / f"data-{node}",
            "auto.create.topics.enable": "false",
            "offsets.topic.num.partitions": 3,
            "offsets.topic.replication.factor": 3,
            "group.initial.rebalance.delay.ms": 0,
            "log.segment.delete.delay.ms": 1000,
            # By default the log cleaner takes half of the heap below.
            "log.cleaner.dedupe.buffer.size": 4 << 20,
            # Eight JVMs share two cores: one that stands still for seconds is not gone.
            "controller.quorum.election.timeout.ms": 5_000,
            "controller.quorum.fetch.timeout.ms": 10_000,
            "broker.session.timeout.ms": 20_000,
        }
        file = self._folder / f"node-{node}.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        return file

    def _java(self, node: int, *arguments: str) -> "subprocess.Popen[bytes]":
        jars = REPO_ROOT / ".tailrace" / "kafka" / "libs" / "*"
        # The first compiler is enough for a test and starts in half the time; one thread collects.
        options = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        command = [java(), *options, "-cp", str(jars), *arguments]
        with (self._folder / f"node-{node}.log").open("ab") as log:
            return subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)


def _format(config: Path) -> list[str]:
    return ["format", "-t", CLUSTER_ID, "-c", str(config)]


@contextmanager
def kafka_cluster(folder: Path) -> Iterator[KafkaCluster]:
    """Up inside the block, gone after it."""
    cluster = KafkaCluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
