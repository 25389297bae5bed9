# SPDX-License-Identifier: Apache-2.0
"""The plan: what the load generator says a run would do, before anything is started."""

import json
import re
import secrets
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NewType

from tailrace.errors import BadInput
from tailrace.stack.api import StackPaths

Plan = NewType("Plan", Mapping[str, Any])

# Stands in the plan where the run's id will be.
PLACEHOLDER = "RUN_ID"
MIN_FREE_BYTES = 2 * 1024**3
# A message in the warehouse, published and delivered, with room for merges in flight.
ROW_BYTES = 32
SPARE = 1.2

_RUN_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


def check_disk(plan: Plan, paths: StackPaths) -> None:
    """Raise BadInput when the state folder's drive cannot hold what the run will write."""
    folder = paths.state
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    rows = int(plan["expected_messages"]) + int(plan["expected_deliveries"])
    needed = int((int(plan["disk_bytes"]) + rows * ROW_BYTES) * SPARE)
    if free < max(needed, MIN_FREE_BYTES):
        needed = max(needed, MIN_FREE_BYTES)
        raise BadInput(
            f"{paths.state}: {_gib(free)} free, {_gib(needed)} needed for this run; free some, "
            "lower testDuration or producerRate, or set TAILRACE_STATE to another drive"
        )


def _gib(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB"


def new_run_id(plan: Plan, wanted: str | None) -> str:
    """``wanted`` when it is a valid id, else ``<workload>-<UTC time>-<four random digits>``."""
    if wanted is not None:
        if not _RUN_ID.fullmatch(wanted) or wanted == "last":
            raise BadInput(f"--run-id '{wanted}': use 1 to 128 of A-Z a-z 0-9 . _ - (not 'last')")
        return wanted
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", str(plan["workload"]))[:100] or "run"
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def of_run(plan: Plan, run_id: str) -> Plan:
    """The plan with the run's id where the placeholder stands: in its id and its topics' names."""
    topics = [
        {**topic, "name": str(topic["name"]).replace(PLACEHOLDER, run_id)}
        for topic in plan["topics"]
    ]
    return Plan({**plan, "run_id": run_id, "topics": topics})


def parse(text: str) -> Plan:
    """Read the load generator's JSON."""
    return Plan(json.loads(text))
