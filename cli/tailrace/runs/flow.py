# SPDX-License-Identifier: Apache-2.0
"""One run from start to finish."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit.command import audit_run
from tailrace.errors import BadInput, Failed
from tailrace.lookup import REJECTED
from tailrace.metrics.keep import keep
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import facts, loadgen, orphans, planning, spools, store, summary
from tailrace.runs.process import INTERRUPTED, LoadGenerator
from tailrace.runs.redact import redact
from tailrace.stack.api import MARK, Endpoints, StackPaths, broker_facts, ended_parts, is_up

# What a run is called after the load generator's exit code; `failed` after any other.
STATES = {0: "finished", INTERRUPTED: "interrupted", BadInput.exit_code: REJECTED}


@dataclass(frozen=True)
class Prepared:
    """A run whose input is known to be good."""

    paths: StackPaths
    inputs: loadgen.Inputs
    plan: planning.Plan
    run_id: str
    with_report: bool


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the command's exit code and its last line."""

    code: int
    result: str


def prepare(inputs: loadgen.Inputs, run_id: str | None, with_report: bool) -> Prepared:
    """Check files, flags and disk before anything is started. Exit code 2 when one is wrong."""
    paths = StackPaths.load()
    plan = loadgen.plan(paths, inputs)
    name = planning.new_run_id(plan, run_id)
    planning.check_disk(plan, paths)
    return Prepared(paths, inputs, planning.of_run(plan, name), name, with_report)


def execute(prepared: Prepared, say: Callable[[str], None] = click.echo) -> Outcome:
    """Run, copy the metrics, audit, summarise and report. Needs the stack up."""
    if not is_up(prepared.paths):
        raise BadInput("the stack is not up; start it: tailrace up")
    endpoints = Endpoints.load(prepared.paths)
    client = warehouse.connect(endpoints)
    orphans.close_all(prepared.paths, endpoints, client, say)
    _refuse_known(client, prepared.run_id)
    spools.ship_all(prepared.paths, endpoints.otlp_url, say)
    folder = prepared.paths.runs / prepared.run_id
    folder.mkdir(parents=True, exist_ok=True)
    row = _first_row(prepared, client)
    store.write(client, row)
    say(f"run {prepared.run_id}, log in {folder / 'loadgen.log'}")
    try:
        code = _generate(prepared, endpoints, folder, say)
    except BaseException as err:
        store.write(client, row.ended(_state_after(err), datetime.now(UTC)))
        raise
    dead = ended_parts(prepared.paths)
    row = row.ended("failed" if dead else STATES.get(code, "failed"), datetime.now(UTC))
    store.write(client, row)
    if code == BadInput.exit_code:
        raise SystemExit(code)
    for part in dead:
        log = prepared.paths.logs / f"{part.split()[0]}.log"
        click.echo(f"during this run {part}: see {log}; tailrace up starts it anew", err=True)
    source = VictoriaMetrics(endpoints.victoriametrics_url)
    try:
        keep(source, client, row.run_id, row.started_time, row.finished_time, say)
        verdict = audit_run(client, row.run_id, sys.stdout)
        numbers = summary.read(client, row.run_id)
        summary.show(numbers, sys.stdout)
        report = _report(prepared, say)
    except KeyboardInterrupt:
        click.echo(f"its rows are stored; when you like: tailrace audit {row.run_id}", err=True)
        raise
    if dead:
        code = code or Failed.exit_code
    if code == 0 and (not verdict.passed or (prepared.with_report and report is None)):
        code = Failed.exit_code
    return Outcome(code, summary.result_line(verdict, numbers, report))


def _state_after(err: BaseException) -> str:
    if isinstance(err, KeyboardInterrupt):
        return STATES[INTERRUPTED]
    return STATES[BadInput.exit_code] if isinstance(err, BadInput) else "failed"


def _refuse_known(client: Client, run_id: str) -> None:
    known = client.query(
        # A run that was refused before it began has used nothing of its name.
        "SELECT count() FROM v_runs WHERE run_id = {run_id:String} AND state != {rejected:String}",
        parameters={"run_id": run_id, "rejected": REJECTED},
    )
    if known.result_rows[0][0]:
        raise BadInput(f"--run-id {run_id}: there is such a run already; choose another id")


def _first_row(prepared: Prepared, client: Client) -> store.RunRow:
    plan, inputs = prepared.plan, prepared.inputs
    local = planning.brokers_are_local(plan, prepared.paths)
    manifest = {
        "plan": plan,
        "versions": facts.versions(prepared.paths, client, loadgen.java(), local),
        "host": facts.host_facts(),
        "brokers": broker_facts(prepared.paths) if local else [],
        "command": inputs.command_line(prepared.paths.root),
    }
    now = datetime.now(UTC)
    return store.RunRow(
        run_id=prepared.run_id,
        workload_name=str(plan["workload"]),
        driver_name=str(plan["driver"]),
        state="running",
        started_time=now,
        finished_time=store.EPOCH,
        seed=int(plan["seed"]) % 2**64,
        workers=int(plan["workers"]),
        workload=redact(inputs.workload.read_text(encoding="utf-8")),
        driver=redact(inputs.driver.read_text(encoding="utf-8")),
        manifest=json.dumps(manifest),
        updated_time=now,
    )


def _generate(
    prepared: Prepared, endpoints: Endpoints, folder: Path, say: Callable[[str], None]
) -> int:
    command = [
        *loadgen.command(prepared.paths),
        "run",
        *prepared.inputs.arguments(prepared.paths),
        "--run-id",
        prepared.run_id,
        "--otlp-endpoint",
        endpoints.otlp_url,
        "--summary",
        str(folder / "summary.json"),
        "--spool",
        str(folder / spools.FOLDER),
    ]
    # With the stack's mark `tailrace down` finds it, also when this command is gone.
    env = os.environ | {MARK: str(prepared.paths.state)}
    generator = LoadGenerator(command, folder / "loadgen.log", say, env)
    code = generator.run()
    if code not in (0, INTERRUPTED):
        for line in generator.stderr_tail:
            click.echo(line, err=True)
    if spools.is_spool(folder / spools.FOLDER):
        spool = folder / spools.FOLDER
        click.echo(f"not everything is stored; later: tailrace ship {spool}", err=True)
    # A signal's number is no exit code.
    return code if code >= 0 else Failed.exit_code


def _report(prepared: Prepared, say: Callable[[str], None]) -> Path | None:
    if not prepared.with_report:
        return None
    from tailrace.report import build  # jinja is paid for only here

    try:
        path = build(prepared.run_id)
    except Exception as err:  # whatever it is, the run and its verdict stand
        click.echo(f"the report could not be made: {err}", err=True)
        return None
    say(f"report {path}")
    return path
