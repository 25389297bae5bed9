# SPDX-License-Identifier: Apache-2.0
"""Starts the load generators of one run on this host and waits for them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import click

from tailrace.errors import BadInput, Failed
from tailrace.runs import clockoffset, loadgen, spools
from tailrace.runs.hostclock import host_clock
from tailrace.runs.prepared import Prepared
from tailrace.runs.process import INTERRUPTED, LoadGenerator, run_all
from tailrace.runs.workers import Workers
from tailrace.stack.api import MARK, Endpoints

LOG = "loadgen.log"
# Exists while the run's topics exist.
TOPICS = "topics.json"
Say = Callable[[str], None]


def generate(run: Prepared, endpoints: Endpoints, folder: Path, say: Say) -> int:
    """Run this host's workers until they end; the worst of their exit codes.

    Measures this host's clock against the warehouse's before and after.
    """
    before = clockoffset.attempt(endpoints, say)
    workers = run.workers.ready()
    generators = {worker: _generator(run, workers, worker, endpoints, folder, say) for worker in workers.mine}
    codes = dict(zip(generators, run_all(list(generators.values())), strict=True))
    for worker, code in codes.items():
        if code not in (0, INTERRUPTED):
            for line in generators[worker].stderr_tail:
                click.echo(_named(run.workers, worker, line), err=True)
    after = clockoffset.attempt(endpoints, say) if before else None
    measured = ((clockoffset.START, before), (clockoffset.END, after))
    clockoffset.keep(endpoints, run.run_id, run.workers.mine, measured, say)
    if run.workers.count > 1:
        _ship_spools(run, endpoints, folder, say)
    for worker in run.workers.mine:
        spool = run.workers.file(folder, spools.FOLDER, worker)
        if spools.is_spool(spool):
            click.echo(f"not everything is stored; later: tailrace ship {spool}", err=True)
    return _worst(list(codes.values()))


def _generator(
    run: Prepared, workers: Workers, worker: int, endpoints: Endpoints, folder: Path, say: Say
) -> LoadGenerator:
    summary, spool = (run.workers.file(folder, name, worker) for name in ("summary.json", spools.FOLDER))
    command = [*loadgen.command(run.paths), "run", *run.inputs.arguments(run.paths), "--run-id", run.run_id]
    command += [*workers.arguments(worker), "--otlp-endpoint", endpoints.otlp_url]
    command += ["--summary", str(summary), "--spool", str(spool), "--host-clock", json.dumps(host_clock())]
    command += _topic_files(run, worker, folder)
    # `tailrace down` finds it by the stack's mark, also when this command has ended.
    env = os.environ | {MARK: str(run.paths.state)} | workers.environment()
    log = run.workers.file(folder, LOG, worker)
    return LoadGenerator(command, log, lambda line: say(_named(run.workers, worker, line)), env)


def _topic_files(run: Prepared, worker: int, folder: Path) -> list[str]:
    """The file in which worker 0 lists its topics, and the lists of earlier runs' topics that it deletes."""
    if worker > 0:
        return []
    own = folder / TOPICS
    left = [file for file in sorted(run.paths.runs.glob(f"*/{TOPICS}")) if file != own]
    return ["--topic-note", str(own), *(word for file in left for word in ("--topics-left", str(file)))]


def _named(workers: Workers, worker: int, line: str) -> str:
    return line if workers.count == 1 else f"[{worker}] {line}"


def _ship_spools(run: Prepared, endpoints: Endpoints, folder: Path, say: Say) -> None:
    """Ship the spool of a worker that was killed, after the other workers have ended."""
    for worker in run.workers.mine:
        spool = run.workers.file(folder, spools.FOLDER, worker)
        if spools.is_spool(spool):
            say(f"worker {worker} left a spool: shipping it")
            spools.ship(run.paths, spool, endpoints.otlp_url, say, spools.PATIENCE_S)


def _worst(codes: list[int]) -> int:
    if INTERRUPTED in codes:
        return INTERRUPTED
    if set(codes) == {BadInput.exit_code}:
        return BadInput.exit_code
    # A process that a signal ended has a negative code: exit with 1 instead.
    return Failed.exit_code if any(codes) else 0
