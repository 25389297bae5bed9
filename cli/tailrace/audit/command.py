# SPDX-License-Identifier: Apache-2.0
"""``tailrace audit``: is every message of a run there?"""

import sys
from typing import TextIO

import click
from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit.evidence import gather
from tailrace.audit.judge import judge
from tailrace.audit.partial import without_messages
from tailrace.audit.show import show
from tailrace.audit.store import store
from tailrace.audit.verdict import Verdict
from tailrace.errors import BadInput
from tailrace.lookup import LAST, resolve


@click.command()
@click.argument("run_id", metavar="[RUN]", default=LAST)
def audit(run_id: str) -> None:
    """Check that everything RUN (default: last) counted is stored, and all acked was received.

    \b
    Exit status: 0 when every number agrees, 1 when one differs (it is named), 2 for an unknown run.
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

    Raises BadInput for one that is here without its messages: it would be judged to have lost them.
    """
    if without_messages(client, run_id):
        raise BadInput(
            f"run {run_id} was imported without its messages: the verdict it came with stays, see tailrace runs list"
        )
    evidence = gather(client, run_id)
    verdict = judge(evidence)
    show(evidence, verdict, out)
    store(client, verdict)
    return verdict
