# SPDX-License-Identifier: Apache-2.0
"""One experiment from its preparation to the answer of its verdict query."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.experiments import baselines, drive_limit, filling, tls
from tailrace.experiments.experiment import Experiment, Step
from tailrace.experiments.progress import Progress
from tailrace.experiments.tls import Access
from tailrace.queries.ask import rows
from tailrace.runs import campaign, loadgen
from tailrace.runs.loadgen import Inputs
from tailrace.runs.parts import Parts
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.stack.api import StackPaths, broker_facts, one_run

Say = Callable[[str], None]
Row = dict[str, Any]
UNJUDGED = "runs_left_out"


@dataclass(frozen=True)
class Setting:
    """What holds for all experiments of a call; ``limit_mb_per_s`` is the drives' own, if told;
    runs that are judged are exported into ``exports``, but for the tables ``left_out``; steps over
    TLS go by ``tls``."""

    paths: StackPaths
    form: str
    system: str
    servers: str | None
    parts: Parts
    limit_mb_per_s: float | None
    with_report: bool
    restart: bool = False
    exports: Path | None = None
    tls: Access | None = None
    left_out: Sequence[str] = ()

    @property
    def brokers(self) -> str:
        return self.servers or loadgen.local_servers(self.paths)

    @property
    def own_drive(self) -> bool:
        """Whether the broker's log lies on a drive made for it, as the fault lab says."""
        return bool(os.environ.get("TAILRACE_SEEDS_DRIVE"))

    @property
    def where(self) -> str:
        """Brokers, workers and drive, as what was made on others is not made here."""
        tls_servers = self.tls.servers if self.tls else None
        return repr((self.servers, tls_servers, self.parts.workers, self.limit_mb_per_s, self.own_drive))

    def inputs(self, step: Step, driver: Path | None = None) -> Inputs:
        file = driver or step.driver
        if not step.tls:
            return Inputs(step.workload, file, None, self.servers)
        access = self.tls or tls.local(self.paths)
        made = tls.driver(self.paths, file, access)
        return Inputs(step.workload, made, None, access.servers)

    def steps(self, experiment: Experiment) -> list[Step]:
        """Those that there are brokers for: elsewhere, not every cluster listens in both ways."""
        here = self.servers is None and self.tls is None
        return [
            step
            for step in experiment.steps(self.form, self.system)
            if here or (self.tls is not None if step.tls else self.servers is not None)
        ]

    def plans(self, step: Step, driver: Path | None = None) -> list[Plan]:
        """The plans of a step; with another driver file, those that it would have."""
        return loadgen.plans(self.paths, self.inputs(step, driver), self.parts.workers)


@dataclass(frozen=True)
class Answer:
    """``rows`` of the verdict query and of the table beside it, and the runs they are made from.

    ``unjudged``: ``run_id`` and ``reason`` of those runs that may not be judged; ``drive``: what
    the drive under the broker's log was made like, empty where that is the machine's own.
    """

    experiment: Experiment
    runs: Sequence[str]
    rows: Sequence[Row]
    table: Sequence[Row]
    unjudged: Sequence[Row] = ()
    drive: Mapping[str, Any] = field(default_factory=dict)


def conduct(
    experiment: Experiment,
    plans: Mapping[str, Sequence[Plan]],
    setting: Setting,
    progress: Progress,
    out: TextIO,
    say: Say,
) -> tuple[Answer, Progress]:
    """Make the runs that are not made yet; ``plans`` are by workload file. The stack must be up."""
    paths, form = setting.paths, setting.form
    steps = setting.steps(experiment)
    filled = experiment.filled(form)
    missing = [step for step in steps if progress.done(experiment.name, key(step)) is None]
    judged: list[str] = []
    with one_run(paths, f"of experiment {experiment.name}"):
        if filled and any(step.fills for step in missing):
            # Topics that are there hold what an ended fill has left: all of it is made anew.
            progress = progress.emptied(experiment.name)
            filling.make_topics(paths, experiment.folder, filled, setting.brokers)
        known = progress.measured.get(experiment.name)
        if known is None and not filled:
            known = _limit(experiment, plans, setting, say)
            progress = progress.knowing(experiment.name, known)
        for step in steps:
            made = progress.done(experiment.name, key(step))
            if made is None:
                if filled and not step.fills and known is None:
                    records = filling.records_file(paths, filled)
                    say("baselines: wc, cat | wc, kcat, librdkafka")
                    measured = baselines.measure(records, experiment.folder, filled.topics, setting.brokers, say)
                    known = {"name": experiment.name, "form": form, "baselines": measured}
                    progress = progress.knowing(experiment.name, known)
                made = _runs(step, plans[key(step)], setting, known, out, say)
                progress = progress.finished(experiment.name, key(step), made)
            if not step.fills:
                judged += made
        if filled and missing:
            filling.delete_topics(paths, experiment.folder, filled, setting.brokers)
    client = warehouse.connect()
    verdict = ask(client, experiment.verdict, judged)
    table = ask(client, experiment.table, judged) if experiment.table else []
    unjudged = ask(client, UNJUDGED, judged)
    drive = experiment.drive(form) if setting.own_drive else {}
    return Answer(experiment, judged, verdict, table, unjudged, drive), progress


def key(step: Step) -> str:
    """A step's name in the progress: workload and driver file."""
    return f"{step.workload.name} {step.driver.name}"


def ask(client: Client, query: str, runs: Sequence[str]) -> list[Row]:
    """The query's rows for these runs."""
    return rows(client, query, runs=",".join(runs))


def _limit(experiment: Experiment, plans: Mapping[str, Sequence[Plan]], setting: Setting, say: Say) -> Row:
    known: Row = {"name": experiment.name, "form": setting.form}
    if not experiment.drive_limit:
        return known
    if setting.limit_mb_per_s is not None:
        return {**known, "drive_limit_mb_per_s": setting.limit_mb_per_s, "measured_by": "given"}
    if not all(brokers_are_local(plan, setting.paths) for each in plans.values() for plan in each):
        say("note: other hosts' drives: without their own limit (--drive-limit) no verdict is told")
        return known
    folder = Path(broker_facts(setting.paths)[0]["log_dirs"][0])
    limit, means = drive_limit.measured_mb_per_s(folder)
    say(f"the drive under {folder} writes {limit:,.1f} MB/s by itself, by {means}")
    return {**known, "drive_limit_mb_per_s": round(limit, 3), "measured_by": means}


def _runs(
    step: Step,
    plans: Sequence[Plan],
    setting: Setting,
    known: Mapping[str, Any] | None,
    out: TextIO,
    say: Say,
) -> list[str]:
    say(f"\n{step.workload.parent.name}/{step.workload.name}: {len(plans)} runs")
    whole = campaign.Campaign(setting.inputs(step), plans, setting.with_report, setting.parts, experiment=known)
    # Runs of a fill that was ended are of topics that are empty again.
    outcome = campaign.conduct(whole, setting.restart or step.fills, out, say)
    if not outcome.runs:
        raise BadInput(f"{step.workload}: it makes no run")
    return list(outcome.runs)
