# SPDX-License-Identifier: Apache-2.0
"""A run as the warehouse tells it while it goes on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.errors import Failed
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.page.words import elapsed
from tailrace.queries import catalogue

RUNNING = "running"


@dataclass(frozen=True)
class Look:
    """The run's state, in words how far it is, and what people marked in it."""

    state: str
    status: str
    marks: Sequence[Mark]


@dataclass(frozen=True)
class Watched:
    """The run as the warehouse knows it. All methods raise the client's errors, and Failed where
    it is gone."""

    client: Client
    run_id: str

    def ask(self, name: str, /, **params: Any) -> list[dict[str, Any]]:
        question = catalogue.load(name)
        values = question.fill({"run_id": self.run_id, **params})
        return [dict(row) for row in self.client.query(question.text, parameters=values).named_results()]

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

    def look(self, planned: dict[str, float]) -> Look:
        """How the run stands now."""
        state = self.client.query(
            "SELECT toString(state) FROM v_runs WHERE run_id = {run_id:String}",
            parameters={"run_id": self.run_id},
        ).result_rows
        if not state:
            raise Failed(f"run {self.run_id} is not stored any more")
        phases, marked = self.ask("phases"), marks.read(self.ask)
        if not phases:
            return Look(state[0][0], "not begun", marked)
        now = phases[-1]
        gone = datetime.now(UTC).timestamp() - now["start_time"].timestamp()
        of = f" of {elapsed(planned[now['phase']])}" if now["phase"] in planned else ""
        return Look(state[0][0], f"{now['phase']} {elapsed(max(0, gone))}{of}", marked)
