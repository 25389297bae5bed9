# SPDX-License-Identifier: Apache-2.0
"""``tailrace run`` and ``tailrace ship``."""

import contextlib
import sys
from pathlib import Path

import click

from tailrace.errors import BadInput
from tailrace.fitness.before import without_fitness
from tailrace.runs import agreement, campaign, loadgen, spools
from tailrace.runs.flow import RunOutcome, execute
from tailrace.runs.loadgen import Inputs
from tailrace.runs.options import DIALECT, DRIVER, POINT, SEED, default_driver, file
from tailrace.runs.prepared import prepare
from tailrace.runs.workers import from_options
from tailrace.stack.api import Endpoints, StackPaths, one_run


@click.command()
@click.argument("workload", type=file)
@DRIVER
@SEED
@click.option("--run-id", metavar="ID", help="Name of the run; default: generated.")
@click.option(
    "--bootstrap-servers",
    metavar="HOST:PORT,...",
    help="Brokers; overrides the driver file's; default: the stack's own.",
)
@click.option("--workers", type=int, help="Start this many load generators on this host.")
@click.option("--worker", metavar="I/N", help="Start only worker I (from 0) of N.")
@click.option("--start-at", metavar="TIME", help="When all workers begin to send, UTC.")
@click.option(
    "--agreement-url", metavar="URL", help="With --worker: http(s)://HOST:PORT where worker 0 answers the others."
)
@click.option(
    "--agreement-listen", metavar="HOST:PORT", help="Where worker 0 listens; default: the host and port of that URL."
)
@click.option(
    "--agreement-token-file",
    type=file,
    metavar="FILE",
    help=f"The run's secret, mode 600; default: the variable {agreement.VARIABLE}.",
)
@POINT
@DIALECT
@click.option("--restart", is_flag=True, help="Start a campaign that ended early from the beginning.")
@click.option("--no-report", is_flag=True, help="Write no HTML report.")
@without_fitness
def run(
    workload: Path,
    driver: Path | None,
    seed: int | None,
    run_id: str | None,
    bootstrap_servers: str | None,
    workers: int | None,
    worker: str | None,
    start_at: str | None,
    agreement_url: str | None,
    agreement_listen: str | None,
    agreement_token_file: Path | None,
    point: int | None,
    dialect: str | None,
    restart: bool,
    no_report: bool,
) -> None:
    """Run WORKLOAD against a broker and keep every message.

    The stack must be up. Ctrl-C ends the run in order, a second Ctrl-C kills it.

    Before the load the host's fitness is checked (tailrace fitness --help) and kept with the run; an
    unfit host is stated at the head of the summary, and refuses nothing unless slo has fit: true.

    A workload with vary or repeat is a campaign: one run after the other, one table at the end.
    If it ends early, by Ctrl-C or a crash, the next call with the same files continues it.

    Load from several hosts: call it on each with its own --worker and the same --run-id,
    --start-at, --agreement-url and token (openssl rand -hex 32). Worker 0 belongs on the stack's
    host; the others find the collector by TAILRACE_OTLP_URL. With https, worker 0 and the others
    use the certificates in OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY.

    \b
    Examples:
      tailrace run workloads/demo.yaml
      tailrace run my.yaml --driver my-driver.yaml --bootstrap-servers broker1:9092,broker2:9092
      tailrace run workloads/smoke.yaml --seed 7 --run-id smoke-7
      tailrace run sweep.yaml --restart
      tailrace run my.yaml --workers 4
      tailrace run my.yaml --worker 1/4 --run-id big-1 --start-at 2026-01-31T12:00:00Z \\
          --agreement-url http://10.0.0.5:9300 --agreement-token-file run.token
    """
    agreed = agreement.from_options(agreement_url, agreement_listen, agreement_token_file)
    started = from_options(workers, worker, start_at, run_id, agreed)
    paths = StackPaths.load()
    inputs = Inputs(workload, driver or default_driver(paths), seed, bootstrap_servers, point, dialect)
    plans = loadgen.plans(paths, inputs, started.count)
    if campaign.is_campaign(plans):
        if worker is not None:
            raise BadInput("--worker: a campaign runs on one host; give --point K")
        whole = campaign.Campaign(inputs, plans, not no_report, started, run_id)
        with one_run(paths, run_id or f"of campaign {workload.stem}"):
            outcome = campaign.run_all(whole, restart, sys.stdout)
    else:
        prepared = prepare(inputs, run_id, not no_report, started, plan=plans[0])
        # Other workers belong to the run of the leader, which may be on this host too.
        with one_run(paths, prepared.run_id) if started.leads else contextlib.nullcontext():
            outcome = execute(prepared)
    _finish(outcome)


@click.command()
@click.argument("folder", metavar="DIR", type=file)
@click.option("--otlp-endpoint", metavar="URL", help="The collector's OTLP/HTTP receiver; default: the stack's own.")
def ship(folder: Path, otlp_endpoint: str | None) -> None:
    """Store the blocks that a run left in its spool DIR, such as .tailrace/state/runs/RUN/spool.

    Stores nothing twice, so it may be interrupted and repeated. Exit code 0 when every event that
    the run recorded is stored, 1 when not (the last line states what was lost, why, and where
    damaged segments are kept), 2 when there is no spool.
    """
    paths = StackPaths.load()
    url = otlp_endpoint or Endpoints.load(paths).otlp_url
    code, errors = spools.ship(paths, folder, url, click.echo)
    for line in errors if code else []:
        click.echo(line, err=True)
    if code:
        raise SystemExit(code)


def _finish(outcome: RunOutcome) -> None:
    click.echo(outcome.result)
    sys.stdout.flush()
    if outcome.code:
        raise SystemExit(outcome.code)
