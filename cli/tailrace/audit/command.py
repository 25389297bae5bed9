# SPDX-License-Identifier: Apache-2.0
"""``tailrace audit``: checks that every message of a run is stored."""

import sys
from typing import TextIO

import click
from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit.checks import check
from tailrace.audit.inputs import read_inputs
from tailrace.audit.partial import without_messages
from tailrace.audit.text import show
from tailrace.audit.verdict import Verdict
from tailrace.errors import BadInput
from tailrace.lookup import resolve
from tailrace.options import RUN_OR_LAST


@click.command()
@RUN_OR_LAST
def audit(run_id: str) -> None:
    """Check that all messages that RUN (default: last) counted are stored, and all acked were received.

    Where a log lost messages, or no group reads a topic, the log's own start and end decide; a workload's
    audit: {reread: all} also reads the messages again. A run that failed never passes. The notes state what
    was allowed, and what could not be checked message by message. If several brokers led partitions, a table
    shows the counts by the leader at the time.

    \b
    Exit status: 0 when every number agrees, 1 when one differs or the run failed, 2 for an unknown run.
    Examples:
      tailrace audit
      tailrace audit demo-20260101-120000-a1b2
    """
    client = warehouse.connect()
    verdict = audit_run(client, resolve(client, run_id), sys.stdout)
    if not verdict.passed:
        raise SystemExit(1)


def audit_run(client: Client, run_id: str, out: TextIO) -> Verdict:
    """Audit a run, print it to ``out`` and store the verdict with the run.

    Raises BadInput for a run that was imported without its messages: the audit would report them as lost.
    """
    if without_messages(client, run_id):
        raise BadInput(
            f"run {run_id} was imported without its messages: its exported verdict stays; see tailrace runs list"
        )
    inputs = read_inputs(client, run_id)
    verdict = check(inputs)
    show(inputs, verdict, out)
    _store(client, verdict)
    return verdict


def _store(client: Client, verdict: Verdict) -> None:
    """Write a new version of the run's row with the verdict as its ``audit``."""
    client.command(
        "INSERT INTO runs (run_id, workload_name, driver_name, state, started_time, finished_time,"
        " seed, workers, workload, driver, manifest, audit, updated_time)"
        " SELECT run_id, workload_name, driver_name, state, started_time, finished_time,"
        " seed, workers, workload, driver, manifest, {audit:String},"
        # Newer than the version that it replaces, even if this machine's clock was set back.
        " greatest(now64(6, 'UTC'), updated_time + toIntervalMicrosecond(1))"
        " FROM runs FINAL WHERE run_id = {run_id:String}",
        parameters={"run_id": verdict.run_id, "audit": verdict.to_json()},
    )
