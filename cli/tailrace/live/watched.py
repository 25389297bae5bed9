# SPDX-License-Identifier: Apache-2.0
"""What the warehouse knows of a run that has not ended."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tailrace.errors import Failed
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.page.words import elapsed
from tailrace.queries.ask import RunReader
from tailrace.warehouse import select

RUNNING = "running"


@dataclass(frozen=True)
class RunStatus:
    """The run's state, its phase and progress in words, and its marks."""

    state: str
    status: str
    marks: Sequence[Mark]


class WatchedRun(RunReader):
    """The run in the warehouse. All methods raise the client's errors."""

    def drives(self) -> list[tuple[str, str]]:
        """Host and device under each broker's log."""
        return list(dict.fromkeys((r["host"], r["device"]) for r in self.ask("broker_drives")))

    def planned(self) -> dict[str, float]:
        """Seconds of each phase that has a length."""
        (row,) = self.ask("run_manifest")
        try:
            phases = json.loads(row["manifest"])["plan"]["phases"]
        except (ValueError, KeyError, TypeError):
            return {}
        return {p["name"]: float(p["seconds"]) for p in phases if p.get("seconds")}

    def look(self, planned: dict[str, float]) -> RunStatus:
        """The run's state now. Raises Failed if the run was deleted."""
        sql = "SELECT toString(state) FROM v_runs WHERE run_id = {run_id:String}"
        state = select(self.client, sql, run_id=self.run_id)
        if not state:
            raise Failed(f"run {self.run_id} is no longer stored")
        phases, marked = self.ask("phases"), marks.read(self.ask)
        if not phases:
            return RunStatus(state[0][0], "not begun", marked)
        now = phases[-1]
        elapsed_s = datetime.now(UTC).timestamp() - now["start_time"].timestamp()
        length = f" of {elapsed(planned[now['phase']])}" if now["phase"] in planned else ""
        return RunStatus(state[0][0], f"{now['phase']} {elapsed(max(0, elapsed_s))}{length}", marked)
