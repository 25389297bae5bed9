# SPDX-License-Identifier: Apache-2.0
"""The plan, as the load generator computes it before a run starts."""

import json
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NewType

from tailrace.errors import BadInput
from tailrace.stack.api import StackPaths, is_stack_broker

Plan = NewType("Plan", Mapping[str, Any])

# The plan's placeholder for the run's id.
PLACEHOLDER = "RUN_ID"

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def brokers_are_local(plan: Plan, paths: StackPaths) -> bool:
    """True when the run's brokers are the stack's own."""
    return is_stack_broker(paths, str(plan["producer_config"].get("bootstrap.servers", "")))


def new_run_id(plan: Plan, wanted: str | None) -> str:
    """``wanted`` when it is a valid id, else ``<workload>-<UTC time>-<four random digits>``."""
    if wanted is not None:
        if not _RUN_ID.fullmatch(wanted) or wanted == "last":
            raise BadInput(
                f"--run-id '{wanted}': use 1 to 128 of A-Z a-z 0-9 . _ -, a letter or digit first (not 'last')"
            )
        return wanted
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", str(plan["workload"]))[:100] or "run"
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def for_run(plan: Plan, run_id: str, workers: int) -> Plan:
    """The plan with the run's id in place of the placeholder, and the number of workers."""
    topics = [{**topic, "name": str(topic["name"]).replace(PLACEHOLDER, run_id)} for topic in plan["topics"]]
    return Plan({**plan, "run_id": run_id, "workers": workers, "topics": topics})


def parse(text: str) -> list[Plan]:
    """Read the load generator's JSON: one plan, or one for each point of a campaign."""
    read = json.loads(text)
    return [Plan(each) for each in read.get("points", [read])]
