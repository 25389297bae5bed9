# SPDX-License-Identifier: Apache-2.0
"""The first step of a run: its input is checked before anything is started."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from tailrace.runs import loadgen, planning
from tailrace.runs.disk import check_disk
from tailrace.runs.workers import Workers
from tailrace.stack.api import StackPaths

ALONE = Workers()


@dataclass(frozen=True)
class Prepared:
    """A run whose input has been checked."""

    paths: StackPaths
    inputs: loadgen.Inputs
    plan: planning.Plan
    run_id: str
    with_report: bool
    workers: Workers
    campaign: Mapping[str, Any] | None = None
    experiment: Mapping[str, Any] | None = None


def prepare(
    inputs: loadgen.Inputs,
    run_id: str | None,
    with_report: bool,
    workers: Workers = ALONE,
    campaign: Mapping[str, Any] | None = None,
    plan: planning.Plan | None = None,
    experiment: Mapping[str, Any] | None = None,
    paths: StackPaths | None = None,
) -> Prepared:
    """Check files, flags and disk before anything is started. Exit code 2 when one is wrong.

    ``campaign`` names the campaign and the run's place in it, ``experiment`` what was measured before it; both become
    part of the manifest. ``plan`` is given where it is known already: making it starts a JVM. ``paths``: those of a
    stack that is not up yet.
    """
    paths = paths or StackPaths.load()
    plan = plan or loadgen.plan(paths, inputs, workers.count)
    name = planning.new_run_id(plan, run_id)
    check_disk(plan, paths, click.echo)
    plan = planning.for_run(plan, name, workers.count)
    return Prepared(paths, inputs, plan, name, with_report, workers, campaign, experiment)
