# SPDX-License-Identifier: Apache-2.0
"""What the audit's tests ask of the command and of the row it leaves."""

import json
from collections.abc import Callable

from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model

Tailrace = Callable[..., Result]


def verdict(client: Client, run_id: str) -> dict[str, object]:
    text = client.query("SELECT audit FROM v_runs WHERE run_id = {r:String}", parameters={"r": run_id}).result_rows[0][
        0
    ]
    found: dict[str, object] = json.loads(text)
    return found


def assert_fails(tailrace: Tailrace, client: Client, model: Model, check: str, line: str) -> str:
    """The audit of the model prints ``line``, exits 1 and stores a failure of that ``check``."""
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 1, result.output
    assert "audit=fail" in result.stdout
    assert line in result.stdout, result.stdout
    stored = verdict(client, model.run_id)
    assert stored["verdict"] == "fail"
    failures = stored["failures"]
    assert isinstance(failures, list)
    assert check in {failure["check"] for failure in failures}
    return result.stdout


def passes(tailrace: Tailrace, model: Model) -> str:
    """What the audit of the model prints when it passes."""
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "\naudit=pass\n" in result.stdout
    return result.stdout


def happened(model: Model, *events: tuple[int, str, str, str]) -> None:
    """Run events, which the worker counted: second, kind, name and detail."""
    model.events += events
    model.ledger["run_events", "recorded", ""] += len(events)


def unread(model: Model) -> None:
    """No group reads the model's topic."""
    model.topic_plan = {**model.topic_plan, "subscriptions": 0}
    model.delivered = []
    for kind in ("received", "recorded"):
        model.ledger["deliveries", kind, ""] = 0


RETAINED = {"cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1"}


def logs(
    model: Model,
    ends: tuple[int, int],
    starts: tuple[int, int] = (0, 0),
    before: tuple[int, int] = (0, 0),
    settings: dict[str, str] = RETAINED,
) -> None:
    """The brokers' offsets of the two partitions, before the first message and after the last one."""

    def detail(first: tuple[int, int], last: tuple[int, int]) -> str:
        return json.dumps({"topic": model.topic, "starts": first, "ends": last, "settings": settings})

    happened(model, (0, "log", "start", detail((0, 0), before)), (23, "log", "end", detail(starts, ends)))
