# SPDX-License-Identifier: Apache-2.0
"""``tailrace watch``: follows a run that another terminal, or another host, conducts."""

import json
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click
from clickhouse_connect.driver.client import Client
from rich.console import Console
from rich.live import Live

from tailrace import warehouse
from tailrace.errors import Failed
from tailrace.live import patience
from tailrace.live.patience import Patience
from tailrace.live.picture import EVERY_S, History, line, picture
from tailrace.live.snapshot import Snapshot, take
from tailrace.lookup import resolve
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.page.words import elapsed
from tailrace.queries import catalogue
from tailrace.stack.api import Endpoints, StackPaths

RUNNING = "running"
SILENT = "VictoriaMetrics does not answer; it is asked again"


@dataclass(frozen=True)
class Watched:
    """The run as the warehouse knows it."""

    client: Client
    run_id: str

    def ask(self, name: str) -> list[dict[str, Any]]:
        question = catalogue.load(name)
        values = question.fill({"run_id": self.run_id})
        return [
            dict(row) for row in self.client.query(question.text, parameters=values).named_results()
        ]

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

    def status(self, planned: dict[str, float]) -> tuple[str, str]:
        """The run's state, and in words how far it is."""
        state = self.client.query(
            "SELECT toString(state) FROM v_runs WHERE run_id = {run_id:String}",
            parameters={"run_id": self.run_id},
        ).result_rows[0][0]
        phases = self.ask("phases")
        if not phases:
            return state, "not begun"
        now = phases[-1]
        gone = datetime.now(UTC).timestamp() - now["start_time"].timestamp()
        of = f" of {elapsed(planned[now['phase']])}" if now["phase"] in planned else ""
        return state, f"{now['phase']} {elapsed(max(0, gone))}{of}"


@click.command()
@click.argument("run_id", metavar="[RUN]", default="last")
def watch(run_id: str) -> None:
    """Follow RUN (default: last) until it ends: rates, percentiles, drives and alerts.

    In a terminal in place, elsewhere a line every two seconds. An outage of VictoriaMetrics is
    waited out; a run that has sent no metrics for three minutes is left (exit code 1).

    From another host, name the stack's addresses: TAILRACE_WAREHOUSE_URL, TAILRACE_WAREHOUSE_USER,
    TAILRACE_WAREHOUSE_PASSWORD and TAILRACE_VM_URL.

    \b
    Examples:
      tailrace watch
      tailrace watch demo-20260101-120000-a1b2
      tailrace watch last >> run.log
    """
    client = warehouse.connect()
    run = Watched(client, resolve(client, run_id))
    source = VictoriaMetrics(Endpoints.load(StackPaths.load()).victoriametrics_url, timeout_s=5)
    console = Console(markup=False, highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            state = _follow(run, source, live)
    else:
        state = _follow(run, source, None)
    click.echo(f"run {run.run_id} is {state}; its numbers: tailrace report {run.run_id}")


def _follow(run: Watched, source: VictoriaMetrics, live: Live | None) -> str:
    """Show the run until it is over; the state it is then in."""
    planned, drives, history = run.planned(), run.drives(), History()
    patient = Patience(time.monotonic())
    state, status = run.status(planned)
    while state == RUNNING:
        begun = time.monotonic()
        try:
            snapshot, told = take(source, run.run_id, drives), [status]
            patient.answered(snapshot.empty, begun)
        except VictoriaMetricsError as err:
            # The run does not depend on it, nor does its end, which the warehouse tells.
            snapshot, told = Snapshot(), [status, SILENT]
            patient.refused()
            if patient.outage_over(begun):
                raise Failed(
                    f"VictoriaMetrics: {err}; set TAILRACE_VM_URL, or see tailrace status"
                ) from err
        if patient.abandoned(begun):
            raise Failed(
                f"run {run.run_id} is called running, but for {elapsed(patience.QUIET_S)} min it"
                " has sent no metrics: nobody seems to conduct it; the next tailrace run on its"
                f" host closes it; what is stored: tailrace report {run.run_id}"
            )
        history.add(snapshot)
        if live:
            live.update(picture(run.run_id, told, snapshot, history))
        else:
            now = SILENT if SILENT in told else line(snapshot)
            click.echo(f"{datetime.now(UTC):%H:%M:%S}  {status}  {now}")
            sys.stdout.flush()
        time.sleep(max(0.0, EVERY_S - (time.monotonic() - begun)))
        state, status = run.status(planned)
    return state
