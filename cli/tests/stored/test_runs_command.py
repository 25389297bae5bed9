# SPDX-License-Identifier: Apache-2.0
"""``tailrace runs``: list, pin, export, import into another warehouse, delete."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model
from lab.simulated.traces import Faulty
from lab.stand.warehouse import Warehouse
from tailrace import warehouse
from tailrace.archive.tables import RunTable, find, rows_of
from tailrace.stack.api import Endpoints

Tailrace = Callable[..., Result]
MESSAGES = SECONDS * RATE


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A second warehouse."""
    with Warehouse(tmp_path_factory.mktemp("elsewhere")) as started:
        yield started.endpoints


@pytest.fixture
def there(elsewhere: Endpoints, tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch) -> Tailrace:
    """The command, against the second warehouse from its first call on."""

    def call(*arguments: object) -> Result:
        monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", elsewhere.warehouse_url)
        monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", elsewhere.warehouse_password)
        return tailrace(*arguments)

    return call


def contents(client: Client, run_id: str) -> dict[str, tuple[int, int]]:
    """Rows of each table and a sum over their hashes."""
    found = {}
    for table in find(client):
        # The audit writes the run's row again.
        row = "*" if table.name != "runs" else "* EXCEPT (audit, updated_time)"
        (counted,) = client.query(
            f"SELECT count(), sum(cityHash64(tuple({row}))) FROM {table.source} WHERE run_id = {{run_id:String}}",
            parameters={"run_id": run_id},
        ).result_rows
        found[table.name] = (int(counted[0]), int(counted[1]))
    return found


@pytest.mark.parametrize("make", [Model, Faulty])
def test_an_exported_run_is_imported_elsewhere_with_the_same_audit(
    tailrace: Tailrace,
    there: Tailrace,
    client: Client,
    elsewhere: Endpoints,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: type[Model],
) -> None:
    # Several files per table, cut at seconds.
    monkeypatch.setattr("tailrace.archive.exporting.FILE_ROWS", 700)
    model = make(f"moved-{make.__name__.lower()}")
    model.insert(client)
    audited = tailrace("audit", model.run_id)
    folder = tmp_path / "folder"
    exported = tailrace("runs", "export", model.run_id, "--out", folder)
    assert exported.exit_code == 0, exported.output
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["tables"]["publishes"]["rows"] == MESSAGES
    assert len(manifest["tables"]["publishes"]["files"]) == 4
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=folder, check=True)

    imported = there("runs", "import", folder)
    assert imported.exit_code == 0, imported.output
    other = warehouse.connect(elsewhere)
    assert contents(other, model.run_id) == contents(client, model.run_id)
    again = there("audit", model.run_id)
    assert (again.exit_code, again.stdout) == (audited.exit_code, audited.stdout)
    stages = other.query("SELECT name FROM system.tables WHERE name LIKE 'import_%'").result_rows
    assert stages == []
    twice = there("runs", "import", folder)
    assert twice.exit_code == 2
    assert f"run {model.run_id} has rows in" in twice.stderr
    assert contents(other, model.run_id) == contents(client, model.run_id)


def test_a_run_that_comes_without_its_messages_keeps_its_verdict_and_its_rollup(
    tailrace: Tailrace, there: Tailrace, client: Client, elsewhere: Endpoints, tmp_path: Path
) -> None:
    model = Model("light")
    model.insert(client)
    assert tailrace("audit", model.run_id).exit_code == 0
    folder = tmp_path / "light"
    exported = tailrace("runs", "export", model.run_id, "--without-messages", "--out", folder)
    assert exported.exit_code == 0, exported.output
    assert not (folder / "publishes").exists()
    assert not (folder / "deliveries").exists()
    assert "are left out" in (folder / "README.md").read_text(encoding="utf-8")

    imported = there("runs", "import", folder)
    assert imported.exit_code == 0, imported.output
    assert "without publishes and deliveries" in imported.stdout
    asked = ("query", "latency_percentiles_rollup", "--run", model.run_id)
    assert there(*asked).stdout == tailrace(*asked).stdout
    other = warehouse.connect(elsewhere)
    kept = "SELECT audit FROM v_runs WHERE run_id = {r:String}"
    verdicts = [c.query(kept, parameters={"r": model.run_id}).result_rows for c in (client, other)]
    assert verdicts[0] == verdicts[1]
    # It would be judged to have lost every message.
    again = there("audit", model.run_id)
    assert again.exit_code == 2
    assert "was imported without its messages" in again.stderr


