# SPDX-License-Identifier: Apache-2.0
"""``tailrace experiments``: reruns the published experiments and prints their verdicts."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.audit.partial import MESSAGES
from tailrace.errors import BadInput, Failed
from tailrace.experiments import fairness, page, preflight, progress, results, text, tls
from tailrace.experiments.execution import Options, Outcome, execute
from tailrace.experiments.experiment import FULL, SMALL, SYSTEMS, Experiment, chosen, published
from tailrace.experiments.progress import Progress
from tailrace.experiments.results import Result
from tailrace.lookup import resolve
from tailrace.options import FILE
from tailrace.runs.planning import Plan
from tailrace.runs.workers import from_options
from tailrace.stack.api import StackPaths, down, up


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--small", is_flag=True, help="The small form, for one machine with two cores; takes minutes.")
@click.option("--list", "list_only", is_flag=True, help="List the experiments.")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="FOLDER",
    help="Folder of other experiments; default: experiments.",
)
@click.option("--system", type=click.Choice(SYSTEMS), default=SYSTEMS[0], show_default=True)
@click.option("--bootstrap-servers", metavar="HOST:PORT,...", help="The system's brokers; default: the stack's own.")
@click.option(
    "--tls-bootstrap-servers",
    "tls_servers",
    metavar="HOST:PORT,...",
    help="Brokers for the steps that use TLS; on its own, name experiments that have such steps.",
)
@click.option(
    "--tls-config",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    metavar="FILE",
    help="Client settings for TLS brokers (Java properties): truststore, credentials.",
)
@click.option("--workers", type=int, help="Start this many load generators on this host.")
@click.option(
    "--drive-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MB/S",
    help="Write rate of a broker's drive without a broker; default: measured, if the drive is local.",
)
@click.option("--restart", is_flag=True, help="Repeat all runs.")
@click.option("--reports", is_flag=True, help="Write each run's HTML report too.")
@click.option(
    "--page",
    "page_file",
    type=FILE,
    metavar="FILE",
    help="Write all stored results as a Markdown page, with charts in the same folder.",
)
@click.option("--stored", is_flag=True, help="Run nothing: show the stored results.")
@click.option(
    "--export",
    "export_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Export the judged runs into this folder (tailrace runs export).",
)
@click.option("--without-messages", is_flag=True, help="Export without messages.")
@click.option("--pair", nargs=2, metavar="RUN RUN", help="Only check whether two stored runs may be compared.")
def experiments(
    names: tuple[str, ...],
    small: bool,
    list_only: bool,
    folder: Path | None,
    system: str,
    bootstrap_servers: str | None,
    tls_servers: str | None,
    tls_config: Path | None,
    workers: int | None,
    drive_limit: float | None,
    restart: bool,
    reports: bool,
    page_file: Path | None,
    stored: bool,
    export_folder: Path | None,
    without_messages: bool,
    pair: tuple[str, str] | None,
) -> None:
    """Rerun published experiments NAME, or all, and print their verdicts.

    Before the first run starts, the disk, memory and brokers that each experiment needs are
    computed from its plans. If the stack is down, it is started, and stopped at the end. If the
    command ends early, by Ctrl-C or a crash, the same call continues it; runs that were made today
    with the same files are only judged again.

    A verdict is holds, does not hold or cannot tell; authors is what was published for that system.
    The last line counts verdicts; an experiment may have several.

    \b
    Examples:
      tailrace experiments --list
      tailrace experiments 6-backlog --small
      tailrace experiments 2-long-run --bootstrap-servers broker1:9092
      tailrace experiments --system redpanda --bootstrap-servers rp1:9092 6-backlog
      tailrace experiments --pair kafka-run redpanda-run
      tailrace experiments --stored --page docs/results/published-experiments.md
    """
    paths = StackPaths.load()
    if pair is not None:
        _compare_pair(pair)
        return
    experiments = chosen(folder or published(paths.root), names)
    if list_only:
        for each in experiments:
            click.echo(f"{each.name:16}{each.claim}")
        return
    if stored:
        _print_stored(paths, experiments, page_file)
        return
    experiments = _for_system(experiments, names, system)
    _check_brokers(system, bootstrap_servers, tls_servers, tls_config)
    form = SMALL if small else FULL
    started = from_options(workers, None, None, None)
    access = tls.given(tls_servers, tls_config) if tls_servers else None
    left_out = MESSAGES if without_messages else ()
    options = Options(
        paths, form, system, bootstrap_servers, started, drive_limit, reports, restart, export_folder, access, left_out
    )
    _rerun(experiments, options, page_file)


def _print_stored(paths: StackPaths, experiments: Sequence[Experiment], page_file: Path | None) -> None:
    kept = results.stored(paths, experiments)
    _write_page(page_file, experiments, kept)
    outcomes = [result.outcome for result in kept]
    text.verdicts(outcomes, sys.stdout)
    click.echo(text.result_line(len(experiments), outcomes))


def _for_system(experiments: list[Experiment], names: Sequence[str], system: str) -> list[Experiment]:
    """Those that run on the system. Raises BadInput when one of ``names`` does not."""
    if not names:
        return [each for each in experiments if system in each.systems]
    for each in experiments:
        if system not in each.systems:
            raise BadInput(f"{each.name}: it runs on {', '.join(each.systems)} only")
    return experiments


def _check_brokers(system: str, servers: str | None, tls_servers: str | None, tls_config: Path | None) -> None:
    """Raises BadInput when options for the system's brokers are missing."""
    if system != SYSTEMS[0] and servers is None and tls_servers is None:
        raise BadInput(f"--system {system}: the stack has no such broker; give --bootstrap-servers")
    if tls_config and tls_servers is None:
        raise BadInput("--tls-config is for --tls-bootstrap-servers; give both")


