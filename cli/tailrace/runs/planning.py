# SPDX-License-Identifier: Apache-2.0
"""The plan: what the load generator says a run would do, before anything is started."""

import json
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NewType

from tailrace.errors import BadInput
from tailrace.stack.api import (
    MIN_FREE_BYTES,
    StackPaths,
    free_bytes,
    is_stack_broker,
    partition_bytes,
)

Plan = NewType("Plan", Mapping[str, Any])

# Stands in the plan where the run's id will be.
PLACEHOLDER = "RUN_ID"
# A message in the warehouse, published and delivered, with room for merges in flight.
ROW_BYTES = 32
SPARE = 1.2

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def check_disk(plan: Plan, paths: StackPaths) -> None:
    """Raise BadInput when the state folder's drive cannot hold what the run will write."""
    free = free_bytes(paths)
    # Without a rate nobody can tell how much it will be.
    rows = int(plan["expected_messages"] or 0) + int(plan["expected_deliveries"] or 0)
    events = int(rows * ROW_BYTES * SPARE)
    log = int(_log_bytes(plan, paths) * SPARE)
    needed = max(events + log, MIN_FREE_BYTES)
    if free < needed:
        parts = f"{_gib(events)} for its rows in the warehouse"
        if log:
            parts += f", {_gib(log)} for the broker's log"
        raise BadInput(
            f"{paths.state}: {_gib(free)} free, {_gib(needed)} needed for this run ({parts}; at "
            f"least {_gib(MIN_FREE_BYTES)} in all); free some, lower testDuration or producerRate, "
            "or set TAILRACE_STATE to another drive"
        )


def brokers_are_local(plan: Plan, paths: StackPaths) -> bool:
    """True when the run's brokers are the stack's own."""
    return is_stack_broker(paths, str(plan["producer_config"].get("bootstrap.servers", "")))


def _log_bytes(plan: Plan, paths: StackPaths) -> int:
    """The most that the broker's log holds at once on this machine's drive."""
    if not brokers_are_local(plan, paths):
        return 0
    written = int(plan["disk_bytes"] or 0)
    each = partition_bytes(paths, plan["topic_config"])
    if each is None:
        return written
    return min(written, int(plan["partitions"]) * int(plan["replication_factor"]) * each)


def _gib(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB"


def new_run_id(plan: Plan, wanted: str | None) -> str:
    """``wanted`` when it is a valid id, else ``<workload>-<UTC time>-<four random digits>``."""
    if wanted is not None:
        if not _RUN_ID.fullmatch(wanted) or wanted == "last":
            raise BadInput(
                f"--run-id '{wanted}': use 1 to 128 of A-Z a-z 0-9 . _ -, "
                "a letter or digit first (not 'last')"
            )
        return wanted
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", str(plan["workload"]))[:100] or "run"
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def of_run(plan: Plan, run_id: str, workers: int) -> Plan:
    """The plan with the run's id where the placeholder stands, and the number of its workers."""
    topics = [
        {**topic, "name": str(topic["name"]).replace(PLACEHOLDER, run_id)}
        for topic in plan["topics"]
    ]
    return Plan({**plan, "run_id": run_id, "workers": workers, "topics": topics})


def parse(text: str) -> list[Plan]:
    """Read the load generator's JSON: one plan, or one for each point of a campaign."""
    read = json.loads(text)
    return [Plan(each) for each in read.get("points", [read])]
