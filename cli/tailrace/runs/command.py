# SPDX-License-Identifier: Apache-2.0
"""``tailrace run`` and ``tailrace demo``."""

import sys
from pathlib import Path

import click

from tailrace.runs.flow import Outcome, execute, prepare
from tailrace.runs.loadgen import Inputs
from tailrace.stack.api import StackPaths, down, is_up, one_run, up


def _file(path: str) -> Path:
    return Path(path).expanduser()


@click.command()
@click.argument("workload", type=_file)
@click.option(
    "--driver",
    type=_file,
    default=None,
    metavar="FILE",
    help="Driver file; default: workloads/drivers/kafka.yaml.",
)
@click.option("--seed", type=int, default=None, help="Seed, over the workload file's.")
@click.option("--run-id", default=None, metavar="ID", help="Name of the run; default: made up.")
@click.option(
    "--bootstrap-servers",
    default=None,
    metavar="HOST:PORT,...",
    help="Brokers, over the driver file's; default: the stack's own.",
)
@click.option("--no-report", is_flag=True, help="Make no HTML report.")
def run(
    workload: Path,
    driver: Path | None,
    seed: int | None,
    run_id: str | None,
    bootstrap_servers: str | None,
    no_report: bool,
) -> None:
    """Run WORKLOAD against a broker and keep every message.

    Needs the stack up. Ctrl-C ends the run in order, a second one kills it.

    \b
    Examples:
      tailrace run workloads/demo.yaml
      tailrace run my.yaml --driver my-driver.yaml --bootstrap-servers broker1:9092,broker2:9092
      tailrace run workloads/smoke.yaml --seed 7 --run-id smoke-7
    """
    inputs = Inputs(workload, driver or _default_driver(), seed, bootstrap_servers)
    prepared = prepare(inputs, run_id, with_report=not no_report)
    with one_run(prepared.paths, prepared.run_id):
        outcome = execute(prepared)
    _finish(outcome)


@click.command()
@click.argument("workload", type=_file, required=False)
def demo(workload: Path | None) -> None:
    """Start the stack, run WORKLOAD (default: the demo), show its result, stop the stack.

    A stack that was up before stays up. The data stays: tailrace up, then tailrace query.

    \b
    Examples:
      tailrace demo
      tailrace demo workloads/smoke.yaml
    """
    paths = StackPaths.load()
    file = workload or paths.root / "workloads" / "demo.yaml"
    prepared = prepare(Inputs(file, _default_driver(), None, None), None, with_report=True)
    with one_run(paths, prepared.run_id):
        # Asked before: a Ctrl-C right after `up` must still find out whose stack it is.
        was_up = is_up(paths)
        try:
            up(paths, click.echo)
            outcome = execute(prepared)
        finally:
            if not was_up:
                for line in down(paths, click.echo):
                    click.echo(line)
    _finish(outcome)


def _default_driver() -> Path:
    return StackPaths.load().root / "workloads" / "drivers" / "kafka.yaml"


def _finish(outcome: Outcome) -> None:
    click.echo(outcome.result)
    sys.stdout.flush()
    if outcome.code:
        raise SystemExit(outcome.code)
