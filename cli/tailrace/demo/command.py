# SPDX-License-Identifier: Apache-2.0
"""``tailrace demo``: a run that fits this machine, and what explain finds in it."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace import warehouse
from tailrace.demo import answer, calibration, workload
from tailrace.demo.episode import SECONDS, Episode
from tailrace.errors import BadInput, TailraceError
from tailrace.explain.explanation import explain
from tailrace.marks.command import store
from tailrace.marks.reading import Mark
from tailrace.queries.ask import RunReader
from tailrace.runs.flow import RunOutcome, execute
from tailrace.runs.loadgen import Inputs
from tailrace.runs.options import default_driver, file
from tailrace.runs.prepared import Prepared, prepare
from tailrace.stack.api import Endpoints, StackPaths, broker_facts, brokers_option, down, one_run, up, with_brokers


@click.command()
@click.argument("given", metavar="[WORKLOAD]", type=file, required=False)
@brokers_option
@click.option(
    "--rate",
    type=click.IntRange(min=1),
    metavar="N",
    help="Messages/s; default: a quarter of what this machine carries, at most 20,000.",
)
@click.option("--quiet", is_flag=True, help="Leave the drive alone: no neighbour, no episode.")
def demo(given: Path | None, brokers: int | None, rate: int | None, quiet: bool) -> None:
    """Start the stack, run the demo, show its result, stop the stack.

    First it measures for some seconds what this machine carries, and sends a quarter of that. In
    the middle of the measure phase a neighbour writes and syncs on the broker's drive for ten
    seconds, as fast as the drive takes it (into 256 MiB of nameless files; no root). At the end
    explain names what it found.

    With WORKLOAD it runs that file as it is instead. A stack that was up before stays up. The data
    stays: run tailrace up, then tailrace query.

    \b
    Examples:
      tailrace demo
      tailrace demo --quiet
      tailrace demo --rate 5000
      tailrace demo --brokers 3
      tailrace demo workloads/smoke.yaml
    """
    if given is not None and rate is not None:
        raise BadInput("--rate: only without WORKLOAD, which states its own rate")
    if given is not None and quiet:
        raise BadInput("--quiet: only without WORKLOAD, beside which no neighbour starts")
    paths = with_brokers(StackPaths.load(), brokers)
    inputs = Inputs(given or workload.workload(paths), workload.driver(paths), None, None)
    if given is not None:
        inputs = replace(inputs, driver=default_driver(paths))
    prepared = prepare(inputs, None, with_report=True, paths=paths)
    with one_run(paths, prepared.run_id), _stack(paths):
        outcome = execute(prepared) if given else _fitted(prepared, rate, quiet)
    click.echo(outcome.result)
    sys.stdout.flush()
    if outcome.code:
        raise SystemExit(outcome.code)


@contextlib.contextmanager
def _stack(paths: StackPaths) -> Iterator[None]:
    """The stack, up. A failed ``up`` cleans up after itself; a stack that was up before keeps running."""
    started = up(paths, click.echo)
    try:
        yield
    finally:
        if started:
            for line in down(paths, click.echo):
                click.echo(line)


def _fitted(prepared: Prepared, rate: int | None, quiet: bool) -> RunOutcome:
    """Run at a rate that this machine carries with ease, and explain the run."""
    paths, plan = prepared.paths, prepared.plan
    if rate is None:
        carried = calibration.carried(paths, prepared.run_id, click.echo)
        rate = calibration.rate(carried, int(plan["messages_per_second"]))
        click.echo(calibration.sentence(carried, rate, int(plan["message_bytes"])))
    target = paths.runs / prepared.run_id / workload.FILE
    inputs = replace(prepared.inputs, workload=workload.written(paths, target, {"producerRate": rate}))
    prepared = prepare(inputs, prepared.run_id, with_report=True, paths=paths)
    if quiet:
        outcome = execute(prepared)
        return _explained(prepared, outcome, None)
    with _episode(prepared) as episode:
        outcome = execute(prepared, around=episode.around)
        return _explained(prepared, outcome, episode.happened)


def _episode(prepared: Prepared) -> Episode:
    paths = prepared.paths
    facts = broker_facts(paths)[0]
    (measured,) = (int(phase["seconds"]) for phase in prepared.plan["phases"] if phase["name"] == "measure")
    drive = f" {facts['log_device']}" if facts["log_device"] else ""

    def mark(given: Mark) -> None:
        # In the thread that reads the load generator's lines; a client belongs to one thread.
        store(warehouse.connect(Endpoints.load(paths)), prepared.run_id, given)

    return Episode(paths, Path(facts["log_dirs"][0]), drive, (measured - SECONDS) // 2, mark)


def _explained(prepared: Prepared, outcome: RunOutcome, made: Mark | None) -> RunOutcome:
    reader = RunReader(warehouse.connect(Endpoints.load(prepared.paths)), prepared.run_id)
    try:
        found = explain(reader)
    except (TailraceError, DatabaseError) as err:
        click.echo(f"explain failed: {err}")
        return outcome
    click.echo("")
    for line in answer.lines(found, made):
        click.echo(line)
    return replace(outcome, result=f"{outcome.result} episode={answer.cause(found, made)}") if made else outcome
