# SPDX-License-Identifier: Apache-2.0
"""One run from start to finish."""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit.command import audit_run
from tailrace.errors import BadInput, Failed
from tailrace.lookup import REJECTED
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import (
    clockoffset,
    facts,
    generation,
    ledgers,
    loadgen,
    orphans,
    pending_metrics,
    planning,
    slo,
    spools,
    store,
    summary,
)
from tailrace.runs.disk import check_disk
from tailrace.runs.parts import Parts
from tailrace.runs.process import INTERRUPTED
from tailrace.runs.redact import redact
from tailrace.stack.api import (
    Endpoints,
    StackPaths,
    broker_facts,
    declared_brokers,
    ended_parts,
    is_elsewhere,
    is_up,
)

ALONE = Parts()

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
    parts: Parts
    campaign: Mapping[str, Any] | None = None
    experiment: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the command's exit code, its last line, and what a table of runs shows;
    ``runs`` are the ids of a campaign's runs."""

    code: int
    result: str
    row: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[str, ...] = ()


def prepare(
    inputs: loadgen.Inputs,
    run_id: str | None,
    with_report: bool,
    parts: Parts = ALONE,
    campaign: Mapping[str, Any] | None = None,
    plan: planning.Plan | None = None,
    experiment: Mapping[str, Any] | None = None,
) -> Prepared:
    """Check files, flags and disk before anything is started. Exit code 2 when one is wrong.

    ``campaign`` says which run of which campaign it is, ``experiment`` what was measured before it;
    both become part of the manifest. ``plan``
    is what the files come to where that has just been asked: the question starts a JVM.
    """
    paths = StackPaths.load()
    plan = plan or loadgen.plan(paths, inputs, parts.workers)
    name = planning.new_run_id(plan, run_id)
    check_disk(plan, paths, click.echo)
    plan = planning.of_run(plan, name, parts.workers)
    return Prepared(paths, inputs, plan, name, with_report, parts, campaign, experiment)


def execute(prepared: Prepared, say: Callable[[str], None] = click.echo) -> Outcome:
    """Run, copy the metrics, audit, summarise and report. Needs the stack up.

    Where worker 0 is on another host, all of this is done there: here the workers only run.
    """
    if not prepared.parts.leads:
        return _follow(prepared, say)
    if not (is_elsewhere() or is_up(prepared.paths)):
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
    pending_metrics.mark(folder)
    source = VictoriaMetrics.of(endpoints)
    log = prepared.parts.file(folder, generation.LOG, 0)
    say(f"run {prepared.run_id}, log in {log}")
    try:
        with _screen(prepared, endpoints, client, say) as tell:
            code = generation.generate(prepared, endpoints, folder, tell)
        ledgers.wait(client, prepared.run_id, prepared.parts, say)
        clockoffset.wait(client, prepared.run_id, prepared.parts)
    except BaseException as err:
        row = row.ended(_state_after(err), datetime.now(UTC))
        store.write(client, row)
        pending_metrics.copy(folder, source, client, row, say)
        raise
    dead = ended_parts(prepared.paths)
    row = row.ended("failed" if dead else STATES.get(code, "failed"), datetime.now(UTC))
    store.write(client, row)
    if code == BadInput.exit_code:
        pending_metrics.clear(folder)
        raise SystemExit(code)
    for part in dead:
        log = prepared.paths.logs / f"{part.split()[0]}.log"
        click.echo(f"during this run {part}: see {log}; tailrace up starts it anew", err=True)
    try:
        pending_metrics.copy(folder, source, client, row, say)
        verdict = audit_run(client, row.run_id, sys.stdout)
        numbers = summary.read(client, row.run_id)
        summary.show(numbers, sys.stdout)
        bounds = slo.judge(client, prepared.plan, verdict)
        slo.show(bounds, sys.stdout)
        report = _report(prepared, say)
    except KeyboardInterrupt:
        click.echo(f"its rows are stored; when you like: tailrace audit {row.run_id}", err=True)
        raise
    broken = bool(dead) or not verdict.passed or slo.word(bounds) == "broken"
    if code == 0 and (broken or (prepared.with_report and report is None)):
        code = Failed.exit_code
    line = summary.result_line(verdict, numbers, report)
    if bounds:
        line += f" slo={slo.word(bounds)}"
    return Outcome(code, line, {**summary.row(verdict, numbers), "slo": slo.word(bounds)})


def _screen(
    prepared: Prepared, endpoints: Endpoints, client: Client, say: Callable[[str], None]
) -> AbstractContextManager[Callable[[str], None]]:
    """In a terminal the run is shown in place; elsewhere its lines go where they always went."""
    if not sys.stdout.isatty():
        return nullcontext(say)
    from tailrace.live.screen import screen  # drawing is paid for only here

    found = client.query(
        "SELECT DISTINCT host, device FROM v_broker_drives WHERE run_id = {run_id:String}",
        parameters={"run_id": prepared.run_id},
    ).result_rows
    drives = [(str(host), str(device)) for host, device in found]
    return screen(sys.stdout, prepared.run_id, endpoints.victoriametrics_url, drives, say)


def _follow(prepared: Prepared, say: Callable[[str], None]) -> Outcome:
    folder = prepared.paths.runs / prepared.run_id
    folder.mkdir(parents=True, exist_ok=True)
    code = generation.generate(prepared, Endpoints.load(prepared.paths), folder, say)
    worker = ",".join(map(str, prepared.parts.mine))
    state = STATES.get(code, "failed")
    return Outcome(code, f"RESULT run={prepared.run_id} worker={worker} state={state}")


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
        "client_jvm": loadgen.jvm_options(),
        "brokers": broker_facts(prepared.paths) if local else declared_brokers(),
        "command": inputs.command_line(prepared.paths.root),
    }
    if prepared.campaign is not None:
        manifest["campaign"] = prepared.campaign
    if prepared.experiment is not None:
        manifest["experiment"] = prepared.experiment
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
