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
from tailrace.seeds import fairness, filling, needs, page, progress, show
from tailrace.seeds.conduct import Answer, Setting, conduct, key
from tailrace.seeds.experiment import FULL, SMALL, SYSTEMS, Experiment, Step, chosen, published
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
    help="Write the verdicts as a Markdown page, a chart beside it.",
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
    pair: tuple[str, str] | None,
) -> None:
    """Rerun published experiments NAME, or all, and print their verdicts.

    What an experiment needs of disk, memory and brokers is worked out from its plans before the
    first run begins. Starts the stack when it is not up, and stops it then. Ended early, by Ctrl-C
    or a crash, the same call goes on where it was.

    A verdict is holds, does not hold or cannot tell; authors is what was published of that system.
    The last line counts verdicts; an experiment may have several.

    \b
    Examples:
      tailrace seeds --list
      tailrace seeds 6-backlog --small
      tailrace seeds 2-long-run --bootstrap-servers broker1:9092
      tailrace seeds --system redpanda --bootstrap-servers rp1:9092 6-backlog
      tailrace seeds --pair kafka-run redpanda-run
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
    form = SMALL if small else FULL
    if not names:
        experiments = [each for each in experiments if system in each.systems]
    for each in experiments:
        if system not in each.systems:
            raise BadInput(f"{each.name}: an experiment on {', '.join(each.systems)} only")
    if system != SYSTEMS[0] and bootstrap_servers is None:
        raise BadInput(f"--system {system}: the stack has none; give --bootstrap-servers")
    part = parts(workers, None, None, None)
    setting = Setting(paths, form, system, bootstrap_servers, part, drive_limit, reports, restart)
    alike: set[Path] = set()
    plans = {each.name: _plans(each, setting, alike) for each in experiments}
    answers = _all(experiments, plans, setting)
    click.echo("")
    show.verdicts(answers, sys.stdout)
    if page_file is not None:
        page.write(page_file, answers, warehouse.connect())
        click.echo(f"page {page_file}")
    click.echo(show.result_line(len(experiments), answers))


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
    for each in experiments if setting.restart else []:
        state = state.without(each.name)
    answers = []
    started = up(paths, click.echo)
    try:
        for each in experiments:
            click.echo(f"\n== {each.name}: {each.claim}")
            answer, state = conduct(each, plans[each.name], setting, state, sys.stdout, click.echo)
            show.numbers(answer, sys.stdout)
            answers.append(answer)
    finally:
        if started:
            for line in down(paths, click.echo):
                click.echo(line)
    # All that was asked for is done: the same call again makes it anew.
    for each in experiments:
        state = state.without(each.name)
    return answers


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
