# SPDX-License-Identifier: Apache-2.0
"""Tries one claim once: a run with faults, then the claim's check over its messages."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace import warehouse
from tailrace.certify import checks, companion, faults, files
from tailrace.certify.certificate import Line
from tailrace.certify.claims import FOLDER, Claim
from tailrace.certify.cluster import Cluster
from tailrace.certify.evidence import missing, read_evidence
from tailrace.certify.striking import Striker
from tailrace.certify.targets import Targets
from tailrace.errors import Failed
from tailrace.marks.command import store
from tailrace.marks.reading import Mark
from tailrace.runs.flow import execute
from tailrace.runs.loadgen import Inputs
from tailrace.runs.planning import brokers_are_local
from tailrace.runs.prepared import Prepared, prepare
from tailrace.runs.process import INTERRUPTED
from tailrace.runs.workers import Workers
from tailrace.stack.api import Endpoints, StackPaths, one_run

# Until the workers begin together. Their consumers join while a cluster recovers from the faults of the last trial.
LEAD = timedelta(seconds=75)
Say = Callable[[str], None]

_LOST = (
    "SELECT sum(events) FROM v_ledger WHERE run_id = {run_id:String} AND kind = 'lost' AND stream != 'broker_requests'"
)
_EVENTS = (
    "SELECT countIf(kind = 'rebalance' AND name = 'assigned'), countIf(kind = 'phase' AND name = 'measure')"
    " FROM v_run_events WHERE run_id = {run_id:String}"
)
_FAILED = "SELECT count() FROM v_publish_failures WHERE run_id = {run_id:String}"
_STATE = "SELECT toString(state) FROM v_runs WHERE run_id = {run_id:String}"


@dataclass(frozen=True)
class Options:
    """Of one call, for all claims. ``name`` begins the runs' ids; ``folder``: where the page and the logs are;
    ``private``: for the trials' files, which may have secrets."""

    name: str
    paths: StackPaths
    driver: Path
    servers: str | None
    duration_s: int
    rate: int | None
    seed: int
    folder: Path
    private: Path


def prepared(claim: Claim, name: str, options: Options) -> Prepared:
    """Write the trial's files and check them. Raises BadInput."""
    workload = options.paths.root / FOLDER / claim.workload
    inputs = Inputs(
        files.workload(workload, options.private / f"{name}.yaml", options.duration_s, options.rate),
        files.driver(options.driver, options.private / f"{name}-driver.yaml", claim),
        options.seed,
        options.servers,
    )
    start = (datetime.now(UTC) + LEAD).replace(microsecond=0) if claim.workers > 1 else None
    workers = Workers(claim.workers, tuple(range(claim.workers)), start)
    run_id = f"{options.name}-{name}"
    return prepare(inputs, run_id, with_report=False, workers=workers, paths=options.paths)


def cluster(ready: Prepared, options: Options) -> Cluster:
    """The cluster that the prepared run reaches; its admin client has the driver's common properties."""
    servers = str(ready.plan["admin_config"]["bootstrap.servers"])
    content = files.read_driver(options.driver)
    client = options.private / "client.properties"
    client.touch(mode=0o600)
    common = files.replaced(str(content.get("commonConfig") or ""), {"bootstrap.servers": servers})
    client.write_text(common, encoding="utf-8")
    return Cluster(options.paths, client, brokers_are_local(ready.plan, options.paths))


def tried(claim: Claim, name: str, options: Options, configuration: Mapping[str, str], say: Say) -> Line:
    """Run the claim's workload under faults and check what it left. Raises KeyboardInterrupt."""
    ready = prepared(claim, name, options)
    found = Line(claim, {**configuration, "rate": f"{ready.plan['messages_per_second']}/s"}, ready.run_id)
    if reason := excluded(claim, ready.plan["producer_config"]):
        return replace(found, not_made=dict.fromkeys(claim.faults, "the claim cannot be tested"), reason=reason)
    striker = _striker(claim, ready, options, say)
    lines: list[str] = []
    try:
        with one_run(options.paths, ready.run_id), companion.beside(claim, ready) as lines, striker:
            _run(ready, striker, options.folder)
    except Failed as err:
        found = replace(found, reason=str(err))
    found = replace(found, struck=tuple(striker.struck), not_made=striker.missed)
    if found.reason:
        return found
    try:
        line = checked(found, options, companion.replacements(lines))
        return replace(line, reason=line.reason or striker.broke)
    except ClickHouseError as err:
        return replace(found, reason=f"the check failed: {warehouse.first_line(err)}")


