# SPDX-License-Identifier: Apache-2.0
"""One run from start to finish: ``execute`` lists its steps in order."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit.command import audit_run
from tailrace.breakdown import rollup
from tailrace.errors import BadInput, Failed
from tailrace.fitness.before import before_load
from tailrace.lookup import REJECTED
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import (
    clockoffset,
    durability,
    generation,
    ledgers,
    manifest,
    orphans,
    pending_metrics,
    slo,
    spools,
    store,
    summary,
)
from tailrace.runs.prepared import Prepared
from tailrace.runs.process import INTERRUPTED
from tailrace.stack.api import Endpoints, ended_parts, is_elsewhere, is_up

Say = Callable[[str], None]

# State of a run by the load generator's exit code; `failed` after any other.
STATES = {0: "finished", INTERRUPTED: "interrupted", BadInput.exit_code: REJECTED}


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended: the command's exit code, its last line, and its row in a table of runs.

    ``runs`` are the ids of a campaign's runs.
    """

    code: int
    result: str
    row: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Run:
    """State of a run that this host coordinates: it starts worker 0."""

    prepared: Prepared
    endpoints: Endpoints
    client: Client
    folder: Path
    say: Say
    around: Callable[[Say], Say]
    loaded: Callable[[], None]

    @property
    def run_id(self) -> str:
        return self.prepared.run_id

    @property
    def source(self) -> VictoriaMetrics:
        return VictoriaMetrics.at(self.endpoints)


def execute(
    prepared: Prepared,
    say: Say = click.echo,
    around: Callable[[Say], Say] = lambda show: show,
    loaded: Callable[[], None] = lambda: None,
) -> RunOutcome:
    """Run, copy the metrics, audit, summarise and report. Needs the stack up.

    ``around`` gets what shows the load generator's lines, and returns what is called with them instead.
    ``loaded`` is called once this host's load generators have ended, whatever ended them.

    Where worker 0 is on another host, all of this is done there: here the workers only run.
    """
    if not prepared.workers.leads:
        return _follow(prepared, say)
    run = _connect(prepared, say, around, loaded)
    _finish_earlier_runs(run)
    if promised := durability.statement(prepared.plan, run.client):
        say(promised)
    row = _begin(run)
    code = _generate(run, row)
    ended = ended_parts(prepared.paths)
    row = _end(run, row, code, ended)
    _show_ended_parts(prepared, ended)
    return _conclude(run, row, code, healthy=not ended)


def _connect(prepared: Prepared, say: Say, around: Callable[[Say], Say], loaded: Callable[[], None]) -> _Run:
    if not (is_elsewhere() or is_up(prepared.paths)):
        raise BadInput("the stack is not up; start it: tailrace up")
    endpoints = Endpoints.load(prepared.paths)
    folder = prepared.paths.runs / prepared.run_id
    return _Run(prepared, endpoints, warehouse.connect(endpoints), folder, say, around, loaded)


def _finish_earlier_runs(run: _Run) -> None:
    """Close the rows of runs that were killed, and ship what they left."""
    paths = run.prepared.paths
    orphans.close_all(paths, run.endpoints, run.client, run.say)
    _refuse_known(run.client, run.run_id)
    spools.ship_all(paths, run.endpoints.otlp_url, run.say)


def _begin(run: _Run) -> store.RunRow:
    """Write the run's first row: its manifest, in state running."""
    run.folder.mkdir(parents=True, exist_ok=True)
    row = manifest.first_row(run.prepared, run.client, before_load(run.prepared, run.say))
    store.write(run.client, row)
    pending_metrics.mark(run.folder)
    return row


def _generate(run: _Run, row: store.RunRow) -> int:
    """Run this host's load generators, then wait for the other hosts; the worst exit code."""
    prepared = run.prepared
    log = prepared.workers.file(run.folder, generation.LOG, 0)
    run.say(f"run {run.run_id}, log in {log}")
    try:
        with _screen(prepared, run.endpoints, run.client, run.say) as show:
            try:
                code = generation.generate(prepared, run.endpoints, run.folder, run.around(show))
            finally:
                run.loaded()
        ledgers.wait(run.client, run.run_id, prepared.workers, run.say)
        clockoffset.wait(run.client, run.run_id, prepared.workers)
    except BaseException as err:
        row = row.ended(_state_after(err), datetime.now(UTC))
        store.write(run.client, row)
        pending_metrics.copy(run.folder, run.source, run.client, row, run.say)
        raise
    return code