def test_a_part_that_begins_within_the_last_second_is_exported(
    tailrace: Tailrace, there: Tailrace, client: Client, elsewhere: Endpoints, tmp_path: Path
) -> None:
    model = Model("latepart")
    model.insert(client)
    late = "run_id = 'latepart' AND toUnixTimestamp(intended_time) = toUnixTimestamp(last)"
    for table in ("publishes", "deliveries"):
        client.command(
            f"INSERT INTO {table} WITH (SELECT max(intended_time) FROM {table}"
            f" WHERE run_id = 'latepart') AS last SELECT * FROM {table} WHERE {late}"
        )
    before = contents(client, model.run_id)
    assert before["publishes"][0] > MESSAGES
    assert tailrace("runs", "export", model.run_id, "--out", tmp_path / "x").exit_code == 0
    imported = there("runs", "import", tmp_path / "x")
    assert imported.exit_code == 0, imported.output
    assert contents(warehouse.connect(elsewhere), model.run_id) == before


def test_a_broken_folder_is_refused_and_nothing_is_stored(
    tailrace: Tailrace, there: Tailrace, client: Client, elsewhere: Endpoints, tmp_path: Path
) -> None:
    model = Model("broken")
    model.insert(client)
    folder = tmp_path / "folder"
    assert tailrace("runs", "export", model.run_id, "--out", folder).exit_code == 0
    path = folder / "manifest.json"
    manifest = path.read_text()
    data = folder / "deliveries" / "00000.parquet"

    def refused(*words: str) -> None:
        result = there("runs", "import", folder)
        assert result.exit_code == 2, result.output
        assert result.stderr.count("\n") == 1
        for word in words:
            assert word in result.stderr
        other = warehouse.connect(elsewhere)
        assert sum(rows for rows, _ in contents(other, model.run_id).values()) == 0

    path.write_text(manifest.replace('"schema_version": ', '"schema_version": 9'))
    refused("schema version 9", "use a newer tailrace")
    path.write_text(manifest.replace("tailrace-run/1", "tailrace-run/2"))
    refused("manifest.json", "'tailrace-run/2'")
    path.write_text(manifest.replace("deliveries/00000", "../other/00000"))
    refused("is outside the folder")
    path.write_text(manifest.replace('"intended_time"', '"due_time"'))
    refused("has no column due_time")
    path.write_text("{")
    refused("is not JSON")
    path.unlink()
    refused("No such file or directory", "tailrace runs export")
    path.write_text(manifest)
    whole = data.read_bytes()
    data.write_bytes(whole[:-1] + b"2")
    refused("deliveries/00000.parquet", "differs from the exported file")
    data.unlink()
    refused("deliveries/00000.parquet", "is missing")


def test_rows_that_do_not_arrive_are_no_import(
    tailrace: Tailrace, there: Tailrace, client: Client, elsewhere: Endpoints, tmp_path: Path
) -> None:
    model = Model("short")
    model.insert(client)
    folder = tmp_path / "folder"
    assert tailrace("runs", "export", model.run_id, "--out", folder).exit_code == 0
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace(f'"rows": {MESSAGES},', f'"rows": {MESSAGES + 1},'))
    result = there("runs", "import", folder)
    assert result.exit_code == 1
    assert f"gave {MESSAGES:,} rows" in result.stderr
    other = warehouse.connect(elsewhere)
    assert sum(rows for rows, _ in contents(other, model.run_id).values()) == 0


