# SPDX-License-Identifier: Apache-2.0
"""One experiment from its preparation to its verdicts."""

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
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.runs.workers import Workers
from tailrace.stack.api import StackPaths, broker_facts, one_run

Say = Callable[[str], None]
Row = dict[str, Any]
UNJUDGED = "runs_left_out"


@dataclass(frozen=True)
class Options:
    """The options of one call, for all experiments. ``limit_mb_per_s``: the drives' write limit, if the user gave it.
    ``exports``: the folder into which judged runs are exported, without the tables ``left_out``. ``tls``: access for
    steps that use TLS."""

    paths: StackPaths
    form: str
    system: str
    servers: str | None
    workers: Workers
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
        """Whether the broker's log is on a drive that the fault lab created for it."""
        return bool(os.environ.get("TAILRACE_EXPERIMENTS_DRIVE"))

    @property
    def where(self) -> str:
        """Brokers, workers and drive: runs made with others do not count."""
        tls_servers = self.tls.servers if self.tls else None
        return repr((self.servers, tls_servers, self.workers.count, self.limit_mb_per_s, self.own_drive))

    def inputs(self, step: Step, driver: Path | None = None) -> Inputs:
        file = driver or step.driver
        if not step.tls:
            return Inputs(step.workload, file, None, self.servers)
        access = self.tls or tls.local(self.paths)
        made = tls.driver(self.paths, file, access)
        return Inputs(step.workload, made, None, access.servers)

    def steps(self, experiment: Experiment) -> list[Step]:
        """The steps that have brokers: a cluster on other hosts may listen with or without TLS only."""
        here = self.servers is None and self.tls is None
        return [
            step
            for step in experiment.steps(self.form, self.system)
            if here or (self.tls is not None if step.tls else self.servers is not None)
        ]

    def plans(self, step: Step, driver: Path | None = None) -> list[Plan]:
        """The plans of a step, or those that it would have with another driver file."""
        return loadgen.plans(self.paths, self.inputs(step, driver), self.workers.count)


@dataclass(frozen=True)
class Outcome:
    """``rows`` of the verdict query, the rows of the experiment's ``table``, and the runs that they come from.

    ``unjudged``: ``run_id`` and ``reason`` of the runs that may not be judged. ``drive``: the settings of the drive
    that was created for the broker's log; empty for the machine's own drive.
    """

    experiment: Experiment
    runs: Sequence[str]
    rows: Sequence[Row]
    table: Sequence[Row]
    unjudged: Sequence[Row] = ()
    drive: Mapping[str, Any] = field(default_factory=dict)


def execute(
    experiment: Experiment,
    plans: Mapping[str, Sequence[Plan]],
    options: Options,
    progress: Progress,
    out: TextIO,
    say: Say,
) -> tuple[Outcome, Progress]:
    """Make the runs that are not done yet and compute the verdicts; ``plans`` are by step. The stack must be up."""
    paths, form = options.paths, options.form
    steps = options.steps(experiment)
    filled = experiment.filled(form)
    missing = [step for step in steps if progress.done(experiment.name, key(step)) is None]
    judged: list[str] = []
    with one_run(paths, f"of experiment {experiment.name}"):
        if filled and any(step.fills for step in missing):
            # Existing topics hold messages of an interrupted fill, so all of it is repeated.
            progress = progress.emptied(experiment.name)
            filling.make_topics(paths, experiment.folder, filled, options.brokers)
        known = progress.measured.get(experiment.name)
        if known is None and not filled:
            known = _limit(experiment, plans, options, say)
            progress = progress.with_measured(experiment.name, known)
        for step in steps:
            made = progress.done(experiment.name, key(step))
            if made is None:
                if filled and not step.fills and known is None:
                    records = filling.records_file(paths, filled)
                    say("baselines: wc, cat | wc, kcat, librdkafka")
                    measured = baselines.measure(records, experiment.folder, filled.topics, options.brokers, say)
                    known = {"name": experiment.name, "form": form, "baselines": measured}
                    progress = progress.with_measured(experiment.name, known)
                made = _runs(step, plans[key(step)], options, known, out, say)
                progress = progress.finished(experiment.name, key(step), made)
            if not step.fills:
                judged += made
        if filled and missing:
            filling.delete_topics(paths, experiment.folder, filled, options.brokers)
    client = warehouse.connect()
    verdict = ask(client, experiment.verdict, judged)
    table = ask(client, experiment.table, judged) if experiment.table else []
    unjudged = ask(client, UNJUDGED, judged)
    drive = experiment.drive(form) if options.own_drive else {}
    return Outcome(experiment, judged, verdict, table, unjudged, drive), progress


def key(step: Step) -> str:
    """A step's name in the progress file: workload and driver file."""
    return f"{step.workload.name} {step.driver.name}"


def ask(client: Client, query: str, runs: Sequence[str]) -> list[Row]:
    """The query's rows for these runs."""
    return rows(client, query, runs=",".join(runs))


def _limit(experiment: Experiment, plans: Mapping[str, Sequence[Plan]], options: Options, say: Say) -> Row:
    known: Row = {"name": experiment.name, "form": options.form}
    if not experiment.drive_limit:
        return known
    if options.limit_mb_per_s is not None:
        return {**known, "drive_limit_mb_per_s": options.limit_mb_per_s, "measured_by": "given"}
    if not all(brokers_are_local(plan, options.paths) for each in plans.values() for plan in each):
        say("note: the drives are on other hosts: without --drive-limit there is no verdict")
        return known
    folder = Path(broker_facts(options.paths)[0]["log_dirs"][0])
    limit, means = drive_limit.measured_mb_per_s(folder)
    say(f"the drive under {folder} writes {limit:,.1f} MB/s without a broker, measured by {means}")
    return {**known, "drive_limit_mb_per_s": round(limit, 3), "measured_by": means}


def _runs(
    step: Step, plans: Sequence[Plan], options: Options, known: Mapping[str, Any] | None, out: TextIO, say: Say
) -> list[str]:
    say(f"\n{step.workload.parent.name}/{step.workload.name}: {len(plans)} runs")
    whole = campaign.Campaign(options.inputs(step), plans, options.with_report, options.workers, experiment=known)
    # A fill always starts again: after an interruption its topics are empty.
    outcome = campaign.run_all(whole, options.restart or step.fills, out, say)
    if not outcome.runs:
        raise BadInput(f"{step.workload}: it has no run")
    return list(outcome.runs)
