# SPDX-License-Identifier: Apache-2.0
"""FaultClient, the lab's Kafka client, compiled at its first use with the broker's jars."""

import hashlib
from pathlib import Path

from lab.faults import system
from lab.faults.stand import FaultStand
from tailrace.api import Endpoints, java

_SOURCE = Path(__file__).resolve().parent / "client" / "FaultClient.java"


def command(stand: FaultStand, verb: str, *arguments: str) -> list[str]:
    """The command line of ``FaultClient verb SERVERS arguments``."""
    libs = f"{stand.paths.kafka_home}/libs/*"
    classes = stand.folder / f"client-{hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]}"
    if not classes.exists():
        new = classes.with_suffix(".new")
        system.run("javac", "-cp", libs, "-d", str(new), str(_SOURCE))
        new.rename(classes)
    logging = stand.paths.root / "stack" / "kafka" / "log4j2.yaml"
    servers = Endpoints.load(stand.paths).bootstrap_servers
    flags = ["-Xmx128m", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={logging}"]
    return [java(), *flags, "-cp", f"{classes}:{libs}", "FaultClient", verb, servers, *arguments]
