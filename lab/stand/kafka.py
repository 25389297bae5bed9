# SPDX-License-Identifier: Apache-2.0
"""Real Kafka brokers on loopback, without the rest of the stack: one, or a cluster."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from lab.stand.errors import StandError
from lab.stand.part import Part
from lab.stand.ports import free_ports
from lab.stand.program import Program
from tailrace.api import StackPaths, broker_answers, java

CLUSTER_ID = "dGFpbHJhY2UtdGVzdC1pZA"
START_S = 120.0
# The first compiler is enough for a test and starts in half the time; one thread collects.
QUICK = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
PROPERTIES = Path(__file__).with_name("broker.properties")


class KafkaCluster(Part):
    """``brokers`` Kafka brokers, each a process and a controller; data, configurations and logs are in ``folder``.

    ``programs`` by node id, from 1; ``bootstrap_servers`` names all brokers. ``advertised``: by node id, the port that
    clients are sent to where a proxy is in between. ``jvm``: the brokers' options.
    """

    def __init__(
        self,
        folder: Path,
        brokers: int = 3,
        advertised: Mapping[int, int] | None = None,
        jvm: Sequence[str] = QUICK,
    ) -> None:
        self.folder = folder
        self.jvm = jvm
        self.advertised = advertised or {}
        self.nodes = range(1, brokers + 1)
        ports = iter(free_ports(2 * brokers))
        self._ports = {node: (next(ports), next(ports)) for node in self.nodes}
        self.programs: dict[int, Program] = {}

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{broker}" for broker, _ in self._ports.values())

    def port(self, node: int) -> int:
        """Where that broker itself listens."""
        return self._ports[node][0]

    def start(self) -> None:
        """Format, start, and wait until every broker answers."""
        for node in self.nodes:
            config = self._config(node)
            self._format(node, config)
            command = _java(self.jvm, "kafka.Kafka", str(config))
            self.programs[node] = Program.start(f"broker-{node}", command, self.folder)
        for node, program in self.programs.items():
            port, _ = self._ports[node]
            program.wait_until(lambda port=port: broker_answers(port), f"answer at port {port}", START_S)  # type: ignore[misc]

    def stop(self) -> None:
        """Kill the brokers; a test's data may be lost."""
        for program in self.programs.values():
            program.kill()
        self.programs.clear()

    def _format(self, node: int, config: Path) -> None:
        if (self.folder / f"data-{node}" / "meta.properties").exists():
            return
        command = _java(QUICK, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config))
        done = subprocess.run(command, cwd=self.folder, check=False, capture_output=True, text=True)
        if done.returncode:
            raise StandError(f"formatting broker {node}'s log ended with {done.returncode}: {done.stdout}{done.stderr}")

    def _config(self, node: int) -> Path:
        broker, controller = self._ports[node]
        voters = ",".join(f"{n}@127.0.0.1:{port}" for n, (_, port) in self._ports.items())
        values = {
            "node": node,
            "voters": voters,
            "broker": broker,
            "advertised": self.advertised.get(node, broker),
            "controller": controller,
            "brokers": len(self.nodes),
        }
        text = Template(PROPERTIES.read_text()).substitute(values, data=self.folder / f"data-{node}")
        file = self.folder / f"broker-{node}.properties"
        file.write_text(text)
        return file


def _java(jvm: Sequence[str], *arguments: str) -> list[str]:
    jars = StackPaths.load().kafka_home / "libs" / "*"
    return [java(), *jvm, "-cp", str(jars), *arguments]
