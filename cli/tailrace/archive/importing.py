# SPDX-License-Identifier: Apache-2.0
"""Stores an exported run in this warehouse.

Rows are first stored in staging tables, then moved as whole partitions. Moving triggers no materialized view, so
rollups are stored as they were exported and nothing counts twice.
"""

import secrets
from collections.abc import Callable
from pathlib import Path

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.archive import retention
from tailrace.archive.delete import LAST_TABLE
from tailrace.archive.exported import ExportedRun, TableFiles, check, read
from tailrace.archive.tables import STAGING, RunTable, find, rows_of
from tailrace.audit import partial
from tailrace.errors import BadInput, Failed
from tailrace.queries.catalogue import quote


def import_run(client: Client, folder: Path, say: Callable[[str], None]) -> ExportedRun:
    """Store the run of an exported folder; nothing is stored unless every file is intact.

    Raises BadInput for a damaged or too new folder, or a run that exists already, Failed when the warehouse did not
    store all rows.
    """
    run = read(folder)
    tables = {table.name: table for table in find(client)}
    _refuse(client, folder, run, tables)
    check(folder, run)
    if any(retention.days(table) is not None for table in tables.values()):
        retention.pin(client, run.run_id, "imported")
        say(f"pinned {run.run_id}: this warehouse has TTLs, which an old run may be past")
    stages: list[tuple[RunTable, str]] = []
    mark = secrets.token_hex(4)
    try:
        for name, files in run.tables.items():
            if files.rows:
                stage = f"{STAGING}{mark}_{name}"
                client.command(f"CREATE TABLE {stage} AS {name}")
                stages.append((tables[name], stage))
                _load(client, folder, run.run_id, files, stage)
        stages.sort(key=lambda each: each[0].name == LAST_TABLE)
        for table, stage in stages:
            _move(client, table, stage)
            say(f"{table.name}: {run.tables[table.name].rows:,} rows")
    finally:
        for _, stage in stages:
            client.command(f"DROP TABLE IF EXISTS {stage}")
    if run.left_out:
        partial.mark(client, run.run_id)
    return run


def _refuse(client: Client, folder: Path, run: ExportedRun, tables: dict[str, RunTable]) -> None:
    if run.schema_version > warehouse.newest_schema():
        raise BadInput(
            f"{folder}: was exported from schema version {run.schema_version}, this tailrace"
            f" knows {warehouse.newest_schema()}; use a newer tailrace"
        )
    for name, files in run.tables.items():
        if name not in tables:
            raise BadInput(f"{folder}: this warehouse has no table {name}; tailrace-migrate up")
        if tables[name].distributed:
            raise BadInput(f"{folder}: {name} is spread over a cluster; import into one server")
        missing = [column for column in files.columns if column not in tables[name].columns]
        if missing:
            column, kind = missing[0]
            raise BadInput(f"{folder}: table {name} has no column {column} {kind} here")
    for table in tables.values():
        if rows_of(client, table, run.run_id):
            raise BadInput(
                f"run {run.run_id} has rows in {table.name} already; tailrace runs delete {run.run_id} removes them"
            )


def _load(client: Client, folder: Path, run_id: str, files: TableFiles, stage: str) -> None:
    columns = [name for name, _ in files.columns]
    for file in files.files:
        client.raw_insert(
            stage,
            columns,
            (folder / file.path).read_bytes(),
            settings={"async_insert": 0, "insert_deduplicate": 0},
            fmt="Parquet",
        )
    sql = f"SELECT count(), countIf(run_id = {{run_id:String}}) FROM {stage}"
    stored = warehouse.select(client, sql, run_id=run_id)[0]
    if tuple(stored) != (files.rows, files.rows):
        raise Failed(
            f"{folder}: {stage.split('_', 2)[2]} gave {stored[1]:,} rows of {run_id}, in all"
            f" {stored[0]:,}; manifest.json states {files.rows:,}; nothing was imported"
        )


def _move(client: Client, table: RunTable, stage: str) -> None:
    sql = (
        "SELECT DISTINCT partition_id FROM system.parts"
        " WHERE database = currentDatabase() AND table = {stage:String} AND active"
    )
    for (partition_id,) in warehouse.select(client, sql, stage=stage):
        client.command(f"ALTER TABLE {table.name} ATTACH PARTITION ID {quote(partition_id)} FROM {stage}")
