# SPDX-License-Identifier: Apache-2.0
"""FaultClient, the lab's Kafka client: compiled when it is first needed, with the broker's own jars."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lab.faults import system
from lab.faults.place import Place
from tailrace.runs.loadgen import java
from tailrace.stack.api import Endpoints

_SOURCE = Path(__file__).resolve().parent / "client" / "FaultClient.java"


def command(place: Place, verb: str, *arguments: str) -> list[str]:
    """The command line of ``FaultClient verb SERVERS arguments``."""
    libs = f"{place.paths.kafka_home}/libs/*"
    classes = place.folder / f"client-{hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]}"
    if not classes.exists():
        new = classes.with_suffix(".new")
        system.run("javac", "-cp", libs, "-d", str(new), str(_SOURCE))
        new.rename(classes)
    logging = place.paths.root / "stack" / "kafka" / "log4j2.yaml"
    servers = Endpoints.load(place.paths).bootstrap_servers
    flags = ["-Xmx128m", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={logging}"]
    return [java(), *flags, "-cp", f"{classes}:{libs}", "FaultClient", verb, servers, *arguments]