def excluded(claim: Claim, producer: Mapping[str, str]) -> str:
    """The first property of the producer with which the claim cannot be tested; empty when there is none."""
    for name, why in claim.excludes.items():
        if (value := str(producer.get(name, "")).strip()).lower() not in ("", "false"):
            return f"the driver has {name}={value}: {why}; remove it from producerConfig"
    return ""


def checked(found: Line, options: Options, replacements: int = 0) -> Line:
    """The line with its check, and the reason if the run cannot show the claim. ``replacements``: the companion's."""
    client = warehouse.connect(Endpoints.load(options.paths))

    def ask(sql: str) -> Sequence[Any]:
        return warehouse.select(client, sql, run_id=found.run_id)[0]

    (lost,), (assigned, measured), (state,) = ask(_LOST), ask(_EVENTS), ask(_STATE)
    found = replace(found, failed_sends=int(ask(_FAILED)[0]))
    notes = [f"{assigned} assignments of partitions to consumers"] if assigned else []
    notes += [f"{lost} rows were not stored; tailrace audit {found.run_id} has the reasons"] if lost else []
    check = checks.check(client, found.claim, found.run_id)
    killed = any(struck.kind == faults.CLIENT_KILL for struck in found.struck)
    evidence = read_evidence(client, found.run_id, killed)
    evidence = replace(evidence, found={**evidence.found, "replacements": replacements})
    reason, log = "", options.folder / f"{found.run_id}.log"
    if not measured:
        reason = f"the load did not begin: see {log}"
    elif state != "finished" and not killed:
        # With a killed load generator every run ends as failed.
        reason = f"the run is {state}: see {log}"
    elif not found.struck:
        reason = "no fault struck while the load went on"
    elif gap := next(missing(found.claim, check.messages, evidence), ""):
        reason = gap
    elif check.left_open:
        first = check.left_open[0]
        reason = f"{first.name}: {first.messages:,} messages, the first: {first.example}"
    elif not check.messages:
        reason = f"nothing was checked: see {log}"
    return replace(found, check=check, notes=notes, reason=reason)


def _striker(claim: Claim, ready: Prepared, options: Options, say: Say) -> Striker:
    reached = cluster(ready, options)
    producers = int(ready.plan["producers"])
    targets = Targets(
        reached,
        reached.addresses(),
        [str(topic["name"]) for topic in ready.plan["topics"]],
        options.paths.runs / ready.run_id,
        ready.workers,
        range(min(producers, claim.workers), claim.workers),
    )

    def mark(given: Mark) -> None:
        # In the thread that strikes; a client belongs to one thread.
        store(warehouse.connect(Endpoints.load(options.paths)), ready.run_id, given)

    possible = [kind for kind in claim.faults if not targets.not_possible(kind)]
    planned = faults.plan(options.seed, claim.name, possible, options.duration_s)
    return Striker(planned, claim.faults, targets, mark, say)


def _run(ready: Prepared, striker: Striker, folder: Path) -> None:
    """The run, its output in a log. A run whose audit fails has been made all the same: a fault can be the reason."""
    log = folder / f"{ready.run_id}.log"
    try:
        with _logged(log):
            code = execute(ready, around=striker.around, loaded=striker.stop).code
    except SystemExit as err:
        raise Failed(f"the load generator refused the run: see {log}") from err
    if code == INTERRUPTED:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _logged(log: Path) -> Iterator[None]:
    with log.open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
        yield
    sys.stdout.flush()
