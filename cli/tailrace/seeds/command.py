# SPDX-License-Identifier: Apache-2.0
"""``tailrace seeds``: the published experiments, rerun and judged."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.errors import BadInput, Failed
from tailrace.lookup import resolve
from tailrace.runs.parts import parts
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.seeds import fairness, filling, needs, page, progress, results, show
from tailrace.seeds.conduct import Answer, Setting, conduct, key
from tailrace.seeds.experiment import FULL, SMALL, SYSTEMS, Experiment, Step, chosen, published
from tailrace.seeds.progress import Progress
from tailrace.seeds.results import Result
from tailrace.stack.api import StackPaths, down, is_up, up


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
    help="Experiments of another folder; default: workloads/seeds.",
)
@click.option("--system", type=click.Choice(SYSTEMS), default=SYSTEMS[0], show_default=True)
@click.option(
    "--bootstrap-servers",
    default=None,
    metavar="HOST:PORT,...",
    help="The system's brokers; default: the stack's own.",
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
@click.option(
    "--pair",
    nargs=2,
    default=None,
    metavar="RUN RUN",
    help="Say only whether two stored runs may be compared.",
)
def seeds(
    names: tuple[str, ...],
    small: bool,
    list_only: bool,
    folder: Path | None,
    system: str,
    bootstrap_servers: str | None,
    workers: int | None,
    drive_limit: float | None,
    restart: bool,
    reports: bool,
    page_file: Path | None,
    stored: bool,
    export_folder: Path | None,
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
      tailrace seeds --list
      tailrace seeds 6-backlog --small
      tailrace seeds 2-long-run --bootstrap-servers broker1:9092
      tailrace seeds --system redpanda --bootstrap-servers rp1:9092 6-backlog
      tailrace seeds --pair kafka-run redpanda-run
      tailrace seeds --stored --page docs/results/published-experiments.md
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
    if system != SYSTEMS[0] and bootstrap_servers is None:
        raise BadInput(f"--system {system}: the stack has none; give --bootstrap-servers")
    part = parts(workers, None, None, None)
    setting = Setting(
        paths, form, system, bootstrap_servers, part, drive_limit, reports, restart, export_folder
    )
    alike: set[Path] = set()
    plans = {each.name: _plans(each, setting, alike) for each in experiments}
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


def _plans(experiment: Experiment, setting: Setting, alike: set[Path]) -> dict[str, list[Plan]]:
    """The plans of each step, all found good: fair, and not too large for this machine.

    ``alike`` are the other systems' driver files known to be fair: each plan takes a second.
    """
    paths, found = setting.paths, {}
    filled = experiment.filled(setting.form)
    here = needs.machine(os.environ.get("TAILRACE_LOADGEN_HEAP"))
    try:
        if filled:
            needs.check_filled(filled, paths)
            filling.make_events(paths, experiment.folder, filled)
        for step in experiment.steps(setting.form, setting.system):
            found[key(step)] = plans = setting.plans(step)
            _refuse_unfair(experiment, setting, step, plans[0], alike)
            needs.check(plans, paths, here, is_up(paths))
    except BadInput as err:
        raise BadInput(f"{experiment.name}: {err}") from err
    drive = experiment.drive(setting.form)
    if drive and not os.environ.get("TAILRACE_SEEDS_DRIVE") and _is_local(found, paths):
        wants = ", ".join(f"{name} {value}" for name, value in drive.items())
        click.echo(f"note: {experiment.name} wants a drive of its own ({wants}): make seeds-small")
    return found


def _is_local(plans: Mapping[str, Sequence[Plan]], paths: StackPaths) -> bool:
    return all(brokers_are_local(plan, paths) for each in plans.values() for plan in each)


def _refuse_unfair(
    experiment: Experiment, setting: Setting, step: Step, plan: Plan, alike: set[Path]
) -> None:
    """The driver file of each other system must ask for the same clients and durability."""
    for other in experiment.systems:
        twin = step.driver.with_name(step.driver.name.replace(setting.system, other, 1))
        if other == setting.system or twin in alike:
            continue
        theirs = fairness.of_plan(setting.plans(step, twin)[0])
        names = (step.driver.name, twin.name)
        differ = fairness.differences(names, fairness.of_plan(plan), theirs)
        if differ:
            raise BadInput(f"the two systems' drivers are no fair pair: {'; '.join(differ)}")
        alike.add(twin)


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
            files = progress.files(each, each.steps(setting.form, setting.system))
            if setting.restart or state.stale(each.name, files) or _gone(state, each):
                state = state.without(each.name)
            if each.name in state.ended:
                click.echo("its runs were made today; --restart makes them anew")
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
    made = [run for runs in state.runs.get(experiment.name, {}).values() for run in runs]
    there = warehouse.connect().query(
        "SELECT count() FROM v_runs WHERE has({r:Array(String)}, run_id)", parameters={"r": made}
    )
    return int(there.result_rows[0][0]) < len(made)


def _keep(answer: Answer, setting: Setting) -> None:
    """Results stay beside the stack's state, with a page and a chart."""
    paths, client = setting.paths, warehouse.connect()
    kept = results.store(paths, answer, setting.form, setting.system, client, setting.exports)
    name = f"{setting.form}-{setting.system}-{answer.experiment.name}.md"
    page.one(results.folder(paths) / name, kept)
    click.echo(f"kept {results.folder(paths) / name}")


def _pair(runs: tuple[str, str]) -> None:
    client = warehouse.connect()
    names = resolve(client, runs[0]), resolve(client, runs[1])
    facts = []
    for run_id in names:
        text = client.query(
            "SELECT manifest FROM v_runs WHERE run_id = {r:String}", parameters={"r": run_id}
        ).result_rows[0][0]
        facts.append(fairness.of_run(json.loads(text)))
    differ = fairness.differences(names, facts[0], facts[1])
    for line in differ:
        click.echo(line)
    if differ:
        raise Failed(f"not to be compared: {len(differ)} differences")
    click.echo("may be compared: clients, drives and durability are alike")
