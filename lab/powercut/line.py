# SPDX-License-Identifier: Apache-2.0
"""The line from spool to warehouse: all that it keeps is on one drive, or on a copy that a power cut has left."""

import os
import subprocess
from pathlib import Path

from lab.stand.collector import Collector
from lab.stand.errors import StandError
from lab.stand.part import Part
from lab.stand.run import COMMAND
from lab.stand.warehouse import Warehouse

_NOWHERE = "http://127.0.0.1:1"
_TIMEOUT_S = 180.0


class Line(Part):
    """Warehouse and collector. ``drive``: the folder that keeps tables and spools; logs are in ``logs``."""

    def __init__(self, drive: Path, logs: Path, durability: str) -> None:
        self.drive = drive
        self.logs = logs
        self.state = drive / "state"
        self.warehouse = Warehouse(logs, drive / "warehouse", flags=(f"--durability={durability}",))
        self.collector = Collector(logs, self.warehouse, state=logs)
        # What the warehouse refused to serve; empty for nothing.
        self.damage = ""

    @property
    def variables(self) -> dict[str, str]:
        """Where ``tailrace`` finds it; the environment comes first."""
        return (
            dict(os.environ)
            | self.warehouse.variables
            | {"TAILRACE_STATE": str(self.state), "TAILRACE_OTLP_URL": self.collector.url, "TAILRACE_VM_URL": _NOWHERE}
        )

    def start(self) -> None:
        self.warehouse.start()
        self.collector.start()

    def start_damaged(self) -> None:
        """Start it, if need be with what the warehouse can still read."""
        try:
            self.warehouse.start()
        except StandError:
            self.damage = (self.logs / "warehouse.log").read_text(errors="replace").strip().splitlines()[-1]
            self.warehouse.stop()
            self.warehouse.flags += ("--accept-damage",)
            self.warehouse.start()
        self.collector.start()

    def stop(self) -> None:
        self.collector.stop()
        self.warehouse.stop()

    def spool(self, run_id: str) -> Path:
        return self.state / "runs" / run_id / "spool"

    def ship(self, run_id: str) -> str:
        """Ship what is in the run's spool; returns what the command printed, or that there is no spool."""
        done = self._tailrace("ship", str(self.spool(run_id)))
        return f"{done.stdout}{done.stderr}".strip()

    def audit(self, run_id: str) -> tuple[bool, str]:
        """Whether the run's audit passes, and its text."""
        done = self._tailrace("audit", run_id)
        return done.returncode == 0, f"{done.stdout}{done.stderr}".strip()

    def verdict(self, run_id: str) -> str:
        """The JSON that its last audit stored with the run; empty when the warehouse does not know the run."""
        sql = "SELECT audit FROM runs FINAL WHERE run_id = {run:String}"
        rows = self.warehouse.client.query(sql, parameters={"run": run_id}).result_rows
        return str(rows[0][0]) if rows else ""

    def _tailrace(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
