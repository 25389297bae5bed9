# SPDX-License-Identifier: Apache-2.0
"""Reads from stored runs the facts that must agree before two runs are compared."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.experiments import fairness
from tailrace.experiments.fairness import Facts
from tailrace.warehouse import select

MANIFEST = "SELECT manifest FROM v_runs WHERE run_id = {r:String}"
SETTINGS = "SELECT detail FROM v_run_events WHERE run_id = {r:String} AND kind = 'topic' AND name = 'settings'"


def stored_facts(client: Client, run_id: str) -> Facts:
    """The known facts about a stored run's clients, drives and durability."""
    reported = select(client, SETTINGS, r=run_id)
    return fairness.run_facts(manifest(client, run_id), json.loads(reported[0][0]) if reported else None)


def manifest(client: Client, run_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(select(client, MANIFEST, r=run_id)[0][0])
    return found


def verdict(names: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Whether two results may be compared, and every difference where not."""
    if not first or not second:
        return "not to be compared: nothing is known of their clients and drives"
    differ: Sequence[str] = fairness.differences(names, dict(first), dict(second))
    if differ:
        return f"not to be compared: {'; '.join(differ)}"
    return "may be compared: clients, drives and durability are alike"
