# SPDX-License-Identifier: Apache-2.0
"""Stores a verdict with its run."""

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Verdict


def store(client: Client, verdict: Verdict) -> None:
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
