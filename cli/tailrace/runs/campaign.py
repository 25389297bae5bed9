# SPDX-License-Identifier: Apache-2.0
"""A campaign: one run per point of a workload file (``vary``), each repeated ``repeat`` times."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

import click

from tailrace.errors import BadInput, Failed
from tailrace.queries.render import show as show_table
from tailrace.runs import campaign_state, summary
from tailrace.runs.campaign_state import EndedRun, State
from tailrace.runs.disk import check_disk
from tailrace.runs.flow import RunOutcome, execute
from tailrace.runs.loadgen import Inputs
from tailrace.runs.planning import Plan
from tailrace.runs.prepared import prepare
from tailrace.runs.process import INTERRUPTED
from tailrace.runs.workers import Workers
from tailrace.stack.api import StackPaths

Say = Callable[[str], None]


@dataclass(frozen=True)
class Campaign:
    """What to run: the plan of each point. The runs' ids start with ``name``, or with a generated name.

    ``experiment``: facts about the experiment that the runs belong to, for their manifests.
    """

    inputs: Inputs
    plans: Sequence[Plan]
    with_report: bool
    workers: Workers
    name: str | None = None
    experiment: Mapping[str, Any] | None = None

    @property
    def repeats(self) -> int:
        return max(int(plan["repeat"]) for plan in self.plans)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """(point, repeat) of each run: every point runs once before any point repeats."""
        return [
            (point, repeat)
            for repeat in range(self.repeats)
            for point, plan in enumerate(self.plans)
            if repeat < int(plan["repeat"])
        ]


def is_campaign(plans: Sequence[Plan]) -> bool:
    """Whether the files specify more than one run."""
    return len(plans) > 1 or int(plans[0]["repeat"]) > 1


def run_all(campaign: Campaign, restart: bool, out: TextIO, say: Say = click.echo) -> RunOutcome:
    """Execute all runs that are not done yet, then show one table of all.

    A failed run does not end the campaign. An interrupted one does, and the next call repeats it. The exit code is 1
    when any run's exit code was not 0.
    """
    paths = StackPaths.load()
    if restart:
        campaign_state.forget(paths, campaign.inputs)
    # Check every run before the first one fills the drive.
    for plan in campaign.plans:
        check_disk(plan, paths)
    state = campaign_state.load(paths, campaign.inputs, campaign.plans[0], campaign.name)
    total = len(campaign.runs)
    if state.done:
        say(f"campaign {state.name}: {len(state.done)} of {total} runs are done already")
    for number, (point, repeat) in enumerate(campaign.runs, start=1):
        if state.find(point, repeat):
            continue
        say(f"\nrun {number} of {total}{_values(campaign.plans[point])}")
        state = _one(campaign, state, point, repeat, say)
    out.write("\n")
    _table(campaign, state, out)
    if sides := campaign_state.sides(state):
        out.write(f"\nwhether they differ: tailrace compare {' '.join(sides)}\n")
    # The campaign is complete: the next call with the same files starts a new one.
    campaign_state.forget(paths, campaign.inputs)
    failed = [done for done in state.done if done.code]
    code = Failed.exit_code if failed else 0
    line = f"RESULT campaign={state.name} runs={total} failed={len(failed)}"
    return RunOutcome(code, line, runs=tuple(done.run_id for done in state.done))


def _one(campaign: Campaign, state: State, point: int, repeat: int, say: Say) -> State:
    plan = campaign.plans[point]
    state = state.with_next_try()
    run_id = f"{state.name}-{state.tries}"
    position = {"name": state.name, "point": point, "repeat": repeat, "values": plan["varied"]}
    first = campaign.inputs.point or 0
    inputs = replace(campaign.inputs, point=first + point)
    prepared = prepare(inputs, run_id, campaign.with_report, campaign.workers, position, experiment=campaign.experiment)
    try:
        outcome = execute(prepared, say)
    except SystemExit as err:  # the load generator has printed what is wrong with its input
        raise BadInput(f"campaign {state.name}: run {run_id} could not start") from err
    say(outcome.result)
    if outcome.code == INTERRUPTED:
        say(f"campaign {state.name}: ended early; the same command continues it")
        raise KeyboardInterrupt
    return state.finished(EndedRun(point, repeat, run_id, outcome.code, outcome.row))


def _values(plan: Plan) -> str:
    values = ", ".join(f"{field} {value}" for field, value in plan["varied"].items())
    return f": {values}" if values else ""


def _table(campaign: Campaign, state: State, out: TextIO) -> None:
    fields = list(campaign.plans[0]["varied"])
    columns = ["audit", *summary.COLUMNS, "slo"]
    rows = [
        [
            *campaign.plans[done.point]["varied"].values(),
            *([done.repeat] if campaign.repeats > 1 else []),
            *(done.row.get(column) for column in columns),
            done.run_id,
        ]
        for done in sorted(state.done, key=lambda done: (done.point, done.repeat))
    ]
    repeat = ["repeat"] if campaign.repeats > 1 else []
    show_table([*fields, *repeat, *columns, "run"], rows, out)
