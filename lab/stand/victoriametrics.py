# SPDX-License-Identifier: Apache-2.0
"""A real VictoriaMetrics, alone on a free port, and what tests store in it and ask of it."""

import json
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.stand.part import ProgramPart
from lab.stand.ports import free_port
from lab.stand.program import Program, built
from tailrace.api import StackPaths, VictoriaMetrics


class MetricsServer(ProgramPart):
    """Its log is in ``folder``, its samples in ``data``; ``flags`` are added to its command line."""

    def __init__(
        self,
        folder: Path,
        flags: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        data: Path | None = None,
    ) -> None:
        self.folder = folder
        self.data = data or folder / "data"
        self.flags = flags
        self.env = env
        self.port = free_port()

    def start(self) -> None:
        command: list[str | Path] = [
            built(StackPaths.load().bin / "victoria-metrics"),
            f"-storageDataPath={self.data}",
            f"-httpListenAddr=127.0.0.1:{self.port}",
            "-search.latencyOffset=1s",
            *self.flags,
        ]
        self.program = Program.start("victoria-metrics", command, self.folder, self.env)
        self.program.wait_ready(f"{self.url}/health")


def send(url: str, name: str, labels: Mapping[str, str], samples: Mapping[int, Any]) -> None:
    """Store ``samples``, ms since 1970 to value, and make them visible to exports."""
    line = {
        "metric": {"__name__": name, **labels},
        "timestamps": list(samples),
        "values": list(samples.values()),
    }
    request = urllib.request.Request(f"{url}/api/v1/import", json.dumps(line).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 204
    VictoriaMetrics(url).flush()


def query(url: str, promql: str, at: float | None = None) -> list[tuple[dict[str, str], float]]:
    """Labels and value of each series of an instant query; ``at``: seconds since 1970, by default now."""
    moment = "" if at is None else f"&time={at:.3f}"
    address = f"{url}/api/v1/query?nocache=1&query={urllib.parse.quote(promql)}{moment}"
    with urllib.request.urlopen(address, timeout=10) as answer:
        rows = json.load(answer)["data"]["result"]
    return [(row["metric"], float(row["value"][1])) for row in rows]


def missing_names(url: str, wanted: set[str], timeout_s: float = 60) -> set[str]:
    """The metric names of ``wanted`` that have no fresh sample by the deadline."""
    deadline = time.monotonic() + timeout_s
    while True:
        rows = query(url, 'count by (__name__) ({__name__!=""}[30s])')
        missing = wanted - {labels["__name__"] for labels, _ in rows}
        if not missing or time.monotonic() > deadline:
            return missing
        time.sleep(0.5)
