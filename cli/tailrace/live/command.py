# SPDX-License-Identifier: Apache-2.0
"""``tailrace watch``: follows a run that another terminal or host started."""

import sys
import time
from datetime import UTC, datetime

import click
from clickhouse_connect.driver.exceptions import ClickHouseError
from rich.console import Console
from rich.live import Live

from tailrace import warehouse
from tailrace.errors import Failed
from tailrace.live import patience
from tailrace.live.panel import EVERY_S, History, line, panel
from tailrace.live.patience import Patience
from tailrace.live.snapshot import Snapshot, take
from tailrace.live.watched import RUNNING, WatchedRun
from tailrace.lookup import resolve
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.options import RUN_OR_LAST
from tailrace.page.words import elapsed
from tailrace.stack.api import Endpoints, StackPaths

SILENT = "VictoriaMetrics does not answer; trying again"
# How many of the newest marks are shown.
MARKS = 3
# Longer than any of the queries takes, s.
ANSWER_TIMEOUT_S = 10


@click.command()
@RUN_OR_LAST
def watch(run_id: str) -> None:
    """Follow RUN (default: last) until it ends: rates, percentiles, drives and alerts.

    In a terminal the view is redrawn in place; elsewhere it is a line every two seconds. An outage
    of the warehouse or of VictoriaMetrics is reported, and ends the command after ten minutes, as
    does a run without metrics after three minutes (exit code 1). Marks of the run are shown.

    From another host, set the stack's addresses: TAILRACE_WAREHOUSE_URL, TAILRACE_WAREHOUSE_USER,
    TAILRACE_WAREHOUSE_PASSWORD and TAILRACE_VM_URL.

    \b
    Examples:
      tailrace watch
      tailrace watch demo-20260101-120000-a1b2
      tailrace watch last >> run.log
    """
    client = warehouse.connect(timeout_s=ANSWER_TIMEOUT_S)
    run = WatchedRun(client, resolve(client, run_id))
    source = VictoriaMetrics(Endpoints.load(StackPaths.load()).victoriametrics_url, timeout_s=5)
    console = Console(markup=False, highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            state = _follow(run, source, live)
    else:
        state = _follow(run, source, None)
    click.echo(f"run {run.run_id} is {state}; its numbers: tailrace report {run.run_id}")


class Follower:
    """Queries the warehouse and VictoriaMetrics in turn; reports outages and waits for their end."""

    def __init__(self, run: WatchedRun, source: VictoriaMetrics) -> None:
        self._run, self._source = run, source
        self._planned, self._drives = run.planned(), run.drives()
        self.look = run.look(self._planned)
        begun = time.monotonic()
        self._metrics, self._rows = Patience(begun), Patience(begun)
        self._rows.answered(empty=False, now=begun)
        # Whether ``look`` is current, and a sentence for each service that does not answer.
        self.current, self.outages = True, list[str]()

    @property
    def status(self) -> list[str]:
        """The run's progress, if known, and the outages."""
        return [*([self.look.status] if self.current else []), *self.outages]

    def step(self) -> Snapshot:
        """Query both once. Raises Failed after a long outage, or if the run was abandoned."""
        begun, self.outages, self.current = time.monotonic(), [], False
        self._look(begun)
        snapshot = self._snapshot(begun)
        if self._metrics.abandoned(begun) and self.current:
            raise Failed(
                f"run {self._run.run_id} has state running, but sent no metrics for"
                f" {elapsed(patience.QUIET_S)} min: its load generators seem to be gone; the next tailrace"
                f" run on its host closes it; for what is stored: tailrace report {self._run.run_id}"
            )
        return snapshot

    def _look(self, now: float) -> None:
        try:
            self.look = self._run.look(self._planned)
            self.current = True
            self._rows.answered(empty=False, now=now)
        except ClickHouseError as err:
            outage = "does not answer"
            if not warehouse.is_unreachable(err):
                outage = f"answers {warehouse.first_line(err)}"
            self.outages.append(f"the warehouse {outage}; trying again")
            if self._rows.outage_over(now):
                minutes = elapsed(now - self._rows.last)
                raise Failed(
                    f"the warehouse {outage}, for {minutes} min now; see tailrace status; when it is"
                    f" back: tailrace watch {self._run.run_id}"
                ) from err

    def _snapshot(self, now: float) -> Snapshot:
        try:
            snapshot = take(self._source, self._run.run_id, self._drives)
            self._metrics.answered(snapshot.empty, now)
            return snapshot
        except VictoriaMetricsError as err:
            # The run does not depend on VictoriaMetrics, and the warehouse records its end.
            self.outages.append(SILENT)
            self._metrics.refused()
            if self._metrics.outage_over(now):
                raise Failed(f"VictoriaMetrics: {err}; set TAILRACE_VM_URL, or see tailrace status") from err
            return Snapshot()


def _follow(run: WatchedRun, source: VictoriaMetrics, live: Live | None) -> str:
    """Show the run until it ends; returns its last state."""
    follower, history, printed = Follower(run, source), History(), set[str]()
    while follower.look.state == RUNNING:
        begun = time.monotonic()
        snapshot = follower.step()
        if follower.look.state != RUNNING:
            break
        history.add(snapshot)
        marks = follower.look.marks
        if live:
            shown = [*follower.status, *(each.sentence for each in marks[-MARKS:])]
            live.update(panel(run.run_id, shown, snapshot, history))
        else:
            now = f"{datetime.now(UTC):%H:%M:%S}"
            for words in (each.sentence for each in marks if each.sentence not in printed):
                click.echo(f"{now}  {words}")
                printed.add(words)
            numbers = [] if SILENT in follower.outages else [line(snapshot)]
            click.echo("  ".join([now, *follower.status, *numbers]))
            sys.stdout.flush()
        time.sleep(max(0.0, EVERY_S - (time.monotonic() - begun)))
    return follower.look.state
