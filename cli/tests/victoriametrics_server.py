# SPDX-License-Identifier: Apache-2.0
"""A real VictoriaMetrics for tests, alone on a free port."""

import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from warehouse_server import built, free_port, wait_for

from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.stack.api import StackPaths


@contextmanager
def serve_metrics(folder: Path, flags: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Its URL; it ends with the block."""
    port = free_port()
    with (folder / "victoria-metrics.log").open("wb") as log:
        process = subprocess.Popen(
            [
                built(StackPaths.load().bin / "victoria-metrics"),
                f"-storageDataPath={folder / 'data'}",
                f"-httpListenAddr=127.0.0.1:{port}",
                "-search.latencyOffset=1s",
                *flags,
            ],
            env=env,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


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


def query(url: str, promql: str) -> list[tuple[dict[str, str], float]]:
    """Labels and value of each series of an instant query."""
    address = f"{url}/api/v1/query?nocache=1&query={urllib.parse.quote(promql)}"
    with urllib.request.urlopen(address, timeout=10) as answer:
        rows = json.load(answer)["data"]["result"]
    return [(row["metric"], float(row["value"][1])) for row in rows]


def eventually_names(url: str, wanted: set[str], timeout_s: float = 60) -> set[str]:
    """Of ``wanted``, the metric names that have no fresh sample by the deadline."""
    deadline = time.monotonic() + timeout_s
    while True:
        rows = query(url, 'count by (__name__) ({__name__!=""}[30s])')
        missing = wanted - {labels["__name__"] for labels, _ in rows}
        if not missing or time.monotonic() > deadline:
            return missing
        time.sleep(0.5)
