# SPDX-License-Identifier: Apache-2.0
"""A run's first row: what it was asked to do, with which files and versions, on which host."""

import json
from datetime import UTC, datetime

from clickhouse_connect.driver.client import Client

from tailrace.runs import facts, loadgen, planning, store
from tailrace.runs.prepared import Prepared
from tailrace.runs.redact import redact
from tailrace.stack.api import broker_facts, told_brokers


def first_row(prepared: Prepared, client: Client) -> store.RunRow:
    """The row in state running."""
    plan, inputs = prepared.plan, prepared.inputs
    local = planning.brokers_are_local(plan, prepared.paths)
    manifest = {
        "plan": plan,
        "versions": facts.versions(prepared.paths, client, loadgen.java(), local),
        "host": facts.host_facts(),
        "client_jvm": loadgen.jvm_options(),
        "brokers": broker_facts(prepared.paths) if local else told_brokers(),
        "command": inputs.command_line(prepared.paths.root),
    }
    if prepared.campaign is not None:
        manifest["campaign"] = prepared.campaign
    if prepared.experiment is not None:
        manifest["experiment"] = prepared.experiment
    now = datetime.now(UTC)
    return store.RunRow(
        run_id=prepared.run_id,
        workload_name=str(plan["workload"]),
        driver_name=str(plan["driver"]),
        state="running",
        started_time=now,
        finished_time=store.EPOCH,
        seed=int(plan["seed"]) % 2**64,
        workers=int(plan["workers"]),
        workload=redact(inputs.workload.read_text(encoding="utf-8")),
        driver=redact(inputs.driver.read_text(encoding="utf-8")),
        manifest=json.dumps(manifest),
        updated_time=now,
    )
