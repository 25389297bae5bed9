# SPDX-License-Identifier: Apache-2.0
"""Checks before an experiment's first run: it fits on this machine, and both systems get the same settings."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tailrace.errors import BadInput
from tailrace.experiments import fairness, filling, needs
from tailrace.experiments.execution import Options, key
from tailrace.experiments.experiment import Experiment, Step
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.stack.api import StackPaths, is_up


def plans(experiment: Experiment, options: Options, alike: set[Path]) -> dict[str, list[Plan]]:
    """The checked plans of each step: fair, and not too large for this machine.

    ``alike`` collects the other systems' driver files that were found fair, because each plan takes a second.
    """
    paths, found = options.paths, {}
    filled = experiment.filled(options.form)
    here = needs.machine(os.environ.get("TAILRACE_LOADGEN_HEAP"))
    try:
        if filled:
            needs.check_filled(filled, paths)
            filling.make_events(paths, experiment.folder, filled)
        for step in _steps(experiment, options):
            found[key(step)] = made = options.plans(step)
            _refuse_unfair(experiment, options, step, made[0], alike)
            needs.check(made, paths, here, is_up(paths))
            if note := needs.check_brokers_drives(made, paths):
                click.echo(f"note: {experiment.name}: {step.workload.name}: {note}")
    except BadInput as err:
        raise BadInput(f"{experiment.name}: {err}") from err
    drive = experiment.drive(options.form)
    if drive and not os.environ.get("TAILRACE_EXPERIMENTS_DRIVE") and _is_local(found, paths):
        needed = ", ".join(f"{name} {value}" for name, value in drive.items())
        click.echo(f"note: {experiment.name} needs a separate drive ({needed}): make experiments-small")
    return found


def _steps(experiment: Experiment, options: Options) -> list[Step]:
    """The steps that have brokers; prints those that are left out. Raises BadInput when none is left."""
    steps = options.steps(experiment)
    left = [key(s) for s in experiment.steps(options.form, options.system) if s not in steps]
    option = "--tls-bootstrap-servers" if options.tls is None else "--bootstrap-servers"
    if not steps:
        raise BadInput(f"none of its steps has brokers; give {option}")
    if left:
        click.echo(f"note: {experiment.name}: left out without {option}: {', '.join(left)}")
    return steps


def _is_local(plans: Mapping[str, Sequence[Plan]], paths: StackPaths) -> bool:
    return all(brokers_are_local(plan, paths) for each in plans.values() for plan in each)


def _refuse_unfair(experiment: Experiment, options: Options, step: Step, plan: Plan, alike: set[Path]) -> None:
    """The driver file of each other system must ask for the same clients and durability."""
    for other in experiment.systems:
        twin = step.driver.with_name(step.driver.name.replace(options.system, other, 1))
        if other == options.system or twin in alike:
            continue
        theirs = fairness.plan_facts(options.plans(step, twin)[0])
        names = (step.driver.name, twin.name)
        differ = fairness.differences(names, fairness.plan_facts(plan), theirs)
        if differ:
            raise BadInput(f"the two systems' drivers differ: {'; '.join(differ)}")
        alike.add(twin)
