# SPDX-License-Identifier: Apache-2.0
"""TTLs take old rows in the engine's merges and pass over pinned runs."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model
from lab.stand.warehouse import Warehouse
from tailrace import warehouse
from tailrace.stack.api import Endpoints

Tailrace = Callable[..., Result]
MESSAGES = SECONDS * RATE


@pytest.fixture
def ageing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    with Warehouse(tmp_path_factory.mktemp("ageing")) as started:
        yield started.endpoints


@pytest.fixture
def runs(ageing: Endpoints, tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch) -> Tailrace:
    monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", ageing.warehouse_url)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", ageing.warehouse_password)

    def call(*arguments: object) -> Result:
        result = tailrace("runs", *arguments)
        assert result.exit_code == 0, result.output
        return result

    return call


def rows(client: Client) -> dict[str, int]:
    """Rows of each run in ``publishes`` once mutations and merges have passed over it."""
    deadline = time.monotonic() + 60
    while client.command("SELECT count() FROM system.mutations WHERE NOT is_done"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    client.command("OPTIMIZE TABLE publishes FINAL")
    counted = client.query("SELECT run_id, count() FROM v_publishes GROUP BY run_id").result_rows
    return {str(run_id): int(count) for run_id, count in counted}


def test_a_ttl_takes_old_runs_but_pinned_ones(runs: Tailrace, ageing: Endpoints, client: Client) -> None:
    aged = warehouse.connect(ageing)
    for run_id in ("old", "precious", "it's"):
        Model(run_id).insert(aged)  # of January 2026
    runs("pin", "precious")
    runs("pin", "it's")
    shown = runs("ttl").stdout
    assert [line.split()[1] for line in shown.splitlines()] == ["none"] * 10
    assert rows(aged) == {"old": MESSAGES, "precious": MESSAGES, "it's": MESSAGES}

    assert "publishes           30d" in runs("ttl", "publishes=30d").stdout
    assert rows(aged) == {"precious": MESSAGES, "it's": MESSAGES}
    # The other tables keep everything.
    assert aged.command("SELECT count() FROM v_deliveries WHERE run_id = 'old'") == MESSAGES

    # A pin that comes later, and rows that come later, are seen too.
    runs("pin", "old")
    again = Model("old")
    again.alter(0, delay=9)  # the very same rows would be taken for a block sent twice
    again.insert(aged)
    runs("unpin", "precious")
    assert rows(aged) == {"old": MESSAGES, "it's": MESSAGES}

    runs("ttl", "publishes=none")
    Model("another").insert(aged)
    assert rows(aged)["another"] == MESSAGES


def test_an_import_into_a_warehouse_with_ttls_is_pinned(
    runs: Tailrace, tailrace: Tailrace, ageing: Endpoints, client: Client, tmp_path: object
) -> None:
    aged = warehouse.connect(ageing)
    Model("returned").insert(aged)
    runs("export", "returned", "--out", f"{tmp_path}/folder")
    runs("delete", "returned")
    runs("ttl", "publishes=30d", "deliveries=30d")
    assert "pinned returned" in runs("import", f"{tmp_path}/folder").stdout
    assert rows(aged) == {"returned": MESSAGES}


def test_the_sql_is_printed_and_not_run(runs: Tailrace, ageing: Endpoints) -> None:
    runs("ttl", "rollup_1s=7d")
    printed = runs("ttl", "--print", "publishes=30d", "rollup_1s=none", "deliveries=none").stdout
    assert printed.splitlines() == [
        "ALTER TABLE publishes MODIFY TTL toDateTime(intended_time, 'UTC') + toIntervalDay(30)"
        " DELETE WHERE run_id NOT IN ('');",
        "ALTER TABLE rollup_1s REMOVE TTL;",
    ]
    assert "publishes           none" in runs("ttl").stdout


def test_a_file_of_settings_is_applied_and_touches_only_what_differs(
    runs: Tailrace, ageing: Endpoints, client: Client, tmp_path: Path
) -> None:
    aged = warehouse.connect(ageing)
    for run_id in ("old", "kept"):
        Model(run_id).insert(aged)
    runs("pin", "kept")
    settings = tmp_path / "ttls.env"
    settings.write_text("# of this deployment\npublishes=30d\nrollup_1s = none  # for good\n")
    assert "publishes           30d" in runs("ttl", "--file", settings).stdout
    assert rows(aged) == {"kept": MESSAGES}
    assert runs("ttl", "--print", "--file", settings).stdout == ""
    runs("unpin", "kept")
    assert runs("ttl", "--print", "--file", settings).stdout == ""
    assert "toIntervalDay(7)" in runs("ttl", "--print", "--file", settings, "publishes=7d").stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("publish=30d", "no TTL can be set for a table 'publish'; nearest: "),
        ("runs=30d", "for a table 'runs'"),
        ("publishes=30", "'30' is not a TTL; write publishes=30d or publishes=none"),
        ("publishes=0d", "'0d' is not a TTL"),
        ("publishes=99999d", "'99999d' is not a TTL"),
    ],
)
def test_bad_settings_are_named(tailrace: Tailrace, text: str, words: str) -> None:
    result = tailrace("runs", "ttl", text)
    assert result.exit_code == 2
    assert words in result.stderr
