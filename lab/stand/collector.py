# SPDX-License-Identifier: Apache-2.0
"""The real collector with the stack's configuration, in front of a warehouse."""

import os
from pathlib import Path

from lab.stand.part import ProgramPart
from lab.stand.ports import free_ports
from lab.stand.program import Program, built
from lab.stand.warehouse import Warehouse
from tailrace.api import StackPaths

# Nothing listens there: the collector's live metrics are sent to no server.
_NO_METRICS = 1


class Collector(ProgramPart):
    """It receives OTLP over HTTP at ``url`` and posts to ``warehouse``, or to ``warehouse_port`` where a proxy is in
    between; its log is in ``folder``, its dead letters are in ``state``."""

    def __init__(
        self,
        folder: Path,
        warehouse: Warehouse,
        *,
        warehouse_port: int = 0,
        metrics_port: int = _NO_METRICS,
        state: Path | None = None,
    ) -> None:
        self.folder = folder
        self.port, self.health_port, self.own_metrics_port = free_ports(3)
        self._variables = warehouse.secrets | {
            "COLLECTOR_OTLP_HTTP_PORT": str(self.port),
            "COLLECTOR_HEALTH_PORT": str(self.health_port),
            "COLLECTOR_METRICS_PORT": str(self.own_metrics_port),
            "WAREHOUSE_PORT": str(warehouse_port or warehouse.port),
            "VICTORIAMETRICS_PORT": str(metrics_port),
            "TAILRACE_STATE": str(state or folder),
        }

    def start(self) -> None:
        paths = StackPaths.load()
        command: list[str | Path] = [
            built(paths.bin / "tailrace-collector"),
            "--config",
            paths.root / "stack" / "collector.yaml",
        ]
        self.program = Program.start("collector", command, self.folder, os.environ | self._variables)
        self.program.wait_ready(f"http://127.0.0.1:{self.health_port}/")
