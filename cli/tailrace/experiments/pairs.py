# SPDX-License-Identifier: Apache-2.0
"""Reads from stored runs the facts that must agree before two runs are compared."""

import json
from collections.abc import Mapping, Sequence

from clickhouse_connect.driver.client import Client

from tailrace.experiments import fairness
from tailrace.experiments.fairness import Facts

MANIFEST = "SELECT manifest FROM v_runs WHERE run_id = {r:String}"
SETTINGS = "SELECT detail FROM v_run_events WHERE run_id = {r:String} AND kind = 'topic' AND name = 'settings'"


def stored_facts(client: Client, run_id: str) -> Facts:
    """The known facts about a stored run's clients, drives and durability."""
    parameters = {"r": run_id}
    manifest = json.loads(client.query(MANIFEST, parameters=parameters).result_rows[0][0])
    reported = client.query(SETTINGS, parameters=parameters).result_rows
    return fairness.run_facts(manifest, json.loads(reported[0][0]) if reported else None)


def verdict(names: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Whether two results may be compared, and every difference where not."""
    if not first or not second:
        return "not to be compared: nothing is known of their clients and drives"
    differ: Sequence[str] = fairness.differences(names, dict(first), dict(second))
    if differ:
        return f"not to be compared: {'; '.join(differ)}"
    return "may be compared: clients, drives and durability are alike"
