# SPDX-License-Identifier: Apache-2.0
"""What must be true of an experiment before a run: it fits, both systems are asked alike."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tailrace.errors import BadInput
from tailrace.experiments import fairness, filling, needs
from tailrace.experiments.conduct import Setting, key
from tailrace.experiments.experiment import Experiment, Step
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.stack.api import StackPaths, is_up


def plans(experiment: Experiment, setting: Setting, alike: set[Path]) -> dict[str, list[Plan]]:
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
        for step in _steps(experiment, setting):
            found[key(step)] = made = setting.plans(step)
            _refuse_unfair(experiment, setting, step, made[0], alike)
            needs.check(made, paths, here, is_up(paths))
            if note := needs.check_brokers_drives(made, paths):
                click.echo(f"note: {experiment.name}: {step.workload.name}: {note}")
    except BadInput as err:
        raise BadInput(f"{experiment.name}: {err}") from err
    drive = experiment.drive(setting.form)
    if drive and not os.environ.get("TAILRACE_SEEDS_DRIVE") and _is_local(found, paths):
        wants = ", ".join(f"{name} {value}" for name, value in drive.items())
        click.echo(f"note: {experiment.name} wants a drive of its own ({wants}): make experiments-small")
    return found


def _steps(experiment: Experiment, setting: Setting) -> list[Step]:
    """The steps that can be made; what is left out is told. Raises BadInput when none is left."""
    steps = setting.steps(experiment)
    left = [key(s) for s in experiment.steps(setting.form, setting.system) if s not in steps]
    option = "--tls-bootstrap-servers" if setting.tls is None else "--bootstrap-servers"
    if not steps:
        raise BadInput(f"no step of it can be made; give {option}")
    if left:
        click.echo(f"note: {experiment.name}: without {option} not made: {', '.join(left)}")
    return steps


def _is_local(plans: Mapping[str, Sequence[Plan]], paths: StackPaths) -> bool:
    return all(brokers_are_local(plan, paths) for each in plans.values() for plan in each)


def _refuse_unfair(experiment: Experiment, setting: Setting, step: Step, plan: Plan, alike: set[Path]) -> None:
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
