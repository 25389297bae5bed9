# SPDX-License-Identifier: Apache-2.0
"""``tailrace watch``: follows a run that another terminal, or another host, conducts."""

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
from tailrace.live.patience import Patience
from tailrace.live.picture import EVERY_S, History, line, picture
from tailrace.live.snapshot import Snapshot, take
from tailrace.live.watched import RUNNING, Watched
from tailrace.lookup import resolve
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.page.words import elapsed
from tailrace.stack.api import Endpoints, StackPaths

SILENT = "VictoriaMetrics does not answer; it is asked again"
# Of what was marked by hand the newest are shown.
MARKS = 3
# Longer than any of the questions takes, s.
ANSWER_TIMEOUT_S = 10


@click.command()
@click.argument("run_id", metavar="[RUN]", default="last")
def watch(run_id: str) -> None:
    """Follow RUN (default: last) until it ends: rates, percentiles, drives and alerts.

    In a terminal in place, elsewhere a line every two seconds. An outage of the warehouse or of
    VictoriaMetrics is said and waited out, for ten minutes; a run that has sent no metrics for
    three minutes is left (exit code 1). What tailrace mark noted is shown.

    From another host, name the stack's addresses: TAILRACE_WAREHOUSE_URL, TAILRACE_WAREHOUSE_USER,
    TAILRACE_WAREHOUSE_PASSWORD and TAILRACE_VM_URL.

    \b
    Examples:
      tailrace watch
      tailrace watch demo-20260101-120000-a1b2
      tailrace watch last >> run.log
    """
    client = warehouse.connect(timeout_s=ANSWER_TIMEOUT_S)
    run = Watched(client, resolve(client, run_id))
    source = VictoriaMetrics(Endpoints.load(StackPaths.load()).victoriametrics_url, timeout_s=5)
    console = Console(markup=False, highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            state = _follow(run, source, live)
    else:
        state = _follow(run, source, None)
    click.echo(f"run {run.run_id} is {state}; its numbers: tailrace report {run.run_id}")


class Follower:
    """Asks warehouse and VictoriaMetrics in turn; an outage of either is waited out, and told."""

    def __init__(self, run: Watched, source: VictoriaMetrics) -> None:
        self._run, self._source = run, source
        self._planned, self._drives = run.planned(), run.drives()
        self.look = run.look(self._planned)
        begun = time.monotonic()
        self._metrics, self._rows = Patience(begun), Patience(begun)
        self._rows.answered(empty=False, now=begun)
        # Whether the look is of now, and in words what does not answer.
        self.known, self.away = True, list[str]()

    @property
    def status(self) -> list[str]:
        """How far the run is, where that is known, and what does not answer."""
        return [*([self.look.status] if self.known else []), *self.away]

    def step(self) -> Snapshot:
        """Ask both once. Raises Failed where that is of no use any more."""
        begun, self.away, self.known = time.monotonic(), [], False
        try:
            self.look = self._run.look(self._planned)
            self.known = True
            self._rows.answered(empty=False, now=begun)
        except ClickHouseError as err:
            said = "does not answer"
            if not warehouse.is_unreachable(err):
                said = f"answers {warehouse.first_line(err)}"
            self.away.append(f"the warehouse {said}; it is asked again")
            if self._rows.outage_over(begun):
                minutes = elapsed(begun - self._rows.last)
                raise Failed(
                    f"the warehouse {said}, for {minutes} min now; see tailrace status; when it is"
                    f" back: tailrace watch {self._run.run_id}"
                ) from err
        snapshot = Snapshot()
        try:
            snapshot = take(self._source, self._run.run_id, self._drives)
            self._metrics.answered(snapshot.empty, begun)
        except VictoriaMetricsError as err:
            # The run does not depend on it, nor does its end, which the warehouse tells.
            self.away.append(SILENT)
            self._metrics.refused()
            if self._metrics.outage_over(begun):
                raise Failed(f"VictoriaMetrics: {err}; set TAILRACE_VM_URL, or see tailrace status") from err
        if self._metrics.abandoned(begun) and self.known:
            raise Failed(
                f"run {self._run.run_id} is called running, but for {elapsed(patience.QUIET_S)} min"
                " it has sent no metrics: nobody seems to conduct it; the next tailrace run on its"
                f" host closes it; what is stored: tailrace report {self._run.run_id}"
            )
        return snapshot


def _follow(run: Watched, source: VictoriaMetrics, live: Live | None) -> str:
    """Show the run until it is over; the state it is then in."""
    follower, history, told = Follower(run, source), History(), set[str]()
    while follower.look.state == RUNNING:
        begun = time.monotonic()
        snapshot = follower.step()
        if follower.look.state != RUNNING:
            break
        history.add(snapshot)
        marks = follower.look.marks
        if live:
            shown = [*follower.status, *(each.told for each in marks[-MARKS:])]
            live.update(picture(run.run_id, shown, snapshot, history))
        else:
            now = f"{datetime.now(UTC):%H:%M:%S}"
            for words in (each.told for each in marks if each.told not in told):
                click.echo(f"{now}  {words}")
                told.add(words)
            numbers = [] if SILENT in follower.away else [line(snapshot)]
            click.echo("  ".join([now, *follower.status, *numbers]))
            sys.stdout.flush()
        time.sleep(max(0.0, EVERY_S - (time.monotonic() - begun)))
    return follower.look.state
