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