def _end(run: _Run, row: store.RunRow, code: int, ended: Sequence[str]) -> store.RunRow:
    """Write how the run ended. A run that was refused ends the command."""
    row = row.ended("failed" if ended else STATES.get(code, "failed"), datetime.now(UTC))
    store.write(run.client, row)
    if code == BadInput.exit_code:
        pending_metrics.clear(run.folder)
        raise SystemExit(code)
    return row


def _show_ended_parts(prepared: Prepared, ended: Sequence[str]) -> None:
    for part in ended:
        log = prepared.paths.logs / f"{part.split()[0]}.log"
        click.echo(f"during this run {part}: see {log}; tailrace up restarts it", err=True)


def _conclude(run: _Run, row: store.RunRow, code: int, healthy: bool) -> RunOutcome:
    """Copy the metrics, audit, summarise, judge the bounds and report."""
    prepared = run.prepared
    try:
        pending_metrics.copy(run.folder, run.source, run.client, row, run.say)
        verdict = audit_run(run.client, row.run_id, sys.stdout)
        numbers = summary.read(run.client, row.run_id)
        summary.show(numbers, sys.stdout)
        bounds = slo.judge(run.client, prepared.plan, verdict)
        slo.show(bounds, sys.stdout)
        _stages(run)
        report = _report(prepared, run.say)
    except KeyboardInterrupt:
        click.echo(f"its rows are stored; when you like: tailrace audit {row.run_id}", err=True)
        raise
    passed = healthy and verdict.passed and slo.word(bounds) != "broken"
    if code == 0 and (not passed or (prepared.with_report and report is None)):
        code = Failed.exit_code
    line = summary.result_line(verdict, numbers, report)
    if bounds:
        line += f" slo={slo.word(bounds)}"
    return RunOutcome(code, line, {**summary.row(verdict, numbers), "slo": slo.word(bounds)})


def _screen(prepared: Prepared, endpoints: Endpoints, client: Client, say: Say) -> AbstractContextManager[Say]:
    """A terminal shows the run in place; elsewhere its lines are printed."""
    if not sys.stdout.isatty():
        return nullcontext(say)
    from tailrace.live.screen import screen  # imported only when used

    sql = "SELECT DISTINCT host, device FROM v_broker_drives WHERE run_id = {run_id:String}"
    drives = [(str(host), str(device)) for host, device in warehouse.select(client, sql, run_id=prepared.run_id)]
    return screen(sys.stdout, prepared.run_id, endpoints.victoriametrics_url, drives, say)


def _follow(prepared: Prepared, say: Say) -> RunOutcome:
    """Run this host's workers; worker 0's host does the rest."""
    folder = prepared.paths.runs / prepared.run_id
    folder.mkdir(parents=True, exist_ok=True)
    code = generation.generate(prepared, Endpoints.load(prepared.paths), folder, say)
    worker = ",".join(map(str, prepared.workers.mine))
    state = STATES.get(code, "failed")
    return RunOutcome(code, f"RESULT run={prepared.run_id} worker={worker} state={state}")


def _state_after(err: BaseException) -> str:
    if isinstance(err, KeyboardInterrupt):
        return STATES[INTERRUPTED]
    return STATES[BadInput.exit_code] if isinstance(err, BadInput) else "failed"


def _refuse_known(client: Client, run_id: str) -> None:
    # A run that was refused before it began has used nothing under its id.
    sql = "SELECT count() FROM v_runs WHERE run_id = {run_id:String} AND state != {rejected:String}"
    if warehouse.select(client, sql, run_id=run_id, rejected=REJECTED)[0][0]:
        raise BadInput(f"--run-id {run_id}: this run exists already; choose another id")


def _stages(run: _Run) -> None:
    """Compute the rollup of stages, if the brokers have the agent."""
    try:
        if rollup.ensure(run.client, run.run_id, run.say):
            run.say(f"where the time went: tailrace stages {run.run_id}")
    except Exception as err:  # any error: the run and its verdict are kept
        click.echo(f"stages could not be computed, later: tailrace stages {run.run_id} ({err})", err=True)


def _report(prepared: Prepared, say: Say) -> Path | None:
    if not prepared.with_report:
        return None
    from tailrace.report.builder import build  # imported only when used

    try:
        path = build(prepared.run_id)
    except Exception as err:  # any error: the run and its verdict are kept
        click.echo(f"the report could not be made: {err}", err=True)
        return None
    say(f"report {path}")
    return path