def _rerun(experiments: Sequence[Experiment], options: Options, page_file: Path | None) -> None:
    alike: set[Path] = set()
    plans = {each.name: preflight.plans(each, options, alike) for each in experiments}
    outcomes = _run_all(experiments, plans, options)
    click.echo("")
    text.verdicts(outcomes, sys.stdout)
    if page_file is not None:
        _write_page(page_file, experiments, results.stored(options.paths, experiments))
    click.echo(text.result_line(len(experiments), outcomes))


def _write_page(file: Path | None, experiments: Sequence[Experiment], kept: Sequence[Result]) -> None:
    if file is not None:
        page.write(file, experiments, kept)
        click.echo(f"page {file}")


def _run_all(
    experiments: Sequence[Experiment], plans: Mapping[str, Mapping[str, Sequence[Plan]]], options: Options
) -> list[Outcome]:
    paths = options.paths
    state = progress.load(paths, options.form, options.system)
    outcomes = []
    started = up(paths, click.echo)
    try:
        for each in experiments:
            click.echo(f"\n== {each.name}: {each.claim}")
            files = progress.files(each, options.steps(each), options.where)
            if options.restart or _deleted(state, each):
                state = state.without(each.name)
            state = state.begin(each.name, files)
            if state.is_done(each.name):
                until = results.ended(warehouse.connect(), state.made(each.name))[11:16]
                click.echo(f"its runs were made today, until {until} UTC; --restart repeats them")
            outcome, state = execute(each, plans[each.name], options, state, sys.stdout, click.echo)
            state = state.complete(each.name, files)
            text.numbers(outcome, sys.stdout)
            _keep(outcome, options)
            outcomes.append(outcome)
    finally:
        if started:
            for line in down(paths, click.echo):
                click.echo(line)
    return outcomes


def _deleted(state: Progress, experiment: Experiment) -> bool:
    """Whether a run that was made is no longer stored."""
    made = state.made(experiment.name)
    sql = "SELECT count() FROM v_runs WHERE has({r:Array(String)}, run_id)"
    return int(warehouse.select(warehouse.connect(), sql, r=made)[0][0]) < len(made)


def _keep(outcome: Outcome, options: Options) -> None:
    """Store the result in the stack's state folder, with a page and a chart."""
    paths, client = options.paths, warehouse.connect()
    form, system, exports = options.form, options.system, options.exports
    kept = results.store(paths, outcome, form, system, client, exports, options.left_out)
    name = f"{options.form}-{options.system}-{outcome.experiment.name}.md"
    page.one(results.folder(paths) / name, kept)
    click.echo(f"stored {results.folder(paths) / name}")


def _compare_pair(runs: tuple[str, str]) -> None:
    client = warehouse.connect()
    names = resolve(client, runs[0]), resolve(client, runs[1])
    facts = [fairness.stored_facts(client, run_id) for run_id in names]
    differ = fairness.differences(names, facts[0], facts[1])
    for line in differ:
        click.echo(line)
    if differ:
        raise Failed(f"not to be compared: {len(differ)} differences")
    click.echo("may be compared: clients, drives and durability are alike")