def test_an_export_wants_an_empty_folder_and_a_run_that_is_over(
    tailrace: Tailrace, client: Client, golden: Model, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    result = tailrace("runs", "export", golden.run_id, "--out", tmp_path)
    assert (result.exit_code, "is not empty" in result.stderr) == (2, True)
    client.command("INSERT INTO runs (run_id, state, updated_time) VALUES ('unfinished', 'running', 1)")
    for arguments in (
        ("export", "unfinished", "--out", tmp_path / "new"),
        ("delete", "unfinished"),
    ):
        result = tailrace("runs", *arguments)
        assert (result.exit_code, "run unfinished is running" in result.stderr) == (2, True)
    assert not (tmp_path / "new").exists()


def test_delete_removes_the_run_from_every_table_and_no_other(
    tailrace: Tailrace, client: Client, golden: Model
) -> None:
    Faulty("doomed").insert(client)
    client.command("INSERT INTO broker_logs (run_id, message) VALUES ('doomed', 'a line')")
    client.command("INSERT INTO transactions (run_id, outcome) VALUES ('doomed', 'committed')")
    for table in ("broker_requests", "stages_1s", "stages_made"):
        client.command(f"INSERT INTO {table} (run_id) VALUES ('doomed')")
    before = contents(client, golden.run_id)
    assert all(rows for rows, _ in contents(client, "doomed").values())
    result = tailrace("runs", "delete", "doomed")
    assert result.exit_code == 0, result.output
    assert f"publishes: {MESSAGES:,} rows deleted" in result.stdout
    assert sum(rows for rows, _ in contents(client, "doomed").values()) == 0
    assert contents(client, golden.run_id) == before
    unknown = tailrace("runs", "delete", "doomed")
    assert (unknown.exit_code, "no run 'doomed'" in unknown.stderr) == (2, True)


def test_last_is_the_run_that_was_started_last(tailrace: Tailrace, client: Client) -> None:
    Model("newest", started_s=2**31 + 7).insert(client)
    result = tailrace("runs", "delete", "last")
    assert result.exit_code == 0, result.output
    assert re.search(r"^deleted newest: [1-9][\d,]* rows$", result.stdout, re.MULTILINE)
    assert sum(rows for rows, _ in contents(client, "newest").values()) == 0


def test_what_an_unfinished_delete_left_can_be_deleted(tailrace: Tailrace, client: Client) -> None:
    Model("half").insert(client)
    client.command("ALTER TABLE runs DELETE WHERE run_id = 'half' SETTINGS mutations_sync = 2")
    result = tailrace("runs", "delete", "half")
    assert result.exit_code == 0, result.output
    assert sum(rows for rows, _ in contents(client, "half").values()) == 0


def test_a_pinned_run_is_deleted_by_force_only(tailrace: Tailrace, client: Client) -> None:
    Model("kept").insert(client)
    assert tailrace("runs", "pin", "kept", "--note", "for comparison").exit_code == 0
    shown = tailrace("runs", "list").stdout
    (line,) = [line for line in shown.splitlines() if line.startswith("kept ")]
    assert line.split() == [
        *("kept", "model", "finished", "2026-01-15", "10:00:00", "25"),
        *("1", "for", "comparison", str(MESSAGES), str(MESSAGES)),
    ]
    result = tailrace("runs", "delete", "kept")
    assert (result.exit_code, "run kept is pinned" in result.stderr) == (2, True)
    assert contents(client, "kept")["publishes"][0] == MESSAGES
    assert tailrace("runs", "delete", "kept", "--force").exit_code == 0
    Model("kept").insert(client)
    assert tailrace("runs", "delete", "kept").exit_code == 0, "the pin outlived the run"


def test_every_table_of_the_schema_that_holds_runs_is_found(client: Client, golden: Model) -> None:
    named = client.query(
        "SELECT DISTINCT table FROM system.columns WHERE database = currentDatabase()"
        " AND name = 'run_id' AND table NOT LIKE 'v\\_%' AND table NOT LIKE '%\\_mv'"
    ).result_rows
    assert {t.name for t in find(client)} == {str(row[0]) for row in named} - {"run_pins"}
    (publishes,) = [table for table in find(client) if table.name == "publishes"]
    assert rows_of(client, publishes, golden.run_id) == MESSAGES


def test_on_a_cluster_the_shards_tables_are_altered() -> None:
    engine = "Distributed('bench', 'default', 'publishes_local', cityHash64(run_id, partition))"
    table = RunTable("publishes", engine, (("run_id", "String"), ("time", "DateTime")))
    assert table.altered == "publishes_local ON CLUSTER 'bench'"
    assert (table.source, table.time_column) == ("publishes", "time")
