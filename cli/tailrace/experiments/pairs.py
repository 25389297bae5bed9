# SPDX-License-Identifier: Apache-2.0
"""Runs that are stored, as far as two of them must be alike to be compared."""

import json
from collections.abc import Mapping, Sequence

from clickhouse_connect.driver.client import Client

from tailrace.experiments import fairness
from tailrace.experiments.fairness import Facts

MANIFEST = "SELECT manifest FROM v_runs WHERE run_id = {r:String}"
SETTINGS = "SELECT detail FROM v_run_events WHERE run_id = {r:String} AND kind = 'topic' AND name = 'settings'"


def of_stored(client: Client, run_id: str) -> Facts:
    """What is known of a run's clients, drives and durability. The run must be stored."""
    given = {"r": run_id}
    manifest = json.loads(client.query(MANIFEST, parameters=given).result_rows[0][0])
    told = client.query(SETTINGS, parameters=given).result_rows
    return fairness.of_run(manifest, json.loads(told[0][0]) if told else None)


def verdict(names: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Whether two results may be compared, and every difference where not."""
    if not first or not second:
        return "not to be compared: nothing is known of their clients and drives"
    differ: Sequence[str] = fairness.differences(names, dict(first), dict(second))
    if differ:
        return f"not to be compared: {'; '.join(differ)}"
    return "may be compared: clients, drives and durability are alike"
