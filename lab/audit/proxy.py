# SPDX-License-Identifier: Apache-2.0
"""The Kafka proxy as a program: compiled at its first use with the broker's jars."""

import hashlib
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from lab.stand.errors import StandError
from lab.stand.part import ProgramPart
from lab.stand.ports import free_port
from lab.stand.program import Program
from lab.stand.waiting import until
from tailrace.api import StackPaths, java

_SOURCES = sorted((Path(__file__).resolve().parent / "kafkaproxy").glob("*.java"))


class KafkaProxy(ProgramPart):
    """Listens on ``port`` in front of the broker; its log and its classes are in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.broker_port = 0
        self._planted: dict[str, Mapping[str, int]] = {}
        self._armed: set[str] = set()

    def start(self) -> None:
        paths = StackPaths.load()
        libs = f"{paths.kafka_home}/libs/*"
        logging = paths.root / "stack" / "kafka" / "log4j2.yaml"
        flags = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Dlog4j2.configurationFile={logging}"]
        command = [java(), *flags, "-cp", f"{self._classes(libs)}:{libs}", "AuditProxy"]
        self.program = Program.start(
            "kafka-proxy", [*command, str(self.port), str(self.broker_port)], self.folder, pipes=True
        )
        if self.program.read_line() != "listening":
            raise StandError("the Kafka proxy does not listen", self.program.log)
        threading.Thread(target=self._read, args=(self.program,), daemon=True).start()

    def arm(self, name: str, command: str) -> None:
        """``command``: kind, topic, partition, place and count, as the proxy takes them."""
        assert self.program is not None
        self.program.write_line(f"{name} {command}")
        until(lambda: name in self._armed, f"the proxy takes {command}", 10, self.program.log)

    def planted(self, name: str) -> Mapping[str, int] | None:
        """Where it was planted; None while it was not."""
        return self._planted.get(name)

    def _read(self, program: Program) -> None:
        assert program.process.stdout is not None
        for line in program.process.stdout:
            word, name, *found = line.decode().split()
            if word == "armed":
                self._armed.add(name)
            else:
                pairs = (each.split("=") for each in found)
                self._planted[name] = {key: int(value) for key, value in pairs}

    def _classes(self, libs: str) -> Path:
        text = b"".join(source.read_bytes() for source in _SOURCES)
        classes = self.folder / f"classes-{hashlib.sha256(text).hexdigest()[:12]}"
        done = subprocess.run(
            ["javac", "-cp", libs, "-d", str(classes), *map(str, _SOURCES)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise StandError(f"javac ended with {done.returncode}: {done.stderr[-2000:]}")
        return classes
