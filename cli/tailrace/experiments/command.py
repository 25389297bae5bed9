# SPDX-License-Identifier: Apache-2.0
"""``tailrace experiments``: the published experiments, rerun and judged."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.audit.partial import MESSAGES
from tailrace.errors import BadInput, Failed
from tailrace.experiments import beforehand, fairness, page, pairs, progress, results, show, tls
from tailrace.experiments.conduct import Answer, Setting, conduct
from tailrace.experiments.experiment import FULL, SMALL, SYSTEMS, Experiment, chosen, published
from tailrace.experiments.progress import Progress
from tailrace.experiments.results import Result
from tailrace.lookup import resolve
from tailrace.runs.parts import parts
from tailrace.runs.planning import Plan
from tailrace.stack.api import StackPaths, down, up


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--small", is_flag=True, help="The form for one machine of two cores, in minutes.")
@click.option("--list", "list_only", is_flag=True, help="List the experiments.")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=None,
    metavar="FOLDER",
    help="Experiments of another folder; default: experiments.",
)
@click.option("--system", type=click.Choice(SYSTEMS), default=SYSTEMS[0], show_default=True)
@click.option(
    "--bootstrap-servers",
    default=None,
    metavar="HOST:PORT,...",
    help="The system's brokers; default: the stack's own.",
)
@click.option(
    "--tls-bootstrap-servers",
    "tls_servers",
    default=None,
    metavar="HOST:PORT,...",
    help="Brokers for steps over TLS; alone, name the experiments that have some.",
)
@click.option(
    "--tls-config",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    default=None,
    metavar="FILE",
    help="Client settings for those (Java properties): truststore, log-in.",
)
@click.option("--workers", type=int, default=None, help="Start this many load generators here.")
@click.option(
    "--drive-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    metavar="MB/S",
    help="What a broker's drive writes by itself; default: measured, where it is here.",
)
@click.option("--restart", is_flag=True, help="Make all runs anew.")
@click.option("--reports", is_flag=True, help="Make each run's HTML report too.")
@click.option(
    "--page",
    "page_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write all kept results as a Markdown page, charts beside it.",
)
@click.option("--stored", is_flag=True, help="Run nothing: show, and write, what is kept.")
@click.option(
    "--export",
    "export_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="FOLDER",
    help="Export the runs that are judged into it (tailrace runs export).",
)
@click.option("--without-messages", is_flag=True, help="Of an export, leave them out.")
@click.option(
    "--pair",
    nargs=2,
    default=None,
    metavar="RUN RUN",
    help="Say only whether two stored runs may be compared.",
)
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

    What an experiment needs of disk, memory and brokers is worked out from its plans before the
    first run begins. Starts the stack when it is not up, and stops it then. Ended early, by Ctrl-C
    or a crash, the same call goes on where it was; what is done today with the same files is only
    judged again.

    A verdict is holds, does not hold or cannot tell; authors is what was published of that system.
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
        _pair(pair)
        return
    experiments = chosen(folder or published(paths.root), names)
    if list_only:
        for each in experiments:
            click.echo(f"{each.name:16}{each.claim}")
        return
    if stored:
        kept = results.stored(paths, experiments)
        _written(page_file, experiments, kept)
        answers = [result.answer for result in kept]
        show.verdicts(answers, sys.stdout)
        click.echo(show.result_line(len(experiments), answers))
        return
    form = SMALL if small else FULL
    if not names:
        experiments = [each for each in experiments if system in each.systems]
    for each in experiments:
        if system not in each.systems:
            raise BadInput(f"{each.name}: an experiment on {', '.join(each.systems)} only")
    if system != SYSTEMS[0] and bootstrap_servers is None and tls_servers is None:
        raise BadInput(f"--system {system}: the stack has none; give --bootstrap-servers")
    if tls_config and tls_servers is None:
        raise BadInput("--tls-config is for --tls-bootstrap-servers; give both")
    part = parts(workers, None, None, None)
    access = tls.given(tls_servers, tls_config) if tls_servers else None
    setting = Setting(
        paths,
        form,
        system,
        bootstrap_servers,
        part,
        drive_limit,
        reports,
        restart,
        export_folder,
        access,
        MESSAGES if without_messages else (),
    )
    alike: set[Path] = set()
    plans = {each.name: beforehand.plans(each, setting, alike) for each in experiments}
    answers = _all(experiments, plans, setting)
    click.echo("")
    show.verdicts(answers, sys.stdout)
    if page_file is not None:
        _written(page_file, experiments, results.stored(paths, experiments))
    click.echo(show.result_line(len(experiments), answers))


def _written(file: Path | None, experiments: Sequence[Experiment], kept: Sequence[Result]) -> None:
    if file is not None:
        page.write(file, experiments, kept)
        click.echo(f"page {file}")


def _all(
    experiments: Sequence[Experiment],
    plans: Mapping[str, Mapping[str, Sequence[Plan]]],
    setting: Setting,
) -> list[Answer]:
    paths = setting.paths
    state = progress.load(paths, setting.form, setting.system)
    answers = []
    started = up(paths, click.echo)
    try:
        for each in experiments:
            click.echo(f"\n== {each.name}: {each.claim}")
            files = progress.files(each, setting.steps(each), setting.where)
            if setting.restart or _gone(state, each):
                state = state.without(each.name)
            state = state.beginning(each.name, files)
            if state.is_done(each.name):
                until = results.ended(warehouse.connect(), state.made(each.name))[11:16]
                click.echo(f"its runs were made today, until {until} UTC; --restart makes them anew")
            answer, state = conduct(each, plans[each.name], setting, state, sys.stdout, click.echo)
            state = state.ending(each.name, files)
            show.numbers(answer, sys.stdout)
            _keep(answer, setting)
            answers.append(answer)
    finally:
        if started:
            for line in down(paths, click.echo):
                click.echo(line)
    return answers


def _gone(state: Progress, experiment: Experiment) -> bool:
    """Whether a run that is done is stored no longer."""
    made = state.made(experiment.name)
    there = warehouse.connect().query(
        "SELECT count() FROM v_runs WHERE has({r:Array(String)}, run_id)", parameters={"r": made}
    )
    return int(there.result_rows[0][0]) < len(made)


def _keep(answer: Answer, setting: Setting) -> None:
    """Results stay beside the stack's state, with a page and a chart."""
    paths, client = setting.paths, warehouse.connect()
    form, system, exports = setting.form, setting.system, setting.exports
    kept = results.store(paths, answer, form, system, client, exports, setting.left_out)
    name = f"{setting.form}-{setting.system}-{answer.experiment.name}.md"
    page.one(results.folder(paths) / name, kept)
    click.echo(f"kept {results.folder(paths) / name}")


def _pair(runs: tuple[str, str]) -> None:
    client = warehouse.connect()
    names = resolve(client, runs[0]), resolve(client, runs[1])
    facts = [pairs.of_stored(client, run_id) for run_id in names]
    differ = fairness.differences(names, facts[0], facts[1])
    for line in differ:
        click.echo(line)
    if differ:
        raise Failed(f"not to be compared: {len(differ)} differences")
    click.echo("may be compared: clients, drives and durability are alike")
