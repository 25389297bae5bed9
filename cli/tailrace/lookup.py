# SPDX-License-Identifier: Apache-2.0
"""Finds the run that a user names."""

from clickhouse_connect.driver.client import Client

from tailrace.errors import BadInput
from tailrace.nearest import nearest
from tailrace.warehouse import select

LAST = "last"
# State of a run that never began because its input was bad. It has no rows.
REJECTED = "rejected"


def resolve(client: Client, wanted: str = LAST) -> str:
    """The run_id that ``wanted`` names; ``last`` is the run that started last, without rejected runs.

    Raises BadInput with the nearest names if there is no such run.
    """
    if wanted == LAST:
        newest = (
            "SELECT run_id FROM v_runs WHERE state != {rejected:String} ORDER BY started_time DESC, run_id DESC LIMIT 1"
        )
        rows = select(client, newest, rejected=REJECTED)
        if not rows:
            raise BadInput("no run is stored yet; make one: tailrace run workloads/smoke.yaml")
        return str(rows[0][0])
    if exists(client, wanted):
        return wanted
    known = [str(row[0]) for row in select(client, "SELECT run_id FROM v_runs ORDER BY started_time DESC LIMIT 1000")]
    if not known:
        raise BadInput(f"no run '{wanted}': no run is stored yet (tailrace query runs)")
    close = nearest(wanted, known) or known[:3]
    raise BadInput(f"no run '{wanted}'; nearest: {', '.join(close)} (tailrace query runs)")


def exists(client: Client, run_id: str) -> bool:
    """Whether the warehouse has the run."""
    return bool(select(client, "SELECT count() FROM v_runs WHERE run_id = {run_id:String}", run_id=run_id)[0][0])
